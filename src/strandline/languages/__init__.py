"""Texts to Systems, one package per language; `symbolic_execution` executes steps that are programs, for any of them.

What comes in: a file. What goes out: a `System`. Imports `strandline.model`, never a package further down.
A new language is a module with `load(source) -> System`, whose System carries a `Scope` of the language's own, and one
line in `LANGUAGES`; the module is imported when a file of its kind is first opened.
"""

from __future__ import annotations

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
    ".pnml": "strandline.languages.petri.pnml",
    ".psl": "strandline.languages.process",
    ".py": "strandline.languages.python",
    ".ss": "strandline.languages.space",
}
"""Which module reads the files with a suffix."""


class Language(Protocol):
    """What a module in `LANGUAGES` offers. One whose models have parameters has `load_with` besides."""

    def load(self, source: Source) -> System:
        """The System that a text means, or an `InputError` with the place of the mistake."""


class WithParameters(Protocol):
    """What a language offers whose models have parameters."""

    def load_with(self, source: Source, given: Given) -> System:
        """As `load`, with these values; raises `UsageError` for a name that the model does not have."""


def load(path: str | Path, parameters: Given | None = None) -> System:
    """The System in a file; its suffix says in which language it is written. In `file.py:Name` the part behind
    the colon picks one of several models. `parameters` are values for what the model leaves open: parameters of a
    Python model, constants of others.

    Raises `UsageError` for an unknown suffix and `InputError` for a file that cannot be read or understood.
    """
    file, colon, selection = str(path).partition(".py:")
    if colon:
        from strandline.languages import python

        return python.load(Source(f"{file}.py", read_text(Path(f"{file}.py"))), selection, parameters or {})
    suffix = PurePath(path).suffix
    if suffix not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        ending = f"the suffix '{suffix}' is unknown" if suffix else "the file name has no suffix"
        raise UsageError(f"{path}: cannot tell the language: {ending} (known: {known})")
    source, language = Source(str(path), read_text(Path(path))), _language(suffix)
    if parameters and not hasattr(language, "load_with"):
        raise UsageError(f"{path}: {suffix} files have no parameters: '{next(iter(parameters))}' cannot be given")
    with without_collecting():
        return cast(WithParameters, language).load_with(source, parameters) if parameters else language.load(source)


def _language(suffix: str) -> Language:
    return cast(Language, import_module(LANGUAGES[suffix]))


_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,100}?encoding\s*=\s*["'](iso-8859-1|iso-8859-15|windows-1252)["']""", re.I)


def _encoding(data: bytes) -> str:
    """UTF-8, unless a document says of itself that it is written in another of the usual ways."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    declared = _DECLARED.match(data)
    return declared[1].decode() if declared else "utf-8-sig"


def read_text(path: Path) -> str:
    """The text of a file; what prevents reading it is said in one sentence."""
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
