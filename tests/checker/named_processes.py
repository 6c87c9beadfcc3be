"""Systems of like processes that store which of them it is, and what exchanging names makes of their states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from hypothesis import strategies as st

from strandline.analysis.symmetry.detection import Scalarset
from strandline.analysis.symmetry.permutation import Positions, families, permute
from strandline.compile.host import compile_system
from strandline.languages import dve
from strandline.model.system import System
from strandline.source import Source

_GUARDS = (
    "", "owner == @", "owner != @", "owner == NOBODY", "owner == other", "own == @", "own != owner", "own == NOBODY",
    "flag[@] == 0", "owner != NOBODY and flag[owner] == 1", "own != NOBODY and flag[own] == 0", "x == 0", "x < 2",
    "mark[@] == own", "got[@] == 0", "got[owner] == 0", "kept[own] == owner",
)  # fmt: skip
_EFFECTS = (
    "", "owner = @", "owner = NOBODY", "other = owner", "own = owner", "own = @", "owner = own", "own = NOBODY",
    "flag[@] = 1 - flag[@]", "x = (x + 1) % 3", "mark[@] = owner", "own = mark[@], mark[@] = @", "other = own, own = @",
    "got[owner] = 1", "got[@] = 1 - got[@]", "kept[owner] = own", "kept[@] = owner",
)  # fmt: skip

_FLAWS = (
    ("@", "0"), ("@", "1"), ("NOBODY", "@"), ("==", "!="), ("@", "NOBODY"), ("owner", "other"), ("own ==", "other =="),
    ("guard", "guard owner == 1 and"), ("1", "2"), ("= @", "= owner"),
)  # fmt: skip


@st.composite
def named_processes(draw: st.DrawFn, count: int, *, flawed: bool = False) -> System:
    """So many processes of one random kind. Each knows its number `@`; variables and arrays hold such numbers. With
    `flawed` a step of one of them may be another than that of the others."""
    names = ("a", "b")
    place, guard = st.sampled_from(names), st.one_of(st.just(""), st.sampled_from(_GUARDS))
    steps = draw(st.lists(st.tuples(place, place, guard, st.sampled_from(_EFFECTS)), min_size=4, max_size=8))
    nobody = str(count)
    owner = draw(st.sampled_from([0, count]))
    text = f"byte x; byte owner = {owner}; byte other = {count}; byte flag[{count}];\n"
    text += f"byte mark[{count}] = {{{', '.join([nobody] * count)}}};\n"
    kept = ", ".join([nobody] * (count + 1))
    some = st.tuples(st.integers(0, count - 1), st.sampled_from(steps), st.sampled_from(_FLAWS))
    flaw = draw(some) if flawed else None
    for number in range(count):
        texts = [_transition(*one) for one in steps]
        if flaw is not None and flaw[0] == number:
            texts[steps.index(flaw[1])] = texts[steps.index(flaw[1])].replace(*flaw[2])
        told = ", ".join(texts).replace("@", str(number)).replace("NOBODY", str(count))
        text += f"process P{number} {{ byte own = {count}; byte got[{count + 1}]; byte kept[{count + 1}] = {{{kept}}};"
        text += f"state {', '.join(names)}; init a; trans {told}; }}\n"
    return dve.load(Source("named", text + "system async;"))


def _transition(source: str, target: str, guard: str, effect: str) -> str:
    told = (f"guard {guard}; " if guard else "") + (f"effect {effect};" if effect else "")
    return f"{source} -> {target} {{ {told} }}"


def reachable(system: System, most: int) -> list[tuple[int, ...]]:
    """The valuations that the interpreter reaches without a fault, or so many of them."""
    reference = compile_system(system).reference
    seen = set(reference.initial())
    waiting = list(seen)
    while waiting and len(seen) < most:
        targets = {edge.target for edge in reference.edges(waiting.pop())}
        new = [] if None in targets else [target for target in targets if target is not None and target not in seen]
        seen.update(new)
        waiting += new
    return [reference.layout.unpack(state) for state in seen]  # type: ignore[attr-defined]


def orbit_of(valuation: tuple[int, ...], system: System, exchanges: Sequence[Scalarset]) -> tuple[int, ...]:
    """The least of all valuations that exchanging names makes of one."""
    moved = families(exchanges)
    return min(permute(valuation, system.offsets, moved, positions) for positions in _permutations(exchanges))


def _permutations(exchanges: Sequence[Scalarset]) -> Iterator[Positions]:
    return product(*(permutations(range(one.size)) for one in exchanges))
