"""Four systems, each written in Promela and in DVE so that both have the same states and transitions.

Every DVE transition is one Promela statement or one ``d_step``, every DVE state one Promela control point;
processes never end (they block), channels are first-in-first-out buffers whose free places hold zero in both
languages. SPIN must be told not to merge statements (``-o1 -o2 -o3``) and not to reduce (``-DNOREDUCE``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType

from . import election, peterson, philosophers, window


@dataclass(frozen=True, slots=True)
class Pair:
    """One system of one size. ``states`` and ``transitions`` were counted by SPIN."""

    name: str
    title: str
    promela: str
    dve: str
    measure: str
    states: int
    transitions: int


@dataclass(frozen=True, slots=True)
class Size:
    """The parameters of one instance and what SPIN counts for it."""

    parameters: Mapping[str, int]
    states: int
    transitions: int


def size(states: int, transitions: int, **parameters: int) -> Size:
    return Size(MappingProxyType(parameters), states, transitions)


GENERATORS: Mapping[str, ModuleType] = MappingProxyType(
    {"peterson": peterson, "philosophers": philosophers, "election": election, "window": window}
)

TINY: Mapping[str, Size] = MappingProxyType(
    {
        "peterson": size(1_965, 4_639, processes=3, passes=1),
        "philosophers": size(503, 870, philosophers=3, meals=2),
        "election": size(4_155, 12_111, nodes=5, places=2),
        "window": size(2_767, 10_850, packets=4, window=2, places=2),
    }
)

FULL: Mapping[str, Size] = MappingProxyType(
    {
        "peterson": size(10_799_798, 36_625_462, processes=4, passes=3),
        "philosophers": size(9_839_241, 35_938_776, philosophers=6, meals=4),
        "election": size(2_172_734, 11_260_141, nodes=9, places=2),
        "window": size(5_887_809, 26_960_850, packets=80, window=4, places=4),
    }
)


def pairs(sizes: Mapping[str, Size]) -> list[Pair]:
    """The systems of one table of sizes, as texts."""
    found = []
    for name, one in sizes.items():
        generator = GENERATORS[name]
        found.append(
            Pair(
                name=name,
                title=f"{name} ({', '.join(f'{key} {value}' for key, value in one.parameters.items())})",
                promela=generator.promela(**one.parameters),
                dve=generator.dve(**one.parameters),
                measure=generator.measure(**one.parameters),
                states=one.states,
                transitions=one.transitions,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Claim:
    """An LTL property that holds of a system; its atoms are written in the same way in both languages."""

    formula: str
    atoms: Mapping[str, str]

    @property
    def text(self) -> str:
        """The formula with its atoms spelled out."""
        return re.sub(r"\b[a-z]\b", lambda name: f"({self.atoms[name[0]]})", self.formula)


CLAIMS: Mapping[str, Claim] = MappingProxyType(
    {
        # Who begins to climb comes out again.
        "peterson": Claim("G (p -> F q)", MappingProxyType({"p": "place[0] == 1", "q": "place[0] == 0"})),
        # Who has heard of a candidate hears of the leader.
        "election": Claim("G (p -> F q)", MappingProxyType({"p": "best[0] > 0", "q": "leader[0] > 0"})),
    }
)
