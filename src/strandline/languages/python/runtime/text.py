"""Source of functions: their syntax trees, and source positions in their files for messages.

The source is taken function by function from the file that the code object names, through `linecache`. That works for
modules, for notebook cells (where the source of a *class* cannot be found), and for code executed from a text that was
registered there.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, product
from typing import Any, NoReturn

from strandline.errors import ModelError
from strandline.model.plain import python_expression
from strandline.source import Source, Span


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A parsed Python text, with its lines and the offsets at which they start."""

    source: Source
    tree: ast.AST = field(repr=False)
    lines: list[str] = field(repr=False)
    starts: list[int] = field(repr=False)
    foreign: bool = False
    """True for a file other than the model's; its source positions are used in messages only."""

    @classmethod
    def create(cls, source: Source, tree: ast.AST) -> Text:
        lines = source.text.splitlines(keepends=True)
        return cls(source, tree, lines, [0, *accumulate(len(line) for line in lines)])

    def span(self, node: ast.AST) -> Span | None:
        """Return the source position of a node, for expressions made of it; None in a file that is not the model's."""
        return None if self.foreign else self.place(node)

    def place(self, node: ast.AST) -> Span:
        """Return the source position of a node, whose columns in the syntax tree count bytes."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        last, end = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column + 1)
        return Span(self._offset(line, column), self._offset(last, end))

    def _offset(self, line: int, column: int) -> int:
        if line > len(self.lines):
            return self.starts[-1]
        prefix = self.lines[line - 1].encode()[:column]
        return self.starts[line - 1] + len(prefix.decode(errors="replace"))

    def fail(self, message: str, node: ast.AST) -> NoReturn:
        """Raise a `ModelError` at the source position of a node."""
        raise ModelError(message, self.source, self.place(node))


def file_text(filename: str) -> str:
    """Return the text of a code object's file; empty if it is not known."""
    linecache.checkcache(filename)
    return "".join(linecache.getlines(filename))


@lru_cache(maxsize=64)
def _parse(filename: str, text: str) -> Text | None:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    return Text.create(Source(filename, text), tree)


def text_of(function: Callable[..., Any]) -> tuple[Text, ast.FunctionDef]:
    """Return the text of the file that defines a function, and the definition in it.

    Raises `ModelError` if the definition cannot be found, or is of a kind that models cannot use.
    """
    code = getattr(function, "__code__", None)
    name = getattr(function, "__name__", repr(function))
    if code is None:
        raise ModelError(f"'{name}' is not written in Python: a model can only use functions whose text is known")
    text = file_text(code.co_filename)
    parsed = _parse(code.co_filename, text) if text else None
    for node in ast.walk(parsed.tree) if parsed else ():
        assert parsed is not None
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            if code.co_firstlineno in (first, node.lineno):
                if isinstance(node, ast.AsyncFunctionDef):
                    parsed.fail(f"'{name}' is one atomic step: nothing can be awaited in it; write 'def'", head(node))
                return parsed, node
        if isinstance(node, ast.Lambda) and name == "<lambda>" and node.lineno == code.co_firstlineno:
            parsed.fail("a lambda cannot be compiled; write a function with 'def'", node)
    if text:
        raise ModelError(
            f"the function '{name}' is no longer where it was defined, {code.co_filename} line "
            f"{code.co_firstlineno}: the file was changed; load the model again"
        )
    raise ModelError(
        f"the text of '{name}' is not known: Python keeps none for what is typed at its prompt; "
        "write the model into a file or a notebook cell"
    )


def head(node: ast.stmt) -> ast.AST:
    """Return a node for the first words of a definition (`def name`), so that carets stay on one line."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            words = {ast.FunctionDef: "def", ast.ClassDef: "class", ast.AsyncFunctionDef: "async def"}[type(node)]
            end = node.col_offset + len(f"{words} {name}".encode())
            return ast.Pass(lineno=node.lineno, col_offset=node.col_offset, end_lineno=node.lineno, end_col_offset=end)
    return node


def parse_text(text: str, name: str) -> tuple[Text, ast.expr]:
    """Parse an expression given as text; return the text object and the syntax tree."""
    source, node = python_expression(text, name)
    return Text.create(source, node), node


def error_of_exception(source: Source, error: Exception) -> ModelError:
    """Return the error for an exception in the user's own code, with the line that raised it."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == source.name]
    message = f"{type(error).__name__}: {error}"
    if not lines or lines[-1] is None:
        return ModelError(message, source)
    start = line_start(source, lines[-1])
    end = source.text.find("\n", start)
    text = source.text[start : end if end >= 0 else len(source.text)]
    indent = len(text) - len(text.lstrip())
    return ModelError(message + _meant(error, text), source, Span(start + indent, start + max(len(text), indent + 1)))


def _meant(error: Exception, line: str) -> str:
    """Return a hint how to mend a line that raised an error; empty if there is none."""
    missing = getattr(error, "name", None)
    if isinstance(error, NameError) and re.search(rf"\bEnum\[[^\]]*\b{re.escape(str(missing))}\b", line):
        return f"; the names of an Enum stand in quotes: '{missing}'"
    if isinstance(error, TypeError) and str(error).startswith("action() got an unexpected keyword"):
        return "; it takes at, to and fair, and a condition is written inside: require(...)"
    return ""


def line_start(source: Source, line: int) -> int:
    """Return the offset in the text at which a line begins."""
    return sum(len(one) for one in source.text.splitlines(keepends=True)[: line - 1])


def field_place(cls: type, functions: Iterable[Callable[..., Any]], name: str) -> tuple[Source, Span] | None:
    """Return the source position where a class or one of its bases declares a name; None if it cannot be found."""
    texts = list(_texts(cls, functions))
    for base, text in product(cls.__mro__, texts):
        for node in _definitions(text, base):
            for statement in node.body:
                if isinstance(statement, ast.AnnAssign) and getattr(statement.target, "id", None) == name:
                    return text.source, text.place(statement)
    return None


def keyword_place(cls: type, functions: Iterable[Callable[..., Any]], name: str) -> tuple[Source, Span] | None:
    """Return the source position of `name=...` in the head of a class; None if it cannot be found."""
    for text in _texts(cls, functions):
        for node in _definitions(text, cls):
            for keyword in node.keywords:
                if keyword.arg == name:
                    return text.source, text.place(keyword)
    return None


def class_definition(cls: type, functions: Iterable[Callable[..., Any]]) -> tuple[Text, ast.ClassDef] | None:
    """Return the definition of a class and its text; None if it cannot be found."""
    for text in _texts(cls, functions):
        for node in _definitions(text, cls):
            return text, node
    return None


def literal_place(
    cls: type, functions: Iterable[Callable[..., Any]], name: str, text: str
) -> tuple[Source, Span] | None:
    """Return the source position of a formula's text in its declaration, `name = ltl("...")`.

    Returns None if the declaration cannot be found.
    """
    texts = list(_texts(cls, functions))
    for base, parsed in product(cls.__mro__, texts):
        for statement in (one for node in _definitions(parsed, base) for one in node.body):
            match statement:
                case ast.Assign(targets=[ast.Name(id=assigned)], value=ast.Call(args=[ast.Constant() as literal])):
                    place = parsed.place(literal)
                    found = parsed.source.text.find(text, place.start, place.end)
                    if assigned == name and found >= 0:
                        return parsed.source, Span(found, found + len(text))
    return None


def _texts(cls: type, functions: Iterable[Callable[..., Any]]) -> Iterator[Text]:
    """Yield the parsed files in which a class may be defined."""
    files = [function.__code__.co_filename for function in functions if hasattr(function, "__code__")]
    module = sys.modules.get(cls.__module__)
    for filename in dict.fromkeys([*files, getattr(module, "__file__", None)]):
        text = file_text(filename) if filename else ""
        parsed = _parse(filename, text) if text else None
        if parsed is not None:
            yield parsed


def _definitions(text: Text, cls: type) -> list[ast.ClassDef]:
    """Return the definitions of a class by its qualified name; the last one, which is in force, comes first."""
    names = cls.__qualname__.rpartition("<locals>.")[2].split(".")
    found: list[ast.AST] = [text.tree]
    for depth, name in enumerate(names):
        inside = (node for outer in found for node in (ast.iter_child_nodes(outer) if depth else ast.walk(outer)))
        found = [node for node in inside if isinstance(node, ast.ClassDef) and node.name == name]
    return [node for node in reversed(found) if isinstance(node, ast.ClassDef)]
