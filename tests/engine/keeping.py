"""Saved states of searches, for tests in which another search continues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from strandline.engine.saving import RestoredState, SavedState


def kept(known: SavedState) -> RestoredState:
    """As if it had been written and read back."""

    def filling(array: np.ndarray[Any, Any]) -> Callable[[np.ndarray[Any, Any]], None]:
        return lambda other: np.copyto(other, array.reshape(-1))

    arrays = {name: array.copy() for name, array in known.arrays.items()}
    return RestoredState(
        {name: (array.dtype.str, array.size, filling(array)) for name, array in arrays.items()},
        {name: list(number) if isinstance(number, tuple) else number for name, number in known.numbers.items()},
    )
