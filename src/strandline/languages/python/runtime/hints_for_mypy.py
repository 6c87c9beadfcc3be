"""The types of variables as mypy sees them.

Never imported at run time. To mypy a variable of type Any is a type, whatever stands in its brackets, except for
strings, which it takes for forward references: there only Literal works (ADR 22).
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
