"""Likely omissions in a model's classes: a missing decorator, or `m.` missing before a variable.

Python accepts both silently, and the model would do less than its author thinks. An assignment to an unused local
variable that is named like a variable of the model is refused; an uncalled function may be a helper used elsewhere, so
that is a warning.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from strandline.languages.python.runtime.text import Text, head

_FUNCTION = ast.FunctionDef


def find_missing_decorators(text: Text, definition: ast.ClassDef, leading: Sequence[str]) -> Iterator[str]:
    """Yield a warning for each undecorated, unused function that looks like an action or a claim of the model.

    It does if its first parameters are `leading` (`m`, or `m, me`), and it acts or returns a condition.
    """
    spoken_of = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(ast.parse(text.source.text))
        if isinstance(node, ast.Attribute | ast.Name)
    }
    for node in definition.body:
        if not isinstance(node, _FUNCTION) or node.decorator_list or node.name in spoken_of:
            continue
        parameters = [one.arg for one in node.args.args]
        where = f"warning: {text.source.where(text.place(head(node)))}: '{node.name}'"
        if parameters[: len(leading)] == list(leading) and _acts(node, leading):
            yield f"{where} does what an action does, but nothing calls it; is it one without its @action?"
        elif parameters == list(leading) and any(map(_returns_condition, ast.walk(node))):
            yield f"{where} returns a condition; is it a claim without its @invariant?"


def refuse_missing_owners(text: Text, definition: ast.ClassDef, variables: Mapping[str, str]) -> None:
    """Refuse an assignment to a local variable that is never read and named like a model variable.

    `variables` maps the name of each variable to its spelling: `m.x`.
    """
    for function in (node for node in definition.body if isinstance(node, _FUNCTION)):
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        for statement in ast.walk(function):
            for name in _assigned_names(statement):
                if name in variables and name not in read:
                    message = f"this '{name}' is forgotten at the end of '{function.name}'; write '{variables[name]}'"
                    text.fail(f"{message} for the variable", statement)


def _assigned_names(statement: ast.AST) -> Iterator[str]:
    """Yield the names that a statement assigns; none for tuple unpacking, whose targets need not all be used."""
    match statement:
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name


def _acts(function: ast.FunctionDef, leading: Collection[str]) -> bool:
    """Return True if a function does something that only actions may do.

    That is assigning to a part of the model, calling a method of one as in `m.data.put(1)`, or `require`.
    """
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=targets):
                changed = targets
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                changed = [target]
            case ast.Expr(value=ast.Call(func=ast.Attribute() as target)):
                changed = [target]
            case ast.Expr(value=ast.Call(func=ast.Name(id="require"))):
                return True
            case _:
                continue
        if any(not isinstance(target, ast.Name) and _root(target) in leading for target in changed):
            return True
    return False


def _root(target: ast.expr) -> str | None:
    """Return the name that a chain of attributes and subscripts starts with: `m` for `m.P[0].x`."""
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def _returns_condition(node: ast.AST) -> bool:
    if not isinstance(node, ast.Return):
        return False
    denied = isinstance(node.value, ast.UnaryOp) and isinstance(node.value.op, ast.Not)
    return denied or isinstance(node.value, ast.Compare | ast.BoolOp)
