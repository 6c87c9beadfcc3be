"""Symbolic execution of statements: loops are unrolled, branches of an `if` merged."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from strandline.languages.python.runtime.declarations import LOCATION
from strandline.languages.python.runtime.deferred import Deferred
from strandline.languages.python.runtime.faults import FIELD_FAULT
from strandline.languages.python.runtime.types import ArrayType, BagType, FifoType, RecordType, SetType
from strandline.languages.python.symbolic_execution.coding import truth, value_or_fault
from strandline.languages.python.symbolic_execution.containers import fill
from strandline.languages.python.symbolic_execution.control import (
    Bind,
    Forget,
    Fork,
    LoopEnd,
    LoopNames,
    Mark,
    Next,
    Round,
    find_join_point,
    find_marker,
    jumps_out_of,
)
from strandline.languages.python.symbolic_execution.machine import FELL_THROUGH, UNDECIDED
from strandline.languages.python.symbolic_execution.reader import Reader
from strandline.languages.python.symbolic_execution.sequences import bind, sequence, unpack
from strandline.languages.python.symbolic_execution.values import (
    ChosenProcess,
    GroupValue,
    Listing,
    Member,
    ModelValue,
    Perhaps,
    Place,
    ProcessValue,
    RecordSymbol,
    Rounds,
    Unbound,
    describe,
)
from strandline.languages.symbolic_execution.building import conjoin, equal, negate
from strandline.languages.symbolic_execution.execution import TOO_INVOLVED, Refused
from strandline.model.expression import TRUE, Const, Expression

CONTAINER = BagType | FifoType | SetType
_MOST_ROUNDS, _MOST_STATEMENTS = 10_000, 50_000
_INSTEAD: dict[type[ast.stmt], str] = {
    ast.While: "a while loop has no bound; write 'for i in range(...)' with an 'if' inside",
    ast.Try: "exceptions cannot be caught in an action; use require",
    ast.Raise: "an action cannot raise; use require(condition)",
    ast.With: "'with' has no meaning in an action",
    ast.Global: "actions change the model's own variables only: declare one in the model and write 'm.name'",
    ast.Nonlocal: "actions change the model's own variables only: declare one in the model and write 'm.name'",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.FunctionDef: "define helper functions outside of the action",
    ast.ClassDef: "define classes outside of the action",
    ast.Delete: "nothing can be deleted; assign a value or use clear()",
    ast.Match: "write 'if' and 'elif' instead of 'match'",
    ast.Assert: "write require(...) for a condition of the step, or an @invariant for a claim",
}


class Runner:
    """Executes statements.

    `settles` allows pending writes to become assignments between statements. It is False in an inlined function, whose
    caller may still use values read earlier.
    """

    def __init__(self, reader: Reader, *, settles: bool) -> None:
        self.reader, self.settles = reader, settles
        self.machine, self.text = reader.machine, reader.text

    def run(self, items: list[Any]) -> Any:
        """Execute the statements and return the value that they return, or None."""
        result = self._run(items)
        return None if result is FELL_THROUGH else result

    def _run(self, items: list[Any]) -> Any:
        while items:
            item, rest = items[0], items[1:]
            items = rest
            match item:
                case Mark(rounds=rounds, last=last):
                    if last:
                        self.machine.frame.pop(rounds, None)
                    continue
                case Bind(target=target, value=Next(rounds=rounds)):
                    value, *others = self.machine.frame[rounds]
                    self.machine.frame[rounds] = tuple(others)
                    bind(self.reader, target, value)
                case Bind(target=target, value=value):
                    bind(self.reader, target, value)
                case ast.Return(value=value):
                    result = None if value is None else self.machine.load(self._evaluate(value))
                    items = find_marker(rest, ast.Return)
                    if not items:
                        return result
                    self._leave(items[0], result, returned=True)
                case ast.Break():
                    items = find_marker(rest, ast.Break)
                    self._leave(items[0])
                case ast.Continue():
                    items = find_marker(rest, ast.Continue)
                case ast.For():
                    items = [*self._unroll(item), *rest]
                case ast.If(test=test, body=body, orelse=orelse):
                    items = [Fork(self.reader.truth(test), body, orelse, test), *rest]
                    continue
                case Fork(condition=Const(value=known), body=body, orelse=orelse):
                    items = [*(body if known else orelse), *rest]
                    continue
                case Fork(condition=condition, body=body, orelse=orelse, node=node):
                    within, after = find_join_point([*body, *orelse], rest)
                    result = self._branch(node, condition, [*body, *within], [*orelse, *within])
                    if after is None:
                        return result
                    items = after
                case Round(loop=loop, names=names):
                    self._round(loop, names)
                case LoopEnd(loop=loop, names=names):
                    items = [*self._loop_end(loop, names), *rest]
                case Forget(names=names):
                    for name in (names.rounds, names.left, names.returned, names.result):
                        self.machine.frame.pop(name)
                case _:
                    self._statement(item)
            if self.settles:
                self.machine.settle()
        return FELL_THROUGH

    def _branch(self, node: ast.AST, condition: Expression, body: list[Any], orelse: list[Any]) -> Any:
        try:
            return self.machine.branch(condition, lambda: self._run(body), lambda: self._run(orelse))
        except Refused as refusal:
            self.text.fail(str(refusal), node)

    def _evaluate(self, node: ast.expr) -> Any:
        """Evaluate an expression, and record the parts of its value that may fault."""
        value = self.reader.value(node)
        loaded = self.machine.load(value, self.text.span(node))
        self.reader.record_risks(loaded)
        return loaded

    def _unroll(self, loop: ast.For) -> list[Any]:
        for statement in loop.orelse:
            if jumps_out_of([statement]) & {ast.Break, ast.Continue}:
                self.text.fail("'else' of a loop cannot leave the loop around it; put a variable in front", statement)
        items: list[Any] = []
        rounds = sequence(self.reader, loop.iter)
        if len(rounds) > _MOST_ROUNDS:
            self.text.fail(f"{len(rounds)} rounds are too many to unroll", loop.iter)
        name = f"for {loop.lineno}:{loop.col_offset}"
        if any(isinstance(value, Member) for value in rounds):
            return self._unroll_guarded(loop, name, rounds)
        changing = not all(isinstance(value, int | ProcessValue) for value in rounds)
        if changing:
            self.machine.frame[name] = tuple(rounds)
        for value in rounds:
            items += [Bind(loop.target, Next(name) if changing else value), *loop.body, Mark(last=False)]
        return [*items, *loop.orelse, Mark(last=True, rounds=name)]

    def _unroll_guarded(self, loop: ast.For, name: str, rounds: list[Any]) -> list[Any]:
        """Unroll a loop whose iterations depend on the state."""
        names = LoopNames(name, f"{name} left", f"{name} returned", f"{name} result")
        self.machine.frame |= {names.rounds: tuple(rounds), names.left: False, names.returned: False}
        self.machine.frame[names.result] = UNDECIDED
        return [*(Round(loop, names) for _ in rounds), LoopEnd(loop, names)]

    def _round(self, loop: ast.For, names: LoopNames) -> None:
        frame = self.machine.frame
        first, *others = frame[names.rounds]
        frame[names.rounds] = tuple(others)
        present, value = (first.present, first.value) if isinstance(first, Member) else (TRUE, first)
        condition = conjoin(negate(truth(frame[names.left])), present)
        body = [Bind(loop.target, value), *loop.body, Mark(last=False, rounds=names.rounds, guarded=True)]
        if isinstance(condition, Const):
            self._run(body if condition.value else [])
        else:
            self._branch(loop.iter, condition, body, [])

    def _leave(self, mark: Mark, result: Any = UNDECIDED, *, returned: bool = False) -> None:
        """Record that a loop whose iterations depend on the state is left."""
        if mark.guarded:
            frame, name = self.machine.frame, mark.rounds
            frame[f"{name} left"] = True
            if returned:
                frame |= {f"{name} returned": True, f"{name} result": result}

    def _loop_end(self, loop: ast.For, names: LoopNames) -> list[Any]:
        frame = self.machine.frame
        result = ast.copy_location(ast.Name(id=names.result, ctx=ast.Load()), loop)
        returning = ast.copy_location(ast.Return(value=result), loop)
        return [
            Fork(truth(frame[names.left]), [], loop.orelse, loop.iter),
            Fork(truth(frame[names.returned]), [returning], [], loop.iter),
            Forget(names),
        ]

    def _statement(self, node: ast.stmt) -> None:
        self.machine.statements += 1
        if self.machine.statements > _MOST_STATEMENTS:
            self.text.fail(TOO_INVOLVED, node)
        match node:
            case ast.Pass():
                return
            case ast.Expr(value=ast.Constant()):
                return
            case ast.Expr(value=value):
                if not isinstance(value, ast.Call):
                    self._evaluate(value)
                    wanted = "require(...) or an assignment" if self.machine.may_write else "'return ...'"
                    self.text.fail(f"this has no effect; did you mean {wanted}?", value)
                self._evaluate(value)
            case ast.Assign(targets=targets, value=value):
                result = self._evaluate(value)
                for target in targets:
                    self.assign(target, result, node)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self.assign(target, self._evaluate(value), node)
            case ast.AugAssign(target=target, op=op, value=value):
                self._assign_augmented(node, target, op, value)
            case _:
                kind = type(node)
                self.text.fail(
                    _INSTEAD.get(kind, f"'{kind.__name__}' is not part of the modelling language"), _head(node)
                )

    def _assign_augmented(self, node: ast.AugAssign, target: ast.expr, op: ast.operator, value: ast.expr) -> None:
        place = self.reader.value(ast.copy_location(_loading(target), target))
        old = self.machine.load(place, self.text.span(target))
        self.reader.record_risks(old)
        try:
            result = self.reader.arithmetic(op, old, self._evaluate(value), node)
            if isinstance(place, Place):
                self._save(place, result, node)
            else:
                self._assign(target, result, node)
        except Refused as refusal:
            self.text.fail(str(refusal), node)

    def assign(self, target: ast.expr, value: Any, node: ast.stmt) -> None:
        """Assign to a name, a part of the state, or several of them."""
        try:
            self._assign(target, value, node)
        except Refused as refusal:
            self.text.fail(str(refusal), node)

    def _assign(self, target: ast.expr, value: Any, node: ast.stmt) -> None:
        if isinstance(value, Unbound):
            raise Refused(value.reason)
        if isinstance(value, Rounds):
            raise Refused("write enumerate, zip and reversed in the loop itself")
        match target:
            case ast.Name(id=name):
                self.machine.frame[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                waiting = unpack(self.reader, value, targets)
                self.machine.names.temporaries.append(waiting)
                for position, inner in enumerate(targets):
                    self._assign(inner, waiting[position], node)
                self.machine.names.temporaries.pop()
            case ast.Attribute(value=inner, attr=name):
                owner = self.machine.load(self.reader.value(inner))
                self._refuse_location(inner, owner, name)
                if isinstance(owner, Perhaps):
                    owner = value_or_fault(owner, FIELD_FAULT, self.text.span(target))
                if isinstance(owner, ChosenProcess):
                    self._assign_chosen(owner, name, value, node)
                elif isinstance(owner, RecordSymbol):
                    kind = owner.kind.name
                    raise Refused(f"a {kind} that is no variable cannot be changed; assign another: {kind}(...)")
                else:
                    place = self.reader.attribute(owner, name, target)
                    self._refuse_untyped(owner, name, place)
                    self._save(place, value, node)
            case ast.Subscript(value=inner, slice=index):
                owner = self.reader.value(inner)
                if isinstance(owner, tuple):
                    raise Refused("a list or tuple cannot be changed here; assign to an Array of the model")
                self._save(self.reader.subscript(owner, index, target), value, node)
            case _:
                raise Refused("this cannot be assigned to")

    def _refuse_location(self, inner: ast.expr, owner: Any, name: str) -> None:
        """Refuse an assignment to `me.pc` in an action with `to`, which would overwrite the assigned location."""
        process, to = self.machine.goes or (None, "")
        if name == LOCATION and owner == process and isinstance(inner, ast.Name) and inner.id == "me":
            raise Refused(f"the action ends with to='{to}', which overwrites me.{name}; remove one of them")

    def _refuse_untyped(self, owner: Any, name: str, place: Any) -> None:
        """Refuse an assignment to a constant of the class body such as `x = 0`, which has no type."""
        if isinstance(owner, ModelValue | ProcessValue) and name not in self.reader.structure.bindings:
            kinds = {bool: "bool", int: "Range[low, high]", str: "Enum[...]"}
            kind = kinds.get(type(place))
            if kind is not None:
                declared = f"{name}: {kind} = {place!r}"
                raise Refused(f"'{name}' has no type, so it is a constant; declare it as a variable: {declared}")

    def _save(self, place: Any, value: Any, node: ast.stmt) -> None:
        if not isinstance(place, Place):
            kinds = {ProcessValue: "a process", GroupValue: "a class of processes"}
            raise Refused(f"{kinds.get(type(place), describe(place))} cannot be assigned to; only variables can")
        if _lists_contents(place.kind, value):
            for index, one in enumerate(value):
                self._save(place.element(Const(index)), one, node)
            return
        if isinstance(place.kind, CONTAINER) and isinstance(value, tuple | Listing):
            items = Listing(tuple(Member(TRUE, one) for one in value)) if isinstance(value, tuple) else value
            fill(self.machine, place, items, self.text.span(node))
            return
        if isinstance(place.kind, RecordType | ArrayType) and value is None:
            raise Refused(f"{place.shown} cannot be None; declare it as Optional")
        self.machine.save(place, value, self.text.span(node))

    def _assign_chosen(self, owner: ChosenProcess, name: str, value: Any, node: ast.stmt) -> None:
        for position, member in enumerate(self.reader.structure.members(owner.group)):
            place = self.reader.structure.process_attribute(member, name)
            old = self.machine.load(place)
            self._save(place, self.machine.join(equal(owner.index, Const(position)), value, old), node)


def _lists_contents(kind: Any, value: Any) -> bool:
    """Return True if the value lists the contents of each container of an array: `[[], [1, 2]]`."""
    if not isinstance(kind, ArrayType) or not isinstance(value, tuple) or len(value) != kind.length:
        return False
    return isinstance(kind.element, CONTAINER) and all(isinstance(one, tuple | Listing) for one in value)


def names_of(function: Callable[..., Any]) -> Callable[[str], Any]:
    """Return a lookup function for the non-local names of a function."""
    code = function.__code__
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))

    def find(name: str) -> Any:
        if name in cells:
            return _static(name, cells[name].cell_contents)
        if name in function.__globals__:
            return _static(name, function.__globals__[name])
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(name)

    return find


def _static(name: str, value: Any) -> Any:
    if isinstance(value, Deferred):
        raise Refused(f"'{name}' belongs to the model; write 'm.{getattr(value, 'name', name)}'")
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict | set):
        raise Refused(
            f"'{name}' is a {type(value).__name__}; only numbers, texts and tuples can be used from outside the model"
        )
    if isinstance(value, float):
        raise Refused(f"'{name}' is {value!r}; there are no fractions in a model")
    return value


def _loading(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.Name(id=name, ctx=ast.Load())
        case ast.Attribute(value=value, attr=attr):
            return ast.Attribute(value=value, attr=attr, ctx=ast.Load())
        case ast.Subscript(value=value, slice=index):
            return ast.Subscript(value=value, slice=index, ctx=ast.Load())
    return target


def _head(node: ast.stmt) -> ast.stmt:
    """Return a node for the first line of a compound statement, so that the caret stays there."""
    body = getattr(node, "body", None)
    if not isinstance(body, list):
        return node
    head = ast.Pass(lineno=node.lineno, col_offset=node.col_offset)
    head.end_lineno, head.end_col_offset = node.lineno, node.col_offset + 5
    return head
