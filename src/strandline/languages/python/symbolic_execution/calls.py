"""Calls in an action: built-in functions, methods, record constructors, and inlined helper functions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from strandline.languages.python.runtime.annotations import Record, bind_type
from strandline.languages.python.runtime.text import text_of
from strandline.languages.python.runtime.types import RecordType, is_flat
from strandline.languages.python.symbolic_execution.containers import apply, range_check
from strandline.languages.python.symbolic_execution.execute import Runner, names_of
from strandline.languages.python.symbolic_execution.functions import EVALUATED, UNEVALUATED
from strandline.languages.python.symbolic_execution.reader import Reader
from strandline.languages.python.symbolic_execution.values import (
    ActionValue,
    Method,
    Place,
    RecordSymbol,
    describe,
)
from strandline.languages.symbolic_execution.execution import Refused

_DEEPEST = 40
_NOT_CALLED = ("empty", "full", "head")
"""Attributes of containers that are no methods."""


def call(reader: Reader, node: ast.Call) -> Any:
    """Execute a call and return its value."""
    target = reader.value(node.func)
    if isinstance(target, Method) and isinstance(target.owner, Place):
        reader.machine.execution.note(range_check(target.owner, reader.text.span(node.func)))
    special = UNEVALUATED.get(target) if callable(target) and _hashable(target) else None
    if special is not None:
        return special(reader, node)
    if any(keyword.arg is None for keyword in node.keywords):
        raise Refused("'**' cannot be used here; name the arguments")
    values = reader.in_order([*node.args, *(one.value for one in node.keywords)])
    arguments, named = values[: len(node.args)], values[len(node.args) :]
    keywords = {one.arg or "": value for one, value in zip(node.keywords, named, strict=True)}
    if isinstance(target, type) and issubclass(target, Record):
        return _record(reader, target, arguments, keywords)
    if keywords and not _is_function(target):
        raise Refused("name arguments only for records and helper functions")
    span = reader.text.span(node)
    if isinstance(target, Method) and target.function is None:
        return apply(reader.machine, target.owner, target.name, arguments, span)
    if isinstance(target, Method):
        assert target.function is not None
        return inline(reader, target.function, [*target.owner, *arguments], keywords)
    simple = EVALUATED.get(target) if _hashable(target) else None
    if simple is not None:
        return simple(reader, arguments, span)
    if _is_function(target):
        return inline(reader, target, arguments, keywords)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _NOT_CALLED and not node.args:
        raise Refused(f"'{node.func.attr}' is not called: write {ast.unparse(node.func)}")
    raise Refused(_refusal(target))


def _refusal(target: Any) -> str:
    if isinstance(target, ActionValue):
        return "an action cannot call another action; put the common part into a helper function"
    name = getattr(target, "__name__", None)
    if target is print:
        return "an action cannot print: it is run in all states; look at a trace instead"
    if name in ("randint", "choice", "random", "randrange"):
        return "there is no chance in a model; give the action a parameter: x: Range[low, high]"
    if name is not None and target in vars(builtins).values():
        return (
            f"'{name}' cannot be compiled; there are range, enumerate, zip, reversed, list, len, min, max, sum, any, "
            "all, next, count, abs, int, bool and require"
        )
    return f"{name or describe(target)} cannot be called in an action; helper functions are written with 'def'"


def _hashable(target: Any) -> bool:
    return isinstance(target, type) or (callable(target) and not isinstance(target, Method | ActionValue))


def _is_function(target: Any) -> bool:
    return hasattr(target, "__code__") or isinstance(target, Method)


def _record(reader: Reader, target: type[Record], arguments: list[Any], keywords: dict[str, Any]) -> RecordSymbol:
    kind = bind_type(target, reader.structure.bindings, target.__name__)
    assert isinstance(kind, RecordType)
    names = [name for name, _ in kind.fields]
    given = dict(zip(names, arguments, strict=False)) | keywords
    if len(arguments) > len(names) or set(given) != set(names):
        raise Refused(f"{kind.name} needs exactly the fields {', '.join(names)}")
    fields = {}
    for name, inner in kind.fields:
        if is_flat(inner):
            reader.machine.code(inner, given[name], None)  # type: ignore[arg-type]  # refuses what can never be there
        fields[name] = given[name]
    return RecordSymbol(kind, fields)


def inline(reader: Reader, function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Execute a helper function in place of its call; return its result."""
    if reader.depth >= _DEEPEST:
        raise Refused(f"'{function.__name__}' calls itself without end; recursion cannot be inlined")
    text, definition = text_of(function)
    if text.source is not reader.structure.source_text:
        text = replace(text, foreign=True)
    frame = _arguments(definition, function, arguments, keywords)
    machine = reader.machine
    reader.record_risks(tuple(frame.values()))
    machine.names.frames.append(frame)
    result = Runner(reader.for_function(text, names_of(function)), settles=False).run(list(definition.body))
    machine.names.frames.pop()
    return result


def _arguments(
    definition: ast.FunctionDef, function: Callable[..., Any], given: list[Any], keywords: dict[str, Any]
) -> dict[str, Any]:
    wanted = definition.args
    if wanted.vararg or wanted.kwarg:
        raise Refused(f"'{definition.name}' takes any number of arguments; give it a fixed number")
    names = [one.arg for one in (*wanted.posonlyargs, *wanted.args)]
    defaults = function.__defaults__ or ()
    frame = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    frame |= dict(function.__kwdefaults__ or {})
    frame |= dict(zip(names, given, strict=False)) | keywords
    allowed = {*names, *(one.arg for one in wanted.kwonlyargs)}
    if len(given) > len(names) or set(frame) != allowed:
        raise Refused(f"'{definition.name}' takes the arguments {', '.join(allowed)}")
    return frame
