"""What mypy takes `Range[0, N - 1]` and the other types of variables for.

Nothing imports this when a program runs. To mypy a variable of type Any is a type, whatever stands in brackets behind
it, but not where names are listed as texts, which it takes for types to come: there only Literal will do (ADR 22).
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
