# mypy: ignore-errors
"""What pyright takes `Range[0, N - 1]` and the other types of variables for: types that hold anything.

Nothing imports this when a program runs. A class with a `__class_getitem__` of its own takes whatever stands in the
brackets; a protocol without members may be assigned anything; what derives from Any may be used as anything (ADR 22).
"""

from __future__ import annotations

from typing import Any, Protocol


class _TakesAnything:
    def __class_getitem__(cls, arguments: Any) -> Any: ...


class Range(_TakesAnything, Any, Protocol): ...  # pyright: ignore


class Enum(_TakesAnything, Any, Protocol): ...  # pyright: ignore


class Array(_TakesAnything, Any, Protocol): ...  # pyright: ignore


class Bag(_TakesAnything, Any, Protocol): ...  # pyright: ignore


class Fifo(_TakesAnything, Any, Protocol): ...  # pyright: ignore


class Set(_TakesAnything, Any, Protocol): ...  # pyright: ignore


class Optional(_TakesAnything, Any, Protocol): ...  # pyright: ignore
