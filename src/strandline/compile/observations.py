"""Compile a System for matching logs: numbered steps, and the values of expressions in a state.

The Kernel's records end with the number of the action. A second function has the same C signature:

    int64 observe(const uint64 *state, uint64 *values, int64 group, uint64 *unused)

It writes the values of a group of expressions and returns their number, or a negative number if one has no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from strandline.analysis.ranges import analyse_ranges
from strandline.compile.jit import machine_code
from strandline.compile.llvm.coverage import CoverageBits
from strandline.compile.llvm.expressions import Evaluator
from strandline.compile.llvm.function import Function
from strandline.compile.llvm.packed_state import PackedState
from strandline.compile.llvm.records import Records
from strandline.compile.llvm.successors import DECLARATIONS, ENTRY, PARAMETERS, write_functions
from strandline.compile.llvm.tables import table_texts
from strandline.compile.module import all_expressions
from strandline.model.expression import Expression, without_collecting
from strandline.model.layout import Layout, make_layout
from strandline.model.system import System

_OBSERVE = "observe"


@dataclass(frozen=True, eq=False)
class NumberedSteps:
    """The steps of a System with the numbers of their actions, as machine code."""

    system: System
    layout: Layout
    stride: int
    successors: int
    """Address of the function of `strandline.compile.kernel`."""
    initial: npt.NDArray[np.uint64]
    _keep_alive: object = field(repr=False)


@dataclass(frozen=True, eq=False)
class Observations:
    """The values of groups of expressions, as machine code."""

    observe: int
    """Address of the function of the module's docstring."""
    most: int
    """The most expressions in a group."""
    _keep_alive: object = field(repr=False)


def compile_numbered_steps(system: System) -> NumberedSteps:
    """Compile the steps of an asynchronous System without a property process."""
    ranges = analyse_ranges(system)
    layout = make_layout(system, ranges.variables)
    marks = CoverageBits(system, ranges)
    records = Records(layout, ranges, None, marks, system.actions, alone=True)
    with without_collecting():
        functions = write_functions(system, (), records)
    text = "\n".join(
        [*DECLARATIONS, marks.declaration, *table_texts(all_expressions(system, (), None)), *functions.values()]
    )
    code = machine_code(text)
    initial = np.array([layout.pack(one) for one in system.initial], dtype=np.uint64).reshape(-1, layout.words)
    return NumberedSteps(system, layout, records.stride, code.function(ENTRY), initial, code)


def compile_observations(steps: NumberedSteps, groups: Sequence[Sequence[Expression]]) -> Observations:
    """Compile groups of expressions over the states of compiled steps."""
    ranges = analyse_ranges(steps.system)
    records = Records(steps.layout, ranges, None, CoverageBits(steps.system, ranges))
    code = Function(f"define i64 @{_OBSERVE}({PARAMETERS}) nounwind")
    state = PackedState(code, steps.layout, "%state")
    none, labels = code.label(), [code.label() for _ in groups]
    code.switch("%capacity", none, list(enumerate(labels)))
    for label, group in zip(labels, groups, strict=True):
        code.start(label)
        evaluator = Evaluator(code, state.copy(), ranges.environment(), records.faults)
        for number, expression in enumerate(group):
            value = evaluator.value(expression)
            pointer = code.value(f"getelementptr i64, ptr %records, i64 {number}")
            code.do(f"store i64 {value}, ptr {pointer}")
        code.do(f"ret i64 {len(group)}")
    code.start(none)
    code.do("ret i64 -1")
    tables = table_texts([one for group in groups for one in group])
    compiled = machine_code("\n".join([*DECLARATIONS, *tables, code.text()]))
    return Observations(compiled.function(_OBSERVE), max(map(len, groups), default=1), compiled)
