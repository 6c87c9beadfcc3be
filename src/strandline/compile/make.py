"""The door: whatever can be explored, as a Kernel.

Each kind has its back end: machine code for a System (`host`), calls into Python for callables (`callback`).
"""

from __future__ import annotations

from collections.abc import Sequence

from strandline.compile.callback import CallableSystem, callback_kernel
from strandline.compile.host import compile_system
from strandline.compile.kernel import Kernel
from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.model.system import System


def make_kernel(system: System, predicates: Sequence[Expression] = (), measure: Measure | None = None) -> Kernel:
    """The Kernel of any System, with the predicates and the measure that a search needs."""
    match system:
        case CallableSystem():
            return callback_kernel(system, predicates, measure)
        case _:
            return compile_system(system, predicates, measure)
