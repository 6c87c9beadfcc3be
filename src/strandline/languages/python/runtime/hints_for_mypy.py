"""Type hints that mypy sees instead of the real types of model variables.

Never imported at run time. mypy accepts a variable of type Any as a type, with any contents of its brackets, but looks
up strings in them as forward references; so `Enum` is `Literal` here (ADR 22).
"""

from __future__ import annotations

from typing import Any
from typing import Literal as Enum

Array: Any
Bag: Any
Fifo: Any
Optional: Any
Range: Any
Set: Any

__all__ = ["Array", "Bag", "Enum", "Fifo", "Optional", "Range", "Set"]
