"""Whatever ways of searching are combined: where the combination is not refused, it answers as the plain search does.

The answers of the plain search are compared with brute force elsewhere (`test_ltl_methods.py`, `test_engine.py`).
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from like_processes import like_processes
from loose_systems import Loose

import strandline
from strandline.checker.verdicts.verdict import Answer, Verdict
from strandline.engine.store.kinds import KINDS, names_of
from strandline.errors import InputError
from strandline.model.system import System

ORDERS: tuple[dict[str, Any], ...] = (
    {},
    {"order": "dfs"},
    {"order": "sweep"},
    {"order": "cache", "cache_states": 50},
    {"measure": "auto"},
)
REDUCTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"por": True},
    {"auto_por": True},
    {"symmetry": True},
    {"merge": True},
    {"por": True},
    {},
)
STORES: tuple[dict[str, Any], ...] = (
    {},
    *({"store": kind.name, **({"store_size": 1 << 16} if kind.sized else {})} for kind in KINDS if not kind.whole),
    {"threads": 2},
)
METHODS = ("auto", "auto", "ndfs", "scc", "sweep", "map")
LOSSY = names_of(lambda kind: kind.lossy)
FORMULAS = ("G (({}) -> F ({}))", "F G ({})", "({}) U ({})", "X ({})")
CLAIMS = ("deadlock", "invariants", "reach", "ltl", "ltl", "ctl")


def drawn(seed: int) -> tuple[System, dict[str, Any], dict[str, Any]]:
    """Draw a System, properties, and the options of a search."""
    random = Random(seed)
    if random.random() < 0.3:
        system, conditions = like_processes(random, random.randint(2, 3)), ["x == 1", "y == 1"]
    else:
        loose = Loose(random)
        system = loose.system()
        conditions = [system.scope.render(loose.condition(0)) for _ in range(2)]
    first, second = conditions
    texts = {
        "deadlock": True,
        "invariants": first,
        "reach": first,
        "ltl": random.choice(FORMULAS).format(first, second),
        "ctl": f"AG EF ({first})",
    }
    asked = {name: texts[name] for name in random.sample(CLAIMS, k=random.choice((1, 1, 2)))}
    if "ltl" in asked and random.random() < 0.2:
        asked["fair"] = True
    order = random.choice(ORDERS)
    # Few combinations of another order with a store are possible.
    store = random.choice(STORES) if not order or random.random() < 0.1 else {}
    way = {**order, **random.choice(REDUCTIONS), **store}
    if "ltl" in asked:
        way["method"] = random.choice(METHODS)
    return system, asked, way


def answers(verdict: Verdict) -> list[tuple[str, Answer]]:
    return [(one.name, one.answer) for one in verdict.properties]


@settings(max_examples=30)
@given(st.integers(0, 10**9))
def test_what_is_not_refused_is_right(seed: int) -> None:
    system, asked, way = drawn(seed)
    try:
        found, expected = strandline.check(system, **asked, **way), strandline.check(system, **asked)
    except InputError:
        # The combination is refused, or what is asked faults in a state that is met.
        return
    if found.exploration.fault is not None or expected.exploration.fault is not None:
        # Which of a fault and a violation is met first depends on the order.
        return
    for (name, answer), (_, right) in zip(answers(found), answers(expected), strict=True):
        unsure = answer is Answer.UNKNOWN and way.get("store") in LOSSY
        assert answer is right or unsure, (name, answer, right, asked, way)
