"""Random Python models of the whole subset, as text.

Most values are tamed by `%`, so that models run on; some are not, so that every kind of fault occurs.
"""

from __future__ import annotations

import linecache
from itertools import count
from random import Random
from typing import Any

from hypothesis import strategies as st

import strandline

_FRAME = """
class Pair(Record):
    a: Range[0, 2]
    b: bool

def helper(m, v, w=1):
{helper}

def found(m, v):
    for i, w in enumerate(m.arr):
        if w == v:
            return i
    return None

def first(m, v):
    for w in m.s:
        if w > v:
            return w
        for u in m.q:
            if u == w:
                return u - v
            if u > 1:
                break
        else:
            v += 1
    return v

class Random(Model):
    N = param(2)
    x: Range[0, 3] = 1
    y: Range[-2, 2]
    f: bool
    e: Enum["a", "b", "c"]
    o: Optional[Range[1, 2]]
    u: Optional[Range[-1, 1]]
    g: Optional[Pair]
    arr: Array[Range[0, 3], N + 1]
    flags: Array[bool, N] = [True, False]
    bag: Bag[Range[1, 3], N]
    some: Bag[Optional[Range[0, 2]], N] = [None]
    q: Fifo[Range[0, 2], N]
    s: Set[Range[0, 3]] = [1]
    r: Pair
    t: Pair = Pair(1, True)
    mail: Array[Bag[Pair, 1], N]

    class P(Process, count=N):
        pc: Enum["here", "there"]
        k: Range[0, N]
{process}
{actions}
{extra}
    @invariant
    def claim(m):
        return {claim}

    @measure
    def rate(m):
        return {rate}
"""
_EXTRA = """
    @initial
    def start(m, v: Range[0, 1], w: bool):
        m.x = v
        m.f = w
        require(v == 0 or w)
"""
NAMES = {
    name: getattr(strandline, name)
    for name in strandline.__all__
    if getattr(strandline, name).__module__.startswith("strandline.languages.python")
}
_numbers = count()


class Writer:
    """Writes one model."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.locals: list[str] = []
        self.loops = 0

    def pick(self, *items: Any) -> Any:
        return items[self.random.randint(0, len(items) - 1)]

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # Expressions

    def number(self, depth: int = 2) -> str:
        if depth <= 0 or self.chance(0.3):
            leaves = ["0", "1", "2", "3", "-1", "m.x", "m.y", "m.x", "m.r.a", "m.P[0].k", "m.P[1].k", "m.N"]
            return str(self.pick(*leaves, *self.locals, *self.locals))
        one, two = self.number(depth - 1), self.number(depth - 1)
        return str(
            self.pick(
                f"({one} + {two})",
                f"({one} - {two})",
                f"({one} * {two})",
                f"({one} // {self.pick(two, '2')})",
                f"({one} % {self.pick(two, '3', '4')})",
                f"m.arr[{self.index(depth - 1, 3)}]",
                f"({one} if {self.condition(depth - 1)} else {two})",
                f"min({one}, {two})",
                f"max({one}, 1, {two})",
                f"abs({one})",
                f"len(m.{self.pick('bag', 'q', 's', 'arr')})",
                f"sum(m.arr[i] for i in range({self.pick('m.N', '3')}) if i != {one})",
                f"count(v == {one} for v in m.arr)",
                f"m.{self.pick('bag', 'q')}.count({one})",
                f"m.P[{self.index(0, 2)}].k",
                f"helper(m, {one})",
                f"int({self.condition(depth - 1)})",
                f"({self.pick('m.o', 'm.u', self.perhaps(depth - 1))} + 1)",
                "m.g.a",
                f"(2, 0, {one})[{two} % 3]",
                f"min((v for v in m.arr if v > {one}), default={two})",
                f"sum(i * v for i, v in {self.pick('enumerate(m.arr)', 'zip(m.arr, reversed(m.arr))')})",
                "m.q.head",
                *self.sums(one, two),
            )
        )

    def sums(self, one: str, two: str) -> list[str]:
        """Numbers out of what containers hold."""
        held, pairs = self.pick("m.bag", "m.q", "m.s"), f"m.mail[{self.index(0, 2)}]"
        return [
            f"sum(v for v in {held} if v != {one})",
            f"sum(v * w for v in {held} for w in {self.pick('m.q', 'm.bag', 'm.arr')})",
            f"sum(p.a for p in {pairs}{self.pick('', ' if p.b')})",
            f"sum({held})",
            f"len([v for v in {held} if v > {one}])",
            f"len({{v % 2 for v in {held}}})",
            f"max({held}, default={two})",
            f"min((v * 2 for v in {held} if v < {one}), default={two})",
            f"count(v == {one} for v in {held})",
            f"next((v for v in {held} if v > {one}), {two})",
            f"sum(i - v for i, v in enumerate({self.pick('m.bag', 'm.q', 'm.arr')}, 1))",
            f"sum(v // w for v, w in zip({self.pick('m.bag', 'm.q')}, {self.pick('m.arr', 'm.bag')}))",
            f"first(m, {one})",
        ]

    def optional(self, depth: int = 1) -> str:
        return str(self.pick("None", self.number(depth), self.perhaps(depth), self.perhaps(depth), self.perhaps(depth)))

    def perhaps(self, depth: int) -> str:
        if depth <= 0:
            return str(self.pick("m.o", "m.u", f"found(m, {self.number(0)})"))
        inner = self.pick(self.number(depth - 1), f"{self.number(depth - 1)} % 3")
        return str(
            self.pick(
                "m.o",
                "m.u",
                f"({inner} if {self.condition(depth - 1)} else None)",
                f"(None if {self.condition(depth - 1)} else m.{self.pick('o', 'u')})",
                f"found(m, {inner})",
                f"next((v for v in m.arr if v < {inner}), None)",
            )
        )

    def index(self, depth: int, size: int) -> str:
        if self.chance(0.4):
            return str(self.random.randint(0, size - 1))
        inner = self.number(depth)
        return inner if self.chance(0.15) else f"{inner} % {size}"

    def condition(self, depth: int = 2) -> str:
        if depth <= 0 or self.chance(0.2):
            return str(self.pick("m.f", "m.flags[0]", "m.flags[1]", 'm.e == "a"', "m.o is None", "m.r.b", "m.q.empty"))
        one, two = self.number(depth - 1), self.number(depth - 1)
        first, second = self.condition(depth - 1), self.condition(depth - 1)
        comparison = self.pick("==", "!=", "<", "<=", ">", ">=")
        return str(
            self.pick(
                f"{one} {comparison} {two}",
                f"{one} {comparison} {two}",
                f"0 <= {one} {self.pick('<', '<=')} {two}",
                f"({first} and {second})",
                f"({first} or {second})",
                f"(not {first})",
                f"{one} {self.pick('in', 'not in')} m.{self.pick('bag', 'q', 's', 'arr')}",
                f"{one} in (0, 2)",
                f"m.e {self.pick('==', '!=')} {self.name()}",
                f"m.o == {one}",
                f"{self.optional(0)} {self.pick('==', '!=')} {self.optional(0)}",
                f"{self.perhaps(depth - 1)} {self.pick('is', 'is not')} None",
                f"{self.optional(0)} in m.{self.pick('some', 'bag', 's', 'arr')}",
                f"m.g {self.pick('==', '!=')} {self.pick('m.r', 'None', 'm.g')}",
                f"all(v <= w for v, w in zip(m.arr, ({one}, {two})))",
                f"any(v > {one} for v in m.arr)",
                f"all(p.k <= {one} for p in m.P)",
                f"m.r == Pair({self.tamed(3)}, {first})",
                f"Pair({self.tamed(3)}, {first}) in m.mail[{self.index(0, 2)}]",
                f"m.{self.pick('bag', 'q')}.{self.pick('full', 'empty')}",
                f'm.P[{self.index(0, 2)}].pc == "there"',
                f"{self.pick('any', 'all')}(v {comparison} {one} for v in m.{self.pick('bag', 'q', 's', 'some')})",
                f"{self.pick('any', 'all')}(p.b or p.a == {one} for p in m.mail[{self.index(0, 2)}])",
                f"any(v == w for v in m.{self.pick('bag', 'q')} for w in m.s if w != {one})",
                f"{one} {self.pick('in', 'not in')} [v + 1 for v in m.{self.pick('bag', 'q')} if v != {two}]",
            )
        )

    def name(self) -> str:
        return str(self.pick('"a"', '"b"', '"c"', f'("a" if {self.condition(0)} else "c")', "m.e"))

    def tamed(self, size: int, low: int = 0) -> str:
        inner = self.number(1)
        return inner if self.chance(0.12) else f"{inner} % {size}" + (f" + {low}" if low else "")

    # Statements

    def body(self, indent: int, depth: int, least: int = 1) -> list[str]:
        lines: list[str] = []
        kept = list(self.locals)
        for _ in range(self.random.randint(least, 2 if indent > 3 else 3)):
            lines += self.statement(indent, depth)
        self.locals = kept
        return lines

    def statement(self, indent: int, depth: int) -> list[str]:
        pad = "    " * indent
        if depth > 0 and self.chance(0.35):
            return self.compound(indent, depth)
        if self.chance(0.15):
            local = f"v{len(self.locals)}"
            line = f"{pad}{local} = {self.number()}"
            self.locals.append(local)
            return [line]
        if self.chance(0.1):
            local = f"v{len(self.locals)}"
            line = f"{pad}{local} = {self.perhaps(2)}"
            self.locals.append(self.pick(local, f"({local} if {local} is not None else 2)"))
            return [line]
        if self.chance(0.06):
            local = f"v{len(self.locals)}"
            record = self.pick("m.r", "m.t", "(m.r if m.f else m.t)")
            self.locals.append(f"{local}.a")
            return [f"{pad}{local} = {record}"]
        text = self.pick(
            f"m.x = {self.tamed(4)}",
            f"m.x = {self.tamed(4)}",
            f"m.y {self.pick('+=', '-=')} {self.tamed(2)}",
            f"m.y = {self.tamed(5)} - 2" if self.chance(0.7) else f"m.y = {self.number(1)}",
            f"m.f = {self.condition()}",
            f"m.e = {self.name()}",
            f"m.o = {self.pick('None', self.tamed(2, 1))}",
            f"m.{self.pick('o', 'u')} = {self.optional()}",
            f"m.g = {self.pick('None', 'm.r', f'(m.r if {self.condition(1)} else None)')}",
            f"m.g = Pair({self.tamed(3)}, {self.condition(1)})",
            "m.r = m.g",
            f"m.some.{self.pick('put', 'take')}({self.optional()})",
            f"m.x = ({self.number(1)} + m.q.get()) % 4",
            f"m.arr = [{self.pick('v', 'v + 1', '(v + m.x) % 4')} for v in {self.pick('m.arr', 'reversed(m.arr)')}]",
            f"m.arr = [m.x, {self.tamed(4)}, m.arr[0]]",
            f"m.arr[{self.index(1, 3)}] = {self.tamed(4)}",
            f"m.arr[{self.index(1, 3)}] {self.pick('+=', '-=')} 1",
            f"m.flags[{self.index(1, 2)}] = {self.condition()}",
            f"m.bag.put({self.tamed(3, 1)})",
            f"m.bag.take({self.tamed(3, 1)})",
            f"m.q.put({self.tamed(3)})",
            "m.x = m.q.get()",
            f"m.s.{self.pick('add', 'discard', 'remove')}({self.tamed(4)})",
            f"m.{self.pick('bag', 'q', 's')}.clear()",
            f"m.r = Pair({self.tamed(3)}, {self.condition(1)})",
            f"m.r.a = {self.tamed(3)}",
            f"m.mail[{self.index(0, 2)}].put({self.pick('m.r', f'Pair({self.tamed(3)}, m.f)')})",
            f"m.mail[{self.index(0, 2)}].take(m.r)",
            f"m.P[{self.index(1, 2)}].k = {self.tamed(3)}",
            "m.x, m.arr[0] = m.arr[0], m.x",
            "m.r, m.t = m.t, m.r",
            self.pick("m.t = m.r", "m.r = m.t", "m.t.a, m.r = m.x % 3, m.t"),
            f"m.arr[m.x % 3], m.arr[{self.index(1, 3)}] = m.arr[{self.index(1, 3)}], m.arr[m.x % 3]",
            "m.arr[0], m.arr[1] = m.arr[1], m.arr[0]",
            "m.arr = [1, m.x, 0]",
            f"require({self.condition()})",
            f"require({self.condition()})",
            f"m.bag = [v for v in m.{self.pick('bag', 'bag', 'q')} if v != {self.number(1)}]",
            f"m.q = [{self.pick('v', 'v', '2 - v')} for v in m.{self.pick('q', 'q', 's')} if {self.condition(1)}]",
            self.pick("m.s = [v for v in m.q]", "m.q = list(m.s)", "m.bag = []", "m.s = []"),
            f"m.mail[{self.index(0, 2)}] = [p for p in m.mail[{self.index(0, 2)}] if not p.b]",
        )
        return [pad + text]

    def compound(self, indent: int, depth: int) -> list[str]:
        pad = "    " * indent
        if self.chance(0.3):
            variable = f"i{self.loops}"
            self.loops += 1
            over = self.pick("range(2)", "range(1, m.N + 1)", "(0, 2)", "m.arr", "m.arr", "reversed(m.arr)")
            kept = list(self.locals)
            self.locals.append(variable)
            lines = [f"{pad}for {variable} in {over}:"]
            if self.chance(0.3):
                second = f"{variable}b"
                self.locals.append(second)
                over = self.pick("enumerate(m.arr)", "zip(m.arr, range(2))", "zip(reversed(m.P), m.arr)")
                lines = [f"{pad}for {variable}, {second} in {over}:"]
            if self.chance(0.4):
                self.locals = list(kept)
                lines = self.over_containers(pad, variable)
            if self.chance(0.3):
                way = self.pick("break", "break", "continue", "continue", "return")
                lines += [f"{pad}    if {self.condition()}:", f"{pad}        {way}"]
            lines += self.body(indent + 1, depth - 1)
            self.locals = kept
            if self.chance(0.1):
                lines += [f"{pad}else:", f"{pad}    m.f = not m.f"]
            return lines
        lines = [f"{pad}if {self.condition()}:", *self.body(indent + 1, depth - 1)]
        if self.chance(0.3):
            lines += [f"{pad}elif {self.condition()}:", *self.body(indent + 1, depth - 1)]
        if self.chance(0.15):
            lines += [f"{pad}    return"]
        if self.chance(0.4):
            lines += [f"{pad}else:", *self.body(indent + 1, depth - 1)]
        return lines

    def over_containers(self, pad: str, variable: str) -> list[str]:
        """The head of a loop over what a container holds."""
        held = self.pick("m.bag", "m.bag", "m.q", "m.q", "m.s", "reversed(m.q)", "[v for v in m.q if v != m.x]")
        if self.chance(0.2):
            head = f"{pad}for {variable} in m.mail[{self.index(0, 2)}]:"
            self.locals += [f"{variable}.a", f"int({variable}.b)"]
            return [head]
        self.locals.append(variable)
        if self.chance(0.2):
            self.locals.append(f"{variable}b")
            over = self.pick("enumerate(m.q)", "zip(m.bag, m.q)", "zip(m.q, m.arr)", "enumerate(m.bag, 1)")
            return [f"{pad}for {variable}, {variable}b in {over}:"]
        return [f"{pad}for {variable} in {held}:"]

    # Models

    def helper(self) -> str:
        self.locals = ["v", "w"]
        lines = [f"    if {self.condition(1)}:", f"        return {self.plain()}"]
        if self.chance(0.5):
            lines += ["    for i in range(2):", f"        if {self.condition(0)} or i == v:"]
            lines += [f"            return {self.plain()} + i"]
        self.locals = []
        text = "\n".join([*lines, f"    return {self.pick('v', 'w', 'v - w', 'm.x')}"])
        return text.replace("helper(m, ", "abs(").replace("m.q.head", "1")

    def plain(self) -> str:
        return str(self.pick("v", "m.x", "w + 1", "len(m.bag)", "m.arr[v % 3]"))

    def action(self, number: int, process: bool) -> str:
        indent = "        " if process else "    "
        parameters = ["m", "me"] if process else ["m"]
        self.locals = ["me"] if process else []
        if self.chance(0.4):
            domain = self.pick('any_of("bag")', "Range[0, 2]", 'any_of("q")', 'any_of("s")', 'any_of("P")')
            parameters.append(f"d: {domain}")
            self.locals.append("d")
        elif self.chance(0.2):
            parameters.append('d: any_of("mail[1]")')
            self.locals.append("d.a")
        arguments = ""
        if process:
            here = self.pick("", 'at="here"', 'at=("here", "there")')
            there = self.pick("", 'to="there"', 'to="here"')
            arguments = f"({', '.join(part for part in (here, there) if part)})"
        lines = [f"{indent}@action{arguments}", f"{indent}def step{number}({', '.join(parameters)}):"]
        lines += self.body(len(indent) // 4 + 1, self.pick(1, 1, 2))
        if process and self.chance(0.15):
            # Where the action has a `to`, which comes after it, `me.pc = ...` is refused.
            place = "m.P[me].pc" if "to=" in arguments else "me.pc"
            lines.append(f"{indent}    {place} = {self.pick('me.pc', chr(34) + 'here' + chr(34))}")
        return "\n".join(lines)

    def model(self) -> str:
        helper = self.helper()
        process = self.action(0, True)
        actions = "\n".join(self.action(10 + number, False) for number in range(self.random.randint(1, 2)))
        self.locals = []
        return _FRAME.format(
            helper=helper,
            process=process,
            actions=actions,
            extra=_EXTRA if self.chance(0.3) else "",
            claim=self.condition().replace("m.q.head", "1"),
            rate=self.number().replace("m.q.head", "1"),
        )


def define(text: str, name: str = "Random") -> Any:
    """Execute the text of a model as a file would be; the class of this name."""
    filename = f"<random model {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    names: dict[str, Any] = dict(NAMES, __name__="random_model")
    exec(compile(text, filename, "exec", dont_inherit=True), names)
    return names[name]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Texts of random models."""
    return Writer(draw(st.randoms(use_true_random=False))).model()
