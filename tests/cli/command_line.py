"""What a command line did, as the tests look at it."""

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
    """What a command line did."""

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
        """Stdout without what differs from run to run."""
        return _CHANGING.sub(r"  \1", self.stdout)
