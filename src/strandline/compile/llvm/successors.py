"""Emit the `successors` function of a Kernel, and every function that it calls.

labels of the source state
the steps: `actions`, or those of a synchronous system (`synchronous`)
if there are none: whether this is a valid end, then the property process by itself
"""

from __future__ import annotations

from strandline.compile.kernel import ACCEPTING_BIT, DEADLOCK_BIT, STUCK_BIT
from strandline.compile.llvm.actions import Actions
from strandline.compile.llvm.expressions import Evaluator
from strandline.compile.llvm.function import Function
from strandline.compile.llvm.packed_state import PackedState
from strandline.compile.llvm.records import Records
from strandline.compile.llvm.synchronous import SynchronousSteps
from strandline.model.expression import Expression
from strandline.model.system import System

ENTRY = "successors"
PARAMETERS = "ptr noalias readonly %state, ptr noalias %records, i64 %capacity, ptr noalias %labels"

DECLARATIONS = (
    *(f"declare {{i64, i1}} @llvm.{name}.with.overflow.i64(i64, i64)" for name in ("sadd", "ssub", "smul")),
    "declare i64 @llvm.cttz.i64(i64, i1)",
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
)


def write_functions(system: System, predicates: tuple[Expression, ...], records: Records) -> dict[str, str]:
    """Return the LLVM functions by name, in the order in which the module lists them.

    All but the entry function have internal linkage.
    """
    joining = SynchronousSteps(system, records)
    actions = Actions(system, records, joining)
    functions = {**records.functions(), **joining.functions()}
    functions[ENTRY] = _successors(system, predicates, records, actions)
    return functions | actions.parts


def _successors(system: System, predicates: tuple[Expression, ...], records: Records, actions: Actions) -> str:
    code = Function(f"define i64 @{ENTRY}({PARAMETERS}) nounwind")
    code.do(f"%scratch = alloca [{records.layout.words} x i64]")
    cursor = records.open_cursor(code)
    source = PackedState(code, records.layout, "%state")
    labels = write_labels(system, predicates, Evaluator(code, source, records.ranges.environment(), records.faults))
    if system.synchronous:
        code.call("@together0(ptr %state, ptr %state, ptr %cursor)")
    else:
        actions.write(code, source, cursor)
    steps = code.value(f"load i64, ptr {cursor.steps}")
    stuck = code.value(f"icmp eq i64 {steps}, 0")
    deadlock = code.value(f"select i1 {stuck}, i64 {-(1 << DEADLOCK_BIT)}, i64 0")
    labels = code.value(f"or i64 {labels}, {deadlock}")
    code.do(f"store i64 {labels}, ptr %labels")
    if system.ends is not None:
        _set_stuck_bit(system.ends, records, source, stuck, labels)
    if system.observer is not None:
        alone, after = code.label(), code.label()
        code.branch(stuck, alone, after)
        code.start(alone)
        code.call("@observe(ptr %state, ptr %state, ptr %cursor)")
        code.jump(after)
        code.start(after)
    code.do(f"ret i64 {records.record_count(code, cursor)}")
    return code.text()


def _set_stuck_bit(ends: Expression, records: Records, source: PackedState, stuck: str, labels: str) -> None:
    """Set the bit of an invalid end at a deadlock."""
    code = source.code
    stands, after = code.label(), code.label()
    code.branch(stuck, stands, after)
    code.start(stands)
    valid = Evaluator(code, source.copy(), records.ranges.environment(), records.faults).truth(ends)
    bit = code.value(f"select i1 {valid}, i64 0, i64 {1 << STUCK_BIT}")
    code.do(f"store i64 {code.value(f'or i64 {labels}, {bit}')}, ptr %labels")
    code.jump(after)
    code.start(after)


def write_labels(system: System, predicates: tuple[Expression, ...], evaluator: Evaluator) -> str:
    """Emit the labels of the source state, except for the deadlock."""
    code, source = evaluator.code, evaluator.state
    mask = "0"
    for number, predicate in enumerate(predicates):
        truth = evaluator.truth(predicate)
        bit = code.value(f"select i1 {truth}, i64 {1 << number}, i64 0")
        mask = code.value(f"or i64 {mask}, {bit}")
    observer = system.observer
    if observer is not None:
        accepting = code.member(source.read(source.layout.by_variable[observer.location]), observer.accepting)
        bit = code.value(f"select i1 {accepting}, i64 {1 << ACCEPTING_BIT}, i64 0")
        mask = code.value(f"or i64 {mask}, {bit}")
    return mask
