"""Build the text of one LLVM IR function.

Building the same IR through an object model takes more than ten times as long. Only target-neutral IR is written: no
host intrinsics beyond checked arithmetic and memcpy.
"""

from __future__ import annotations

from collections.abc import Iterable

COMPARE = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
CHECKED = {"+": "sadd", "-": "ssub", "*": "smul"}
"""LLVM's names of comparisons, and of operations that report overflow."""


_ALWAYS_ANEW = ("phi ", "load ", "call ", "alloca ")
"""Instructions that must not be reused: they have side effects, or their result may change."""


class Function:
    """The text of one function.

    `value` names an instruction's result; blocks are started explicitly. An instruction is written once in a block and
    in blocks that it dominates: `value` returns the known name of a repeated instruction. Expressions share most of
    their parts, and LLVM takes longest to find such repetitions itself.
    """

    def __init__(self, header: str) -> None:
        self._lines = [f"{header} {{", "entry:"]
        self._count = 0
        self.block = "entry"
        self.known: dict[str, str] = {}
        """The instructions that dominate this point, and the names of their results."""

    def value(self, instruction: str) -> str:
        known = self.known.get(instruction)
        if known is not None:
            return known
        self._count += 1
        name = f"%t{self._count}"
        self._lines.append(f"  {name} = {instruction}")
        if not instruction.startswith(_ALWAYS_ANEW):
            self.known[instruction] = name
        return name

    def do(self, instruction: str) -> None:
        self._lines.append(f"  {instruction}")

    def label(self) -> str:
        self._count += 1
        return f"b{self._count}"

    def start(self, label: str, known: dict[str, str] | None = None) -> None:
        """Begin a block; `known` are the instructions of a block that dominates it."""
        self._lines.append(f"{label}:")
        self.block = label
        self.known = {} if known is None else dict(known)

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        self.do(f"br i1 {condition}, label %{yes}, label %{no}")

    def switch(self, value: str, default: str, cases: list[tuple[int, str]]) -> None:
        listed = " ".join(f"i64 {number}, label %{label}" for number, label in cases)
        self.do(f"switch i64 {value}, label %{default} [{listed}]")

    def member(self, value: str, members: Iterable[int]) -> str:
        """Return an i1 operand that is true if a value is one of some numbers."""
        result = "false"
        for member in sorted(members):
            same = self.value(f"icmp eq i64 {value}, {member}")
            result = self.value(f"or i1 {result}, {same}")
        return result

    def call(self, called: str) -> None:
        """Call one of our functions and return its fault code, if it reports one."""
        result = self.value(f"call i64 {called}")
        faulty = self.value(f"icmp slt i64 {result}, 0")
        leave, proceed, known = self.label(), self.label(), self.known
        self.branch(faulty, leave, proceed)
        self.start(leave)
        self.do(f"ret i64 {result}")
        self.start(proceed, known)

    def text(self) -> str:
        return "\n".join([*self._lines, "}"])


def floor_division(code: Function, operator: str, left: str, right: str) -> str:
    """Return `//` or `mod` of operands for which the machine's division does not trap."""
    rest = code.value(f"srem i64 {left}, {right}")
    nonzero = code.value(f"icmp ne i64 {rest}, 0")
    signs = code.value(f"xor i64 {rest}, {right}")
    opposite = code.value(f"icmp slt i64 {signs}, 0")
    adjust = code.value(f"and i1 {nonzero}, {opposite}")
    if operator == "mod":
        raised = code.value(f"add i64 {rest}, {right}")
        return code.value(f"select i1 {adjust}, i64 {raised}, i64 {rest}")
    quotient = code.value(f"sdiv i64 {left}, {right}")
    lowered = code.value(f"sub i64 {quotient}, 1")
    return code.value(f"select i1 {adjust}, i64 {lowered}, i64 {quotient}")
