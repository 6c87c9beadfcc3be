"""Structured control flow in a function's text: loops, branches, and variables in memory."""

from __future__ import annotations

from collections.abc import Callable

from strandline.compile.llvm.function import Function

_UNROLLED = 8
"""Words of a set up to which a loop over them is unrolled."""


class Memory:
    """Numbers in stack slots of a function; LLVM promotes single ones to registers."""

    def __init__(self, code: Function) -> None:
        self.code = code

    def number(self) -> str:
        return self.code.value("alloca i64")

    def numbers(self, count: int) -> str:
        return self.code.value(f"alloca [{count} x i64]")

    def load(self, base: str, index: str | int = 0) -> str:
        return self.code.value(f"load i64, ptr {self.at(base, index)}")

    def store(self, value: str | int, base: str, index: str | int = 0) -> None:
        self.code.do(f"store i64 {value}, ptr {self.at(base, index)}")

    def at(self, base: str, index: str | int) -> str:
        return base if index in (0, "0") else self.code.value(f"getelementptr i64, ptr {base}, i64 {index}")

    def add(self, base: str, value: str | int) -> None:
        self.store(self.code.value(f"add i64 {self.load(base)}, {value}"), base)

    def when(self, condition: str, body: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        yes, no, after = (self.code.label() for _ in range(3))
        self.code.branch(condition, yes, no)
        for label, part in ((yes, body), (no, otherwise)):
            self.code.start(label)
            if part is not None:
                part()
            self.code.jump(after)
        self.code.start(after)

    def repeat(self, condition: Callable[[], str], body: Callable[[], None]) -> None:
        """Emit a loop that runs while the condition, evaluated before each iteration, is true."""
        head, inside, after = (self.code.label() for _ in range(3))
        self.code.jump(head)
        self.code.start(head)
        self.code.branch(condition(), inside, after)
        self.code.start(inside)
        body()
        self.code.jump(head)
        self.code.start(after)

    def count(self, counter: str, start: str | int, end: str | int, body: Callable[[str], None]) -> None:
        """Emit a loop from `start` to `end` - 1; the counter is in memory."""
        self.store(start, counter)

        def once() -> None:
            body(self.load(counter))
            self.add(counter, 1)

        self.repeat(lambda: self.code.value(f"icmp ult i64 {self.load(counter)}, {end}"), once)

    def each(self, counter: str, words: int, body: Callable[[str], None]) -> None:
        """Emit the body for each word of a set."""
        if words <= _UNROLLED:
            for number in range(words):
                body(str(number))
        else:
            self.count(counter, 0, words, body)
