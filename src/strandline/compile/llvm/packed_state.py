"""A packed state inside a function: reads and writes the fields of its words."""

from __future__ import annotations

from collections.abc import Mapping

from strandline.compile.llvm.function import Function
from strandline.model.layout import WORD_BITS, Field, Layout

_PRELOADED_WORDS = 4
"""Most words of a state that is loaded at once; words of larger states are loaded where needed."""


class PackedState:
    """A state as words: the memory at `base`, overlaid with the words changed since.

    For straight-line code only: a changed word is an SSA value of the current path, so take a `copy` before code that
    may be skipped.
    """

    def __init__(self, code: Function, layout: Layout, base: str) -> None:
        self.code = code
        self.layout = layout
        self.base = base
        self.changed: dict[int, str] = {}
        self._loaded: dict[int, str] = {}
        if layout.words <= _PRELOADED_WORDS:
            self._loaded = {word: self._load(word) for word in range(layout.words)}

    def copy(self) -> PackedState:
        reference = object.__new__(PackedState)
        reference.code, reference.layout, reference.base = self.code, self.layout, self.base
        reference.changed, reference._loaded = dict(self.changed), dict(self._loaded)
        return reference

    def _load(self, word: int) -> str:
        pointer = self.code.value(f"getelementptr i64, ptr {self.base}, i64 {word}") if word else self.base
        return self.code.value(f"load i64, ptr {pointer}")

    def word(self, word: int) -> str:
        return self.changed.get(word) or self._loaded.get(word) or self._load(word)

    def keep(self, word: int) -> str:
        """Return the word; load it here unless it is loaded, so that later copies reuse the load.

        Only for code that dominates the copies.
        """
        if word not in self.changed and word not in self._loaded:
            self._loaded[word] = self._load(word)
        return self.word(word)

    def read(self, field: Field, index: int | str = 0) -> str:
        """Return the value of an element as an i64 operand; the index is a number, or an operand within bounds."""
        if field.width == 0:
            return str(field.low)
        if isinstance(index, int):
            word, shift = field.place(index)
            bits = self._extract(self.word(word), str(shift), field)
        else:
            word_index, shift_text = self._split(field, index)
            bits = self._extract(self._chosen_word(field, word_index), shift_text, field)
        return self.code.value(f"add{_overflow_flag(field)} i64 {bits}, {field.low}") if field.low else bits

    def write(self, field: Field, value: str, index: int | str = 0) -> None:
        """Store a value that lies within the field's range."""
        if field.width == 0:
            return
        bits = self.code.value(f"sub{_overflow_flag(field)} i64 {value}, {field.low}") if field.low else value
        if isinstance(index, int):
            word, shift = field.place(index)
            self.changed[word] = self._insert(self.word(word), bits, str(shift), field)
            return
        word_index, shift_text = self._split(field, index)
        written = self._insert(self._chosen_word(field, word_index), bits, shift_text, field)
        if word_index is None:
            self.changed[field.word] = written
            return
        # The word is chosen at run time: a select for each of them keeps its value or takes the new one.
        for number in range(self._words_of(field)):
            hit = self.code.value(f"icmp eq i64 {word_index}, {number}")
            old = self.word(field.word + number)
            self.changed[field.word + number] = self.code.value(f"select i1 {hit}, i64 {written}, i64 {old}")

    def add_to_words(self, amounts: Mapping[int, int]) -> None:
        """Add a number to each of some words: combined additions to fields, none of which leaves its range."""
        for word, amount in amounts.items():
            if amount:
                self.changed[word] = self.code.value(f"add i64 {self.keep(word)}, {wrap_signed(amount)}")

    def _words_of(self, field: Field) -> int:
        return -(-field.variable.slots // field.per_word)

    def _split(self, field: Field, index: str) -> tuple[str | None, str]:
        """Return the relative word (None if there is only one) and shift of an element with a computed index."""
        code = self.code
        word_index = None
        if self._words_of(field) > 1:
            word_index = code.value(f"udiv i64 {index}, {field.per_word}")
            index = code.value(f"urem i64 {index}, {field.per_word}")
        shift = code.value(f"mul nuw i64 {index}, {field.width}") if field.width > 1 else index
        return word_index, code.value(f"add nuw i64 {shift}, {field.shift}") if field.shift else shift

    def _chosen_word(self, field: Field, word_index: str | None) -> str:
        code = self.code
        if word_index is None:
            return self.word(field.word)
        words = range(self._words_of(field))
        if not any(field.word + number in self.changed for number in words):
            offset = code.value(f"add nuw i64 {word_index}, {field.word}") if field.word else word_index
            pointer = code.value(f"getelementptr i64, ptr {self.base}, i64 {offset}")
            return code.value(f"load i64, ptr {pointer}")
        chosen = self.word(field.word)
        for number in words[1:]:
            hit = code.value(f"icmp eq i64 {word_index}, {number}")
            chosen = code.value(f"select i1 {hit}, i64 {self.word(field.word + number)}, i64 {chosen}")
        return chosen

    def _extract(self, word: str, shift: str, field: Field) -> str:
        shifted = self.code.value(f"lshr i64 {word}, {shift}") if shift != "0" else word
        return self.code.value(f"and i64 {shifted}, {field.mask}")

    def _insert(self, word: str, bits: str, shift: str, field: Field) -> str:
        code = self.code
        # A constant that is no shift comes from an index that has faulted: dead code, but it must be well-formed.
        if shift.isdigit() and int(shift) < WORD_BITS:
            kept = code.value(f"and i64 {word}, {~(field.mask << int(shift))}")
            placed = code.value(f"shl i64 {bits}, {shift}") if shift != "0" else bits
        else:
            mask = code.value(f"shl i64 {field.mask}, {shift}")
            inverted = code.value(f"xor i64 {mask}, -1")
            kept = code.value(f"and i64 {word}, {inverted}")
            placed = code.value(f"shl i64 {bits}, {shift}")
        return code.value(f"or i64 {kept}, {placed}")


def wrap_signed(amount: int) -> int:
    """Return a number modulo 2^64, as LLVM writes it."""
    return (amount + (1 << 63)) % (1 << 64) - (1 << 63)


def _overflow_flag(field: Field) -> str:
    """Return the no-overflow flag for adding the bias, which may overflow if the field fills its word."""
    return " nsw" if field.width < WORD_BITS else ""
