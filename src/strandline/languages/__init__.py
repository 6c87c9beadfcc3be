"""Front ends: texts to Systems, one package for each language.

Input: a file. Output: a `System`. Imports `strandline.model`, never a later package. `symbolic_execution` is shared by
languages whose steps are programs. A new language is a module with `load(source) -> System`, whose System carries a
`Scope` of the language, and one line in `LANGUAGES`; the module is imported when a file with its suffix is first
opened.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path, PurePath
from typing import Protocol, cast

from strandline.errors import InputError, UsageError
from strandline.languages.parameters import Given
from strandline.model.expression import without_collecting
from strandline.model.system import System
from strandline.source import Source

__all__ = ["LANGUAGES", "load", "read_text"]

LANGUAGES = {
    ".aut": "strandline.languages.process.aldebaran",
    ".dve": "strandline.languages.dve",
    ".lola": "strandline.languages.petri.lola",
    ".lotus": "strandline.languages.lotus",
    ".pml": "strandline.languages.promela",
    ".pnml": "strandline.languages.petri.pnml",
    ".prom": "strandline.languages.promela",
    ".promela": "strandline.languages.promela",
    ".psl": "strandline.languages.process",
    ".py": "strandline.languages.python",
    ".ss": "strandline.languages.space",
}
"""The module for each suffix of model files; the only place that lists the languages."""
NO_PYTHON = "STRANDLINE_NO_PYTHON"
"""Name of the environment variable that, set and neither empty nor 0, forbids Python models, which are programs."""
FOLDERS = "STRANDLINE_FOLDERS"
"""Name of the environment variable that, set, lists the only folders from which models and their parts are read."""
_SEVERAL_MODELS = (".py",)
"""Suffixes of files that can contain several models; `FILE:SELECTION` names one of them."""


class Language(Protocol):
    """The interface of a module in `LANGUAGES`."""

    def load(self, source: Source) -> System:
        """Load the System of a text; raises `InputError` with the source position of the first mistake."""


class WithParameters(Protocol):
    """The interface of a language whose models have parameters."""

    def load_with(self, source: Source, given: Given) -> System:
        """Load the System with the parameter values `given`; raises `UsageError` for an unknown parameter."""


class WithSelection(Protocol):
    """The interface of a language whose files can contain several models."""

    def load(self, source: Source, selection: str, given: Given) -> System:
        """Load the selected model; raises `UsageError` for a selection that names none."""


def load(path: str | Path, parameters: Given | None = None, *, language: str | None = None) -> System:
    """Load the System in a file; the suffix determines the language, unless `language` is another suffix.

    In `file.py:Name` the part behind the colon selects one of several models. `parameters` are values for the
    parameters of a Python model, or for constants of a model in another language. Raises `UsageError` for an unknown
    suffix, and `InputError` for a file that cannot be read or understood. Python models are refused, too, if the
    environment variable that `NO_PYTHON` names forbids them.
    """
    file, suffix, selection = _parts(str(path))
    suffix = suffix if language is None else f".{language.removeprefix('.')}"
    if suffix not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        ending = f"the suffix '{suffix}' is unknown" if suffix else "the file name has no suffix"
        raise UsageError(
            f"{path}: cannot determine the language: {ending} (known: {known})"
            if language is None
            else f"there is no language '{language}' (known: {known})"
        )
    if suffix == ".py" and os.environ.get(NO_PYTHON, "0") not in ("", "0"):
        raise UsageError(
            f"{path}: a Python model is a program, and executing it is forbidden ({NO_PYTHON}, --no-python)"
        )
    source, front_end = Source(file, read_text(Path(file))), import_module(LANGUAGES[suffix])
    given = parameters or {}
    if selection is not None:
        return cast(WithSelection, front_end).load(source, selection, given)
    if given and not hasattr(front_end, "load_with"):
        raise UsageError(f"{path}: {suffix} files have no parameters: '{next(iter(given))}' cannot be given")
    with without_collecting():
        return (
            cast(WithParameters, front_end).load_with(source, given)
            if given
            else cast(Language, front_end).load(source)
        )


def _parts(path: str) -> tuple[str, str, str | None]:
    """Split a path into the file, its suffix, and the selection behind a colon, if there is one."""
    for suffix in _SEVERAL_MODELS:
        file, colon, selection = path.partition(f"{suffix}:")
        if colon:
            return file + suffix, suffix, selection
    return path, PurePath(path).suffix, None


_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,100}?encoding\s*=\s*["'](iso-8859-1|iso-8859-15|windows-1252)["']""", re.I)


def _encoding(data: bytes) -> str:
    """Return the encoding of a file: UTF-8, unless a byte order mark or an XML declaration names another."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    declared = _DECLARED.match(data)
    return declared[1].decode() if declared else "utf-8-sig"


def read_text(path: Path) -> str:
    """Return the text of a file; raises `InputError` if it cannot be read or lies outside the permitted folders."""
    folders = os.environ.get(FOLDERS)
    if folders and not any(path.resolve().is_relative_to(Path(one).resolve()) for one in folders.split(os.pathsep)):
        raise InputError(f"{path}: this file lies outside the folders that may be read ({FOLDERS})")
    try:
        data = path.read_bytes()
        return data.decode(_encoding(data))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory, not a file") from None
    except PermissionError:
        raise InputError(f"{path}: no permission to read this file") from None
    except UnicodeDecodeError as error:
        wrong = error.object[error.start]
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: byte 0x{wrong:02X} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
