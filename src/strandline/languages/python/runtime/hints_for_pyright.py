# mypy: ignore-errors
"""Type hints that pyright sees instead of the real types of model variables: types that hold anything.

Never imported at run time. A class with a `__class_getitem__` of its own accepts anything in its brackets; a protocol
without members can be assigned anything; a subclass of Any can be used as anything (ADR 22).
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
