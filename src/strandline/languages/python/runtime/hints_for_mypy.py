"""Type hints that mypy sees instead of the real types of model variables.

Never imported at run time. mypy takes a variable of type Any for a type, whatever stands in its brackets, but looks up
strings in them as forward references: there only Literal works (ADR 22).
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
