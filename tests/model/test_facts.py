"""Read and write sets, control graphs."""

from __future__ import annotations

from strandline.analysis.control import control_edges
from strandline.analysis.dependencies import reads, writes
from strandline.languages.dve import load
from strandline.source import Source

MODEL = """
byte a, b, c[3];
channel x;
process P { byte i; state s, t; init s;
trans s -> t { guard a == 1; effect c[i] = b, b = 2; }, t -> s { sync x!a; }, t -> t {}; }
process Q { byte j; state u; init u; trans u -> u { sync x?j; }; }
system async;
"""


def test_what_actions_read_and_write() -> None:
    system = load(Source("facts", MODEL))
    found = {
        action.name: (
            sorted(variable.name for variable in reads(action, system)),
            sorted(variable.name for variable in writes(action)),
        )
        for action in system.actions
    }
    assert found == {
        "P: s -> t": (["P", "P.i", "a", "b"], ["P", "b", "c"]),
        "P: t -> t": (["P"], []),
        "P: t -> s, Q: u -> u via x": (["P", "Q", "a"], ["P", "Q.j"]),
    }


def test_control_graphs() -> None:
    system = load(Source("facts", MODEL))
    assert control_edges(system, system.processes[0]) == {(0, 1), (1, 0), (1, 1)}
    assert control_edges(system, system.processes[1]) == {(0, 0)}
