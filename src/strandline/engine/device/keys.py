"""Keys: column and layer of a state as one number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.device.layout import FLAG_BITS
from strandline.engine.runtime.memory import WordArray
from strandline.errors import UsageError

_WORD = 1 << 64


@dataclass(frozen=True, slots=True)
class Keys:
    """The bijection between progress and keys: numbers from 0 on, ordered by column and, inside a column, by layer."""

    first_column: int = 0
    first_layer: int = 0
    layers: int = 1
    """Layers per column."""
    count: int = 1

    @property
    def wide(self) -> bool:
        """True if a mark needs more than 32 bits."""
        return self.count > 1 << (32 - FLAG_BITS)

    def key(self, progress: tuple[int, int]) -> int:
        return (progress[0] - self.first_column) * self.layers + progress[1] - self.first_layer

    def progress(self, key: int) -> tuple[int, int]:
        """Return column and layer of a key."""
        return self.first_column + key // self.layers, self.first_layer + key % self.layers

    def plan(self) -> dict[str, int]:
        """Return the fields of the plan that kernels need to compute keys."""
        return {
            "first_column": self.first_column % _WORD,
            "first_layer": self.first_layer % _WORD,
            "layers": self.layers,
        }


def keys_of(kernel: Kernel) -> Keys:
    """Return the keys of a Kernel's states.

    Raises `UsageError` if a key would need too many bits.
    """
    code = kernel.device
    if not kernel.measured or code is None:
        return Keys()
    (first, last), (lowest, highest) = code.columns, code.layers
    layers = highest - lowest + 1
    keys = Keys(first, lowest, layers, (last - first + 1) * layers)
    if keys.count > 1 << (63 - FLAG_BITS):
        raise UsageError(
            "the measure has 2^60 values or more, by the ranges of its variables: too many for a sweep on a device"
        )
    return keys


def roots_of(kernel: Kernel, keys: Keys) -> WordArray:
    """Return the initial states as rows: the words of the state, then its key."""
    progress = kernel.initial_progress.tolist()
    column = np.array([keys.key((one[0], one[1])) for one in progress], dtype=np.uint64).reshape(-1, 1)
    return np.hstack([kernel.initial, column])
