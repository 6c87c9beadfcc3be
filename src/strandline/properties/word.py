"""Ultimately periodic words: a finite prefix followed by a loop that repeats for ever."""

from __future__ import annotations

from dataclasses import dataclass

Letter = frozenset[str]
"""The atomic propositions that hold at one moment; all others do not."""


@dataclass(frozen=True, slots=True)
class LassoWord:
    """The word that is `prefix` followed by infinitely many repetitions of the non-empty `loop`."""

    prefix: tuple[Letter, ...]
    loop: tuple[Letter, ...]

    def __post_init__(self) -> None:
        if not self.loop:
            raise ValueError("a lasso word needs a loop of at least one letter")

    @property
    def letters(self) -> tuple[Letter, ...]:
        """The letters of prefix and loop."""
        return self.prefix + self.loop

    def successor(self, position: int) -> int:
        """Return the next position in `letters`; the last one leads back to the start of the loop."""
        return position + 1 if position + 1 < len(self.prefix) + len(self.loop) else len(self.prefix)

    def reduce(self) -> LassoWord:
        """Return the same infinite word with the shortest loop and the shortest prefix."""
        loop = self.loop
        for length in range(1, len(loop)):
            if len(loop) % length == 0 and loop[:length] * (len(loop) // length) == loop:
                loop = loop[:length]
                break
        prefix = self.prefix
        while prefix and prefix[-1] == loop[-1]:
            prefix, loop = prefix[:-1], (loop[-1], *loop[:-1])
        return LassoWord(prefix, loop)

    def __str__(self) -> str:
        parts = [_letter_text(letter) for letter in self.prefix]
        loop = "; ".join(_letter_text(letter) for letter in self.loop)
        return "; ".join([*parts, f"cycle{{{loop}}}"])


def _letter_text(letter: Letter) -> str:
    return " && ".join(sorted(letter)) if letter else "none"
