"""Checks of a model's classes for code whose meaning is not the one that its text suggests.

Python accepts such code silently: the first of two functions of one name is lost, a parameter in the place of the
process *is* the process, and a decorator can hide an action from the model.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from strandline.languages.python.loading.omissions import find_missing_decorators, refuse_missing_owners
from strandline.languages.python.runtime import declarations
from strandline.languages.python.runtime.bodies import declaration_of, groups_of, process_class_of
from strandline.languages.python.runtime.declarations import AnyOf, AnyValue, Marked
from strandline.languages.python.runtime.deferred import Deferred
from strandline.languages.python.runtime.model import Model, Process
from strandline.languages.python.runtime.text import Text, class_definition, head

RESERVED = tuple(name for name in vars(Model) if not name.startswith("_"))
"""The public methods of every model."""
_LEADING = {Model: ("m",), Process: ("m", "me")}
_DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef


def review(model: type[Model]) -> list[str]:
    """Check a model class, its process classes and their bases.

    Raises `ModelError` for code that would be misunderstood; returns warnings about likely mistakes.
    """
    notes: list[str] = []
    processes = groups_of(model)
    marked = [*model._marked.values(), *(one for process in processes for one in process._marked.values())]
    if not any(one.kind == "action" for one in marked):
        notes.append(f"warning: the model '{model.__name__}' has no action: nothing ever happens in it")
    functions = [one.function for one in marked]
    for kind, cls in [(Model, model), *((Process, one) for one in processes)]:
        for base in cls.__mro__:
            found = class_definition(base, functions) if issubclass(base, kind) and base is not kind else None
            if found is not None:
                _Body(kind, base, *found).review()
                refuse_missing_owners(*found, _variable_spellings(model, cls))
                notes += find_missing_decorators(*found, _LEADING[kind])
    return notes


def _variable_spellings(model: type[Model], cls: type) -> dict[str, str]:
    """Return by name how the functions of class `cls` must write the variables that they can use: `m.x`, `me.y`."""
    shared = {name: f"m.{name}" for name in model._fields}
    return shared if cls is model else shared | {name: f"me.{name}" for name in getattr(cls, "_fields", {})}


class _Body:
    """The body of one class."""

    def __init__(self, kind: type, cls: type, text: Text, definition: ast.ClassDef) -> None:
        self.kind, self.cls, self.text, self.definition = kind, cls, text, definition
        self.whose = f"the {'model' if kind is Model else 'process'} '{cls.__name__}'"

    def review(self) -> None:
        first: dict[str, ast.stmt] = {}
        for name, node in _bound_names(self.definition):
            self._only_once(name, node, first.get(name))
            self._no_parameter_twice(name, node)
            first[name] = node
            if self.kind is Model and name in RESERVED:
                self.text.fail(f"'{name}' is a method of every model: m.{name}(...); choose another name", head(node))
            self._no_class_inside(name, node)
            marked = declaration_of(vars(self.cls).get(name))
            if isinstance(node, _DEFINITION):
                self._decorated_alone(node)
            if marked is not None:
                self._one_name(name, marked, node)
            if marked is not None and isinstance(node, ast.FunctionDef):
                self._parameters(marked, node)
                self._returns_nothing(marked, node)

    def _only_once(self, name: str, node: ast.stmt, earlier: ast.stmt | None) -> None:
        declared = isinstance(earlier, ast.AnnAssign) and earlier.value is None and isinstance(node, ast.Assign)
        if earlier is not None and not declared:
            line = earlier.lineno
            message = f"'{name}' is defined twice in {self.whose}: the first, in line {line}, would be overwritten"
            self.text.fail(message, head(node))

    def _no_parameter_twice(self, name: str, node: ast.stmt) -> None:
        above = vars(sys.modules.get(self.cls.__module__, declarations)).get(name)
        if self.kind is Model and isinstance(above, Deferred):
            message = f"'{name}' is a parameter that stands above the models of this file; choose another name"
            self.text.fail(message, head(node))

    def _no_class_inside(self, name: str, node: ast.stmt) -> None:
        value = vars(self.cls).get(name)
        if self.kind is Process and process_class_of(value) is not None:
            message = f"a process cannot be declared inside {self.whose}; write it beside it, in the model"
            self.text.fail(message, head(node))
        if isinstance(value, type) and issubclass(value, Model):
            self.text.fail(f"a model cannot be declared inside {self.whose}; derive a Process or a Record", head(node))

    # Functions

    def _decorated_alone(self, node: _DEFINITION) -> None:
        """Refuse other decorators beside strandline's: they would wrap the function, or hide it from the model."""
        own = [one for one in node.decorator_list if self._is_ours(one)]
        others = [one for one in node.decorator_list if one not in own]
        if own and others:
            shown = ast.unparse(own[0]).partition("(")[0]
            message = f"@{shown} must be the only decorator of '{node.name}': what another makes of it is not compiled"
            self.text.fail(message, others[0])

    def _is_ours(self, decorator: ast.expr) -> bool:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        names = dict(vars(sys.modules.get(self.cls.__module__, declarations)))
        try:
            found = eval(compile(ast.Expression(target), "decorator", "eval"), names)
        except Exception:  # noqa: BLE001  (whatever it is, it was evaluated where it stands)
            return False
        return getattr(found, "__module__", None) == declarations.__name__

    def _one_name(self, name: str, marked: Marked, node: ast.stmt) -> None:
        called = getattr(marked.function, "__name__", name)
        if isinstance(node, ast.Assign) and called != name:
            shown = "a lambda" if called == "<lambda>" else f"'{called}'"
            message = f"'{name}' is made of {shown}; write the {marked.kind} as a function: @{marked.kind} def {name}"
            self.text.fail(message, node)

    def _parameters(self, marked: Marked, node: ast.FunctionDef) -> None:
        if marked.kind == "initial" and self.kind is Process:
            self.text.fail("@initial belongs into the model: it sets up the whole state", head(node))
        wanted, given = _LEADING[self.kind], node.args
        if marked.kind == "initial":
            wanted = wanted[:1]
        signature = f"({', '.join(wanted)}{', ...' if marked.kind in ('action', 'initial') else ''})"
        for extra in (*given.posonlyargs, *given.kwonlyargs, given.vararg, given.kwarg):
            if extra is not None:
                self.text.fail(f"'{node.name}' takes {signature}: plain parameters, without '*' or '/'", extra)
        who = {"m": "the model", "me": "the process"}
        offered = given.args[len(given.args) - len(given.defaults) :]
        for name, parameter in zip(wanted, given.args, strict=False):
            has_domain = isinstance(parameter.annotation, ast.Subscript | ast.Call) or parameter in offered
            if has_domain or parameter.arg.lstrip("_") not in ("", name):
                message = f"'{node.name}' takes {signature}: '{parameter.arg}' stands where {who[name]} comes in"
                self.text.fail(message, parameter)
        if marked.kind in ("action", "initial"):
            for default, value in zip(given.defaults, marked.function.__defaults__ or (), strict=True):
                if not isinstance(value, AnyOf | AnyValue):
                    message = f"a parameter of '{node.name}' has all values of its domain: a default would say nothing"
                    self.text.fail(message, default)

    def _returns_nothing(self, marked: Marked, node: ast.FunctionDef) -> None:
        if marked.kind not in ("action", "initial"):
            return
        for inner in ast.walk(node):
            if isinstance(inner, ast.Return) and not (inner.value is None or _is_none(inner.value)):
                instead = "write require(...) for a condition of the step"
                self.text.fail(f"the value that '{node.name}' returns would be ignored; {instead}", inner)


def _bound_names(definition: ast.ClassDef) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the names that the statements of a class body bind, in order."""
    for node in definition.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node
            case ast.Assign(targets=targets):
                yield from ((one.id, node) for one in targets if isinstance(one, ast.Name))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
