"""Imported first by programs that import Strandline: where it is not installed, they start again in the environment of
the checkout, which the launcher makes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if importlib.util.find_spec("strandline") is None:
    subprocess.run([str(ROOT / "strandline"), "--version"], check=True, stdout=subprocess.DEVNULL)
    python = str(ROOT / ".strandline" / "venv" / "bin" / "python")
    if Path(sys.executable) == Path(python):
        raise ModuleNotFoundError("strandline is not installed in the environment of this checkout")
    os.execv(python, [python, *sys.argv])
