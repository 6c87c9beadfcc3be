"""What a Kernel is compiled for: one immutable object that travels from the checker to the emitter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.analysis.symmetry.detection import Scalarset
from strandline.compile.reduction.selection import Reduction
from strandline.model.expression import Expression
from strandline.model.measure import Measure


@dataclass(frozen=True, slots=True, eq=False)
class KernelSpecification:
    """The requirements on a Kernel besides its System.

    A reduction, scalarsets and a device exclude each other.
    """

    predicates: Sequence[Expression] = ()
    """The predicates whose truth values are the first bits of a state's labels."""
    measure: Measure | None = None
    reduction: Reduction | None = None
    """The partial-order reduction, by which the Kernel selects steps; None for all steps."""
    scalarsets: Sequence[Scalarset] = ()
    """Names whose permutations are not distinguished: successors are brought into a canonical form."""
    balanced_words: bool = False
    """True if the words of a large state hold about as many bits each, neighbours kept together.

    Such states compress well as trees.
    """
    for_device: bool = False
    """True if the model is compiled for a GPU as well."""

    @property
    def is_separable(self) -> bool:
        """True if the steps of the System can be compiled once and linked with the code of each search."""
        return self.reduction is None and not (self.scalarsets or self.balanced_words)


PLAIN = KernelSpecification()
