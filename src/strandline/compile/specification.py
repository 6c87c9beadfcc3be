"""What a Kernel is compiled for: one frozen object that travels from the checker to the emitter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.analysis.symmetry.detection import Scalarset
from strandline.compile.reduction.selection import Reduction
from strandline.model.expression import Expression
from strandline.model.measure import Measure


@dataclass(frozen=True, slots=True, eq=False)
class KernelSpecification:
    """What a search needs of its Kernel besides the System. A reduction, scalarsets and a device exclude each other."""

    predicates: Sequence[Expression] = ()
    """The first bits of the labels of a state."""
    measure: Measure | None = None
    reduction: Reduction | None = None
    """The steps that partial-order reduction leaves."""
    scalarsets: Sequence[Scalarset] = ()
    """Names whose permutations are not distinguished: successors are brought into a canonical form."""
    thread_safe: bool = False
    """Whether several threads call the Kernel: coverage bits that are set are not written again."""
    balanced_words: bool = False
    """Whether states of several words have about as many bits in each, with neighbours kept together, so that they
    compress well."""
    for_device: bool = False
    """Whether the model is compiled for a GPU as well."""

    @property
    def is_separable(self) -> bool:
        """Whether the steps of the System can be compiled once and linked with what is asked of them."""
        return self.reduction is None and not (self.scalarsets or self.thread_safe or self.balanced_words)


PLAIN = KernelSpecification()
