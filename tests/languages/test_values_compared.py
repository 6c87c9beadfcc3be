"""Values are compared by value, in every language: random comparisons over random models have the truth that plain
Python gives them over the reachable states as they are shown."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import strandline
from strandline.languages import load
from strandline.model.system import System

Truth = Callable[[Mapping[str, Any]], bool]
Claim = tuple[str, Truth]
"""A text, and what it means of a state as it is shown."""
ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
EQUAL = {"==": operator.eq, "!=": operator.ne}
SEEDS = range(12)
CLAIMS = 16
WORDS = ["off", "on", "idle", "busy", "x1"]


def compared(sign: str, left: Callable[[Mapping[str, Any]], Any], right: Callable[[Mapping[str, Any]], Any]) -> Truth:
    """A comparison of two values as they are shown: a number and the word for it are the same value."""
    if sign in EQUAL:
        return lambda state: EQUAL[sign](str(left(state)), str(right(state)))
    return lambda state: ORDER[sign](int(left(state)), int(right(state)))


def variable(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda state: state[name]


def value(one: object) -> Callable[[Mapping[str, Any]], Any]:
    return lambda state: one


def either_way(random: Random, left: str, sign: str, right: str) -> str:
    """The same with its sides exchanged, half of the time."""
    if random.random() < 0.5:
        return f"{left} {sign} {right}"
    turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(sign, sign)
    return f"{right} {turned} {left}"


def lotus(random: Random) -> tuple[str, Callable[[], Claim]]:
    """Types of numbers, of words, of both, and ranges; their values overlap."""
    types: dict[str, list[str]] = {}
    for name in ("t", "u", "v"):
        known = random.sample(["3", "5", "7", "0", "-2", *WORDS[:3]], k=random.randint(2, 5))
        types[name] = [one for one in known if one.lstrip("-").isdigit()] or known if random.random() < 0.5 else known
    types["w"] = [str(one) for one in range(random.randint(3, 6))]
    owners = dict(zip("abcd", types, strict=True))
    defined = [f"{name} : {', '.join(values)};" for name, values in types.items() if name != "w"]
    defined.append(f"w : 0..{types['w'][-1]};")

    def equations(count: int) -> str:
        return ", ".join(f"{name}={random.choice(types[owners[name]])}" for name in random.sample("abcd", k=count))

    edges = [f"{equations(random.randint(1, 2))} => {equations(random.randint(1, 3))};" for _ in range(14)]
    text = (
        f"DEFINE {' '.join(defined)} MODULE VAR {' '.join(f'{kind} {name};' for name, kind in owners.items())}\n"
        f"INIT {equations(4)}; {equations(3)}; TRANS {' '.join(edges)}"
    )

    def numeric(name: str) -> bool:
        return all(one.lstrip("-").isdigit() for one in types[owners[name]])

    def claim() -> Claim:
        left = random.choice("abcd")
        sign = random.choice(list(EQUAL))
        if random.random() < 0.5:
            known = random.choice(types[owners[left]])
            truth = compared(sign, variable(left), value(known))
            return either_way(random, left, sign.replace("==", "="), known), truth
        right = random.choice("abcd")
        if numeric(left) and numeric(right):
            sign = random.choice([*EQUAL, *ORDER])
        return f"{left} {sign} {right}", compared(sign, variable(left), variable(right))

    return text, claim


def space(random: Random) -> tuple[str, Callable[[], Claim]]:
    names = random.sample([*map(str, range(9)), "-3", *WORDS], k=7)
    lines = [f"{one} {random.randint(0, 3)} 0 a {random.choice(names)} b {random.choice(names)}" for one in names]

    def claim() -> Claim:
        name, sign = random.choice(names), random.choice(list(EQUAL))
        spelled = name if name.lstrip("-").isdigit() else random.choice([name, repr(name)])
        return either_way(random, "state", sign, spelled), compared(sign, variable("state"), value(name))

    return "\n".join(lines) + "\n", claim


def automaton(random: Random) -> tuple[str, Callable[[], Claim]]:
    count = random.randint(3, 7)
    edges = {(random.randrange(count), random.randrange(count)) for _ in range(8)}
    lines = [f'({source}, "a", {target})' for source, target in sorted(edges)]
    text = "\n".join([f"des ({random.randrange(count)}, {len(lines)}, {count})", *lines])

    def claim() -> Claim:
        number, sign = random.randrange(count), random.choice([*EQUAL, *ORDER])
        if random.random() < 0.3:
            return f"LTS.{number}", compared("==", variable("LTS"), value(number))
        return either_way(random, "LTS", sign, str(number)), compared(sign, variable("LTS"), value(number))

    return text, claim


def processes(random: Random) -> tuple[str, Callable[[], Claim]]:
    last, step, first = random.randint(2, 4), random.randint(1, 3), random.randint(0, 2)
    text = (
        f"process Cell(n: 0..{last}) = up -> Cell((n + {step}) % {last + 1}) | down -> Cell((n + 1) % {last + 1});\n"
        f"system Cell({first});\n"
    )

    def claim() -> Claim:
        number, sign = random.randint(0, last), random.choice(["", "not "])
        shown = compared("==", variable("Cell"), value(f"Cell({number})"))
        return f"{sign}Cell.Cell({number})", (lambda state: not shown(state)) if sign else shown

    return text, claim


def dve(random: Random) -> tuple[str, Callable[[], Claim]]:
    states = random.sample(WORDS, k=4)
    moves = [
        f"{random.choice(states)} -> {random.choice(states)} "
        f"{{ effect {random.choice('xy')} = {random.randint(-3, 3)}; }}"
        for _ in range(9)
    ]
    places = f"state {', '.join(states)}; init {states[0]};"
    text = f"int x = 2, y = -1;\nprocess P {{ {places}\ntrans {', '.join(moves)}; }}\n"

    def claim() -> Claim:
        if random.random() < 0.4:
            place = random.choice(states)
            return f"P.{place}", compared("==", variable("P"), value(place))
        left, sign = random.choice("xy"), random.choice([*EQUAL, *ORDER])
        if random.random() < 0.5:
            return f"{left} {sign} y", compared(sign, variable(left), variable("y"))
        number = random.randint(-3, 3)
        return either_way(random, left, sign, str(number)), compared(sign, variable(left), value(number))

    return text + "system async;\n", claim


def python(random: Random) -> tuple[str, Callable[[], Claim]]:
    kinds = {name: random.sample(["3", "5", *WORDS], k=random.randint(2, 5)) for name in ("a", "b")}
    shared = [one for one in kinds["a"] if one in kinds["b"]]
    kinds["b"] += [] if shared else kinds["a"][:1]
    text = "from strandline import Enum, Model, Optional, Range, action\n\nclass M(Model):\n"
    for name, names in kinds.items():
        text += f"    {name}: Enum[{', '.join(map(repr, names))}]\n"
    text += "    n: Range[-2, 4]\n    o: Optional[Range[-1, 2]]\n"
    for number in range(8):
        field = random.choice("abno")
        new: Any = random.randint(-1, 2)
        new = repr(random.choice(kinds[field])) if field in "ab" else new
        if field == "o" and random.random() < 0.3:
            new = None
        text += f"\n    @action\n    def go{number}(m):\n        m.{field} = {new}\n"

    def claim() -> Claim:
        field, sign = random.choice("abno"), random.choice(list(EQUAL))
        if field in "ab":
            known = random.choice(kinds[field])
            if random.random() < 0.4:
                return f"a {sign} b", compared(sign, variable("a"), variable("b"))
            return either_way(random, field, sign, repr(known)), compared(sign, variable(field), value(known))
        sign = random.choice([*EQUAL, *ORDER]) if field == "n" else sign
        number = random.choice([-1, 0, 1, 2] if field == "n" else [-1, 0, 1, 2, None])
        return either_way(random, field, sign, str(number)), compared(sign, variable(field), value(number))

    return text, claim


def net(random: Random) -> tuple[str, Callable[[], Claim]]:
    marked = [random.randint(0, 3) for _ in "pqr"]
    parts = [f"PLACE p, q, r; MARKING p: {marked[0]}, q: {marked[1]}, r: {marked[2]};"]
    for number in range(4):
        taken, given = random.sample("pqr", k=2)
        parts.append(f"TRANSITION t{number} CONSUME {taken}: {random.randint(1, 2)}; PRODUCE {given}: 1;")

    def claim() -> Claim:
        left, sign = random.choice("pqr"), random.choice([*EQUAL, *ORDER])
        if random.random() < 0.4:
            return f"{left} {sign} q", compared(sign, variable(left), variable("q"))
        number = random.randint(0, 3)
        return either_way(random, left, sign, str(number)), compared(sign, variable(left), value(number))

    return "\n".join(parts), claim


def spin(random: Random) -> tuple[str, Callable[[], Claim]]:
    moves = [
        f":: {random.choice('xy')} = {random.randint(0, 3)}; {random.choice(['at', 'on'])}{number}: skip"
        for number in range(4)
    ]
    text = f"byte x = 2, y;\nactive proctype P() {{ do {' '.join(moves)} od }}\n"

    def claim() -> Claim:
        if random.random() < 0.4:
            name = f"{random.choice(['at', 'on'])}{random.randrange(4)}"
            if f"{name}:" in text:
                return f"P@{name}", compared("==", variable("P"), value(name))
        left, sign = random.choice("xy"), random.choice([*EQUAL, *ORDER])
        if random.random() < 0.5:
            return f"{left} {sign} y", compared(sign, variable(left), variable("y"))
        number = random.randint(0, 3)
        return either_way(random, left, sign, str(number)), compared(sign, variable(left), value(number))

    return text, claim


LANGUAGES = {
    "m.pml": spin,
    "m.lotus": lotus,
    "m.ss": space,
    "m.aut": automaton,
    "m.psl": processes,
    "m.dve": dve,
    "m.py": python,
    "m.lola": net,
}


def drawn(name: str, seed: int, folder: Path) -> tuple[System, list[Claim]]:
    random = Random(f"{name} {seed}")
    text, claim = LANGUAGES[name](random)
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return load(file), [claim() for _ in range(CLAIMS)]


def answers(system: System, **asked: Any) -> Iterator[str]:
    return (one.answer.value for one in strandline.check(system, **asked).properties)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", LANGUAGES)
def test_comparisons_have_the_truth_of_what_is_shown(name: str, seed: int, tmp_path: Path) -> None:
    system, claims = drawn(name, seed, tmp_path)
    graph = strandline.graph(system)
    texts = [text for text, _ in claims]
    somewhere = ["HOLDS" if any(map(truth, graph.states)) else "VIOLATED" for _, truth in claims]
    everywhere = ["HOLDS" if all(map(truth, graph.states)) else "VIOLATED" for _, truth in claims]
    assert list(answers(system, reach=texts)) == somewhere, texts
    assert list(answers(system, invariants=texts)) == everywhere, texts
    assert list(answers(system, ctl=[f"AG ({one})" for one in texts])) == everywhere, texts
    assert list(answers(system, ltl=[f"G ({one})" for one in texts[:4]], sanity=False)) == everywhere[:4], texts


@pytest.mark.parametrize("name", LANGUAGES)
def test_questions_have_the_truth_of_what_is_shown(name: str, tmp_path: Path) -> None:
    """Those that `simulate` and `trace` ask of a state, over the values of the state space."""
    from strandline.compile.interpret import Interpreter

    system, claims = drawn(name, 0, tmp_path)
    interpreter, states = Interpreter(system), strandline.graph(system).states
    for text, truth in claims:
        question = system.scope.question(text)
        for valuation in system.initial:
            shown = next(one for one in states if as_shown(system, valuation, one))
            assert bool(question(partial(lambda at, one: interpreter.evaluate(one, at), valuation))) == truth(shown), (
                text
            )


def as_shown(system: System, valuation: tuple[int, ...], shown: Mapping[str, Any]) -> bool:
    """Whether a state is shown like this; variables that people know under other names are not looked at."""
    pairs = zip(system.variables, valuation, strict=True)
    return all(str(shown[one.name]) == one.show(number) for one, number in pairs if one.name in shown)
