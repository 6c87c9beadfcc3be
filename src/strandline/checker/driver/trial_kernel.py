"""Small Kernels and a parent log: stand-ins for a model while another process compiles the code of its search.

The machine code of a search depends on the shape of its Kernel alone, so a Kernel of a few states will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from strandline.compile.callback_adapter import wrap_reference
from strandline.compile.kernel import Edge, Kernel
from strandline.engine.parts.links import Bytes
from strandline.engine.parts.search_output import Sink
from strandline.engine.runtime.memory import WordArray
from strandline.model.expression import Const, Expression
from strandline.model.measure import Measure

_STATES = 4


@dataclass(frozen=True, slots=True)
class KernelShape:
    """The attributes of a Kernel on which the machine code of a search depends."""

    words: int
    bits: int
    measured: bool
    componentwise: bool
    numbered: bool
    reentrant: bool

    @classmethod
    def of(cls, kernel: Kernel) -> KernelShape:
        return cls(kernel.words, kernel.bits, kernel.measured, kernel.componentwise, kernel.numbered, kernel.reentrant)

    def make_kernel(self) -> Kernel:
        """Make a Kernel of this shape: a cycle of a few states, each in a layer of its own."""
        compared = (Const(0),) if self.componentwise else ()
        measure = Measure(Const(0), Const(0), compared) if self.measured else None
        reference = _Circle(self.words, len(compared))
        kernel = wrap_reference(reference, self.words, measure, numbered=self.numbered)
        selected = reference.selected_steps if self.numbered else None
        return replace(kernel, bits=self.bits, reentrant=self.reentrant, selected_steps=selected)


class NullLog:
    """A parent log that keeps nothing."""

    def append(self, links: WordArray) -> None:
        return None

    def append_encoded(self, links: int, sizes: WordArray, pieces: Sequence[Bytes]) -> None:
        return None

    def parts(self, count: int) -> list[Sink]:
        return [self.append] * count


class _Circle:
    """The reference of a trial Kernel: states whose first word is a number, each with a step to the next one."""

    def __init__(self, words: int, compared: int) -> None:
        self._rest, self._compared = (0,) * (words - 1), compared

    def initial(self) -> Sequence[tuple[int, ...]]:
        return [(0, *self._rest)]

    def edges(self, state: tuple[int, ...]) -> Sequence[Edge]:
        return [Edge("step", ((state[0] + 1) % _STATES, *self._rest))]

    def labels(self, state: tuple[int, ...]) -> int:
        return 0

    def progress(self, state: tuple[int, ...]) -> tuple[int, int]:
        return 0, state[0]

    def values(self, state: tuple[int, ...], expressions: Sequence[Expression]) -> tuple[int, ...]:
        return (0,) * len(expressions)

    def describe(self, state: tuple[int, ...]) -> dict[str, Any]:
        return {"state": state[0]}

    def selected_steps(self, state: tuple[int, ...]) -> Sequence[int]:
        return [0]
