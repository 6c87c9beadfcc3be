"""The symbols of a Python model, from its text alone: a model is a program, and editing it must not execute it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from strandline.editor.outlines import DeclaredClaim, Outline, Symbol, SymbolKind
from strandline.source import Source, Span

_CLAIMS = ("invariant", "reachable", "ltl", "ctl")
_CONDITIONS = ("label", *_CLAIMS)
_BASES = ("Model", "Process", "Record")
_CHANGING = ("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popleft", "put", "remove")


def outline_of_python(source: Source) -> Outline:
    """Return the outline of a Python model. Raises `SyntaxError` if the text is no Python."""
    return _Reader(source).outline()


class _Reader:
    """Reads the classes of one text."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._tree = ast.parse(source.text)
        # The syntax tree counts columns in bytes of UTF-8.
        self._lines = source.text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self._writes: dict[str, list[Span]] = {}

    def outline(self) -> Outline:
        """Return the symbols of all classes of models."""
        for node in ast.walk(self._tree):
            name = _written(node)
            if name is not None and isinstance(node, ast.stmt):
                self._writes.setdefault(name, []).append(self._span(node))
        classes = [one for one in self._tree.body if isinstance(one, ast.ClassDef) and _is_model(one)]
        symbols = tuple(symbol for one in classes for symbol in self._members(one, ""))
        return Outline(self._source, symbols, tuple(claim for one in classes for claim in self._claims(one)))

    def _span(self, node: ast.expr | ast.stmt) -> Span:
        def offset(line: int, column: int) -> int:
            text = self._lines[line - 1] if line <= len(self._lines) else ""
            return self._starts[line - 1] + len(text.encode()[:column].decode("utf-8", "ignore"))

        end = offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return Span(offset(node.lineno, node.col_offset), end)

    def _name_span(self, node: ast.ClassDef | ast.FunctionDef) -> Span:
        start = self._source.text.index(node.name, self._span(node).start)
        return Span(start, start + len(node.name))

    def _members(self, node: ast.ClassDef, owner: str) -> Iterator[Symbol]:
        for one in node.body:
            match one:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=kind):
                    writes = tuple(self._writes.get(name, ()))
                    place = self._span(one.target)
                    yield Symbol(f"{owner}{name}", SymbolKind.VARIABLE, ast.unparse(kind), place, writes)
                case ast.ClassDef(name=name) if _is_model(one):
                    yield Symbol(name, SymbolKind.PROCESS, "process", self._name_span(one))
                    yield from self._members(one, f"{name}.")
                case ast.FunctionDef(name=name):
                    found = _decorators(one)
                    kind_of = SymbolKind.CONDITION if found & {*_CONDITIONS} else SymbolKind.ACTION
                    if found & {*_CONDITIONS, "action"}:
                        yield Symbol(f"{owner}{name}", kind_of, ", ".join(sorted(found)), self._name_span(one))

    def _claims(self, node: ast.ClassDef) -> Iterator[DeclaredClaim]:
        for one in node.body:
            match one:
                case ast.FunctionDef(name=name) if _decorators(one) & {*_CLAIMS}:
                    yield DeclaredClaim(name, self._name_span(one))
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=made))) if made in _CLAIMS:
                    yield DeclaredClaim(name, self._span(one.targets[0]))


def _is_model(node: ast.ClassDef) -> bool:
    return any(_last_name(base) in _BASES for base in node.bases)


def _decorators(node: ast.FunctionDef) -> set[str]:
    return {_last_name(one.func if isinstance(one, ast.Call) else one) for one in node.decorator_list}


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _written(node: ast.AST) -> str | None:
    """Return the name of the variable that a statement assigns or changes: `m.flag[me] = True`, `m.votes.add(v)`."""
    target: ast.expr | None = None
    match node:
        case ast.Assign(targets=[one]) | ast.AugAssign(target=one):
            target = one
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=one, attr=method))) if method in _CHANGING:
            target = one
    while isinstance(target, ast.Subscript):
        target = target.value
    return target.attr if isinstance(target, ast.Attribute) else None
