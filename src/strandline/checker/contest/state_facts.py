"""An observer that collects facts about all explored states: largest sums, variables that change.

It works on blocks of packed states, bit by bit instead of field by field: a sum of fields is the number of their lowest
bits that are set, plus twice that of their second bits, and so on. So a sum costs a few operations per word, however
many fields it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from strandline.engine.runtime.memory import WordArray
from strandline.model.expression import Expression, Read
from strandline.model.layout import Field, Layout
from strandline.model.system import Variable

Integers = npt.NDArray[np.int64]


class Gathering:
    """An observer that collects the largest values of sums, and the variables that ever differ from the initial state.

    With `tokens`, also the largest value of any variable, and of the sum of all variables.
    """

    layers = False
    held_words = 0

    def __init__(
        self,
        layout: Layout,
        initial: WordArray,
        *,
        sums: Sequence[Sequence[Variable]] = (),
        tokens: bool = False,
    ) -> None:
        self.layout = layout
        self._initial = initial.copy()
        self._changed = np.zeros(layout.words, dtype=np.uint64)
        self._sums = [_Sum(layout, variables) for variables in sums]
        self._largest: list[int | None] = [None] * len(self._sums)
        self._total = _Sum(layout, [field.variable for field in layout.fields]) if tokens else None
        self._most_in_all = self._most_in_one = 0

    def layer_finished(self, column: int, layer: int) -> None:
        return None

    def expanded(self, states: WordArray) -> None:
        """Update the facts with a block of expanded states, one packed state per row."""
        # Column by column: one word of all states at a time.
        words = np.ascontiguousarray(states[:, : self.layout.words].T)
        self._changed |= np.bitwise_or.reduce(words ^ self._initial[:, np.newaxis], axis=1)
        for number, one in enumerate(self._sums):
            found, known = int(one.of(words).max()), self._largest[number]
            self._largest[number] = found if known is None else max(known, found)
        if self._total is not None:
            self._most_in_all = max(self._most_in_all, int(self._total.of(words).max()))
            self._update_largest(words)

    def largest(self, number: int) -> int:
        """Return the largest value of the sum with this number; at least one state must have been observed."""
        found = self._largest[number]
        assert found is not None, "a search expands the initial states"
        return found

    @property
    def most_in_all(self) -> int:
        """Return the largest value of the sum of all variables in one state."""
        return self._most_in_all

    @property
    def most_in_one(self) -> int:
        """Return the largest value of any single variable."""
        return self._most_in_one

    def constant_variables(self) -> list[Variable]:
        """Return the variables that have their initial value in all observed states."""
        return [one.variable for one in self.layout.fields if not _bits_of(one, self._changed)]

    def _update_largest(self, words: WordArray) -> None:
        together = np.bitwise_or.reduce(words, axis=1)
        for one in self.layout.fields:
            # The bitwise OR of all values is an upper bound of each.
            if _bits_of(one, together) + one.low > self._most_in_one:
                columns = (_column(words, one, index) for index in range(one.variable.slots))
                self._most_in_one = max(self._most_in_one, *(int(column.max()) + one.low for column in columns))


class _Sum:
    """A sum of variables, with all elements of arrays, over packed states.

    `masks` maps each pair of a word's index and a weight to the mask of the bits that count with this weight.
    """

    def __init__(self, layout: Layout, variables: Iterable[Variable]) -> None:
        self.constant = 0
        masks: dict[tuple[int, int], int] = {}
        for variable, times in Counter(variables).items():
            field = layout.by_variable[variable]
            self.constant += times * field.low * variable.slots
            for word, shift in map(field.place, range(variable.slots)):
                for bit in range(field.width):
                    key = word, times << bit
                    masks[key] = masks.get(key, 0) | 1 << (shift + bit)
        self.masks: Mapping[tuple[int, int], np.uint64] = {key: np.uint64(mask) for key, mask in masks.items()}

    def of(self, words: WordArray) -> Integers:
        total = np.full(words.shape[1], self.constant, dtype=np.int64)
        for (word, weight), mask in self.masks.items():
            counted = np.bitwise_count(words[word] & mask)
            total += counted if weight == 1 else weight * counted.astype(np.int64)
        return total


def variables_in_sum(expression: Expression) -> list[Variable] | None:
    """Return the variables that an expression adds up; None if it is no sum of variables."""
    found: list[Variable] = []
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Read):
            found.append(node.variable)
        elif getattr(node, "operator", None) == "+":
            waiting += [node.left, node.right]  # type: ignore[union-attr]
        else:
            return None
    return found


def _bits_of(field: Field, words: WordArray) -> int:
    """Return the bits of all elements of a variable in a packed state, combined by bitwise OR."""
    bits = 0
    for index in range(field.variable.slots):
        word, shift = field.place(index)
        bits |= int(words[word]) >> shift & field.mask
    return bits


def _column(words: WordArray, field: Field, index: int = 0) -> Integers:
    """Return the bits of one element of a variable in each state; `words` has a row for each word of the states."""
    word, shift = field.place(index)
    column: WordArray = words[word]
    return (column >> np.uint64(shift) & np.uint64(field.mask)).astype(np.int64)
