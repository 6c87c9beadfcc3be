"""Run command lines in tests, and compare their output."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODELS = Path(__file__).resolve().parent.parent / "checker" / "models"

_CHANGING = re.compile(r"^  (memory|time) .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Answer:
    """The exit code and the output of a command line."""

    code: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        """The JSON object on stdout, which must be all there is."""
        data: dict[str, Any] = json.loads(self.stdout)
        return data

    @property
    def transcript(self) -> str:
        """Return stdout without the parts that differ from run to run."""
        return _CHANGING.sub(r"  \1", self.stdout)
