"""The model that a call of a tool names: a file below a folder, or a text."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from strandline.errors import UsageError, suggestion
from strandline.languages import FOLDERS, LANGUAGES, NO_PYTHON

_LONGEST = 4_000_000
"""Most characters of a model that is given as a text."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model as the command line takes it, and the name that answers show instead of its path."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders from which a process may read: that of the user's models, and that of texts given in calls."""

    root: Path
    texts: Path
    allow_python: bool = False

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that keep a process within the folders."""
        return {
            FOLDERS: os.pathsep.join((str(self.root), str(self.texts))),
            NO_PYTHON: "0" if self.allow_python else "1",
            "NO_COLOR": "1",
        }

    def model(self, path: str, text: str, language: str) -> Model:
        """Return the model of a call: either a path below the root, or a text with its language.

        Raises `UsageError` for both or none, for a path outside the root, and for an unknown language.
        """
        if bool(path) == bool(text):
            raise UsageError("give either 'model', the path of a file, or 'text' together with 'language'")
        return self._of_path(path) if path else self._of_text(text, language)

    def _of_path(self, path: str) -> Model:
        file, colon, selection = path.partition(".py:")
        file = f"{file}.py" if colon else path
        place = (self.root / file).resolve()
        if not place.is_relative_to(self.root):
            raise UsageError(f"'{path}' lies outside the folder of models; paths are relative to it")
        if not place.is_file():
            near = (one.name for one in place.parent.iterdir()) if place.parent.is_dir() else ()
            raise UsageError(f"there is no file '{path}'{suggestion(place.name, near)}")
        return Model(f"{place}:{selection}" if colon else str(place), path)

    def _of_text(self, text: str, language: str) -> Model:
        suffix = f".{language.removeprefix('.')}"
        if suffix not in LANGUAGES:
            known = ", ".join(one[1:] for one in LANGUAGES)
            raise UsageError(f"the language '{language}' is unknown (known: {known})")
        if len(text) > _LONGEST:
            raise UsageError(f"the text has more than {_LONGEST:,} characters")
        file = self.texts / f"model{suffix}"
        number = 1
        while file.exists() and file.read_text("utf-8") != text:
            number += 1
            file = self.texts / f"model{number}{suffix}"
        file.write_text(text, encoding="utf-8")
        return Model(str(file), file.name)
