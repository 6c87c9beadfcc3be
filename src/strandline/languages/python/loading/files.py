"""Model files: executed like an import, then searched for models."""

from __future__ import annotations

import ast
import contextlib
import linecache
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from strandline.errors import InputError, ModelError, ParseError, UsageError
from strandline.languages.parameters import Given, refuse_unknown
from strandline.languages.python.runtime.bodies import parameters_of_model
from strandline.languages.python.runtime.model import Model
from strandline.languages.python.runtime.text import Text, error_of_exception, head, line_start
from strandline.source import Source, Span


def load_model(source: Source, selection: str = "", given: Given | None = None) -> Model | type[Model]:
    """Execute the file and return the selected model, with the given parameters.

    Raises `ModelError` for errors in the file, and `UsageError` for a selection or parameters that do not fit.
    """
    picked = _pick_model(source, selection)
    if not given:
        return picked
    cls = picked if isinstance(picked, type) else type(picked)
    refuse_unknown(f"model '{cls.__name__}'", given, parameters_of_model(cls), "parameter")
    if isinstance(picked, type):
        return picked(**given)
    if _is_call(selection):
        return cls(**{**picked._bindings, **given})
    raise UsageError(f"{source.name}: the model is an instance of '{cls.__name__}': its parameters are fixed")


def _is_call(selection: str) -> bool:
    return selection.rstrip().endswith(")")


def _pick_model(source: Source, selection: str) -> Model | type[Model]:
    names = _execute_file(source)
    _refuse_duplicate_models(source, names)
    if selection:
        return _select_model(source, names, selection)
    instances = {name: one for name, one in names.items() if isinstance(one, Model)}
    classes = {
        name: one
        for name, one in names.items()
        if isinstance(one, type) and issubclass(one, Model) and one.__module__ == names["__name__"]
    }
    found: dict[str, Model | type[Model]] = {**(instances or classes)}
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        raise ModelError("no model here: derive a class from strandline.Model", source)
    choices = ", ".join(f"{source.name}:{name}" for name in found)
    raise UsageError(f"{source.name}: there are several models; name one of them: {choices}")


def _execute_file(source: Source) -> dict[str, Any]:
    """Execute a file and return its global names; exceptions become errors in the file."""
    module = ModuleType(f"strandline_model_{abs(hash((source.name, source.text)))}")
    module.__file__ = source.name
    # Tracebacks must show the executed text, even if the file changes meanwhile.
    linecache.cache[source.name] = (
        len(source.text),
        None,
        source.text.splitlines(keepends=True),
        source.name,
    )
    folder = str(Path(source.name).resolve().parent)
    sys.modules[module.__name__] = module
    sys.path.insert(0, folder)
    try:
        # Output of the model file must not mix with verdicts on stdout.
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(source.text, source.name, "exec", dont_inherit=True), vars(module))
    except SyntaxError as error:
        raise _syntax(source, error) from None
    except InputError:
        raise
    except SystemExit as error:
        call = error.code if isinstance(error.code, str) else f"sys.exit({error.code})"
        raise ModelError(f"the file terminates the program on loading: {call}", source) from None
    except Exception as error:
        raise error_of_exception(source, error) from error
    finally:
        sys.path.remove(folder)
    return vars(module)


def _syntax(source: Source, error: SyntaxError) -> ParseError:
    start = line_start(source, error.lineno or 1) + max(0, (error.offset or 1) - 1)
    return ParseError(f"not Python: {error.msg}", source, Span(start, start + 1))


def _refuse_duplicate_models(source: Source, names: dict[str, Any]) -> None:
    """Refuse a file in which a model replaces another one of its name."""
    text = Text.create(source, ast.parse(source.text))
    first: dict[str, int] = {}
    for node in text.tree.body:  # type: ignore[attr-defined]
        found = names.get(getattr(node, "name", ""))
        if isinstance(node, ast.ClassDef) and isinstance(found, type) and issubclass(found, Model):
            line = first.setdefault(node.name, node.lineno)
            if line != node.lineno:
                message = f"the model '{node.name}' is defined twice: the first, in line {line}, would be overwritten"
                text.fail(message, head(node))


def _select_model(source: Source, names: dict[str, Any], selection: str) -> Model | type[Model]:
    """Return the model named by `Name` or `Name(parameter=value, ...)`."""
    try:
        node = ast.parse(selection, mode="eval").body
    except SyntaxError:
        raise UsageError(f"'{selection}' names no model; write Name or Name(parameter=3)") from None
    name = node.func if isinstance(node, ast.Call) else node
    if not isinstance(name, ast.Name) or (isinstance(node, ast.Call) and node.args):
        raise UsageError(f"'{selection}' names no model; write Name or Name(parameter=3)")
    found = names.get(name.id)
    is_class = isinstance(found, type) and issubclass(found, Model)
    if not is_class and not isinstance(found, Model):
        known = [
            one
            for one, value in names.items()
            if isinstance(value, type) and issubclass(value, Model) and value is not Model
        ]
        raise UsageError(f"{source.name} has no model '{name.id}' (it has {', '.join(known) or 'none'})")
    if not isinstance(node, ast.Call):
        return found  # type: ignore[return-value]
    if not is_class:
        raise UsageError(f"'{name.id}' is an instance: its parameters are fixed")
    try:
        parameters = {one.arg or "": ast.literal_eval(one.value) for one in node.keywords}
    except ValueError:
        raise UsageError(f"'{selection}': parameters are plain values, as in Name(parameter=3)") from None
    return found(**parameters)  # type: ignore[misc,no-any-return]
