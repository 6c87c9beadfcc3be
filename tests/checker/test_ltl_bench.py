"""The reading of the benchmark's tables: formulas with their definitions, and the judgement of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

import ltl_beem
from _common import Run
from ltl_beem import RIGHT, STOPPED, WRONG, Row

PROPERTIES = """model,prop_id,type,formula,atomic_propositions,description
m,1,reachability,bad,bad := P.bad,never
m,2,LTL,G (w -> F c),w := P.a or P.b ; c := P.CS,served
m,3,LTL,GF c,"c := myloop(i,0,N, `P_`'i.CS', ` + ') > 1",a macro
m,4,LTL,GF (d && !end),d := x==0 ; end := t >= max,again
"""
REFERENCE = """instance,property,formula,verdict,product_states,product_edges,paper_table1_states,paper_table1_edges
m.1,2,G (w -> F c),holds,10,20,10,20
m.1,3,GF c,violated,,,,
m.1,4,GF (d && !end),violated,7,9,,
m.2,2,G (w -> F c),,,,,
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "properties.csv").write_text(PROPERTIES)
    (tmp_path / "reference_ltl.csv").write_text(REFERENCE)
    return tmp_path


def test_rows_with_a_verdict(folder: Path) -> None:
    rows = list(ltl_beem.rows(folder))
    assert [(row.name, row.verdict, row.states, row.edges, row.in_table1) for row in rows] == [
        ("m.1/2", "holds", 10, 20, True),
        ("m.1/3", "violated", None, None, False),
        ("m.1/4", "violated", 7, 9, False),
    ]
    assert [row.formula for row in rows] == [
        "G ({P.a || P.b} -> F {P.CS})",
        None,
        "G F ({x==0} && !{t >= max})",
    ]
    assert rows[0].product == folder / "models" / "m.1.prop2.dve"


def test_a_name_without_a_definition_leaves_the_formula_out() -> None:
    assert ltl_beem.with_definitions("G (p U q)", {"p": "x"}) is None
    assert ltl_beem.with_definitions("G (p U true)", {"p": "x"}) == "G ({x} U true)"


def report(**fields: object) -> Run:
    found = {"verdict": "HOLDS", "complete": True, "states": 10, "transitions": 20, "reason": None, "error": None}
    return Run(1.0, report={**found, **fields})


@pytest.mark.parametrize(
    ("run", "kind", "sized"),
    [
        (report(), RIGHT, True),
        (report(transitions=21), WRONG, True),
        (report(states=None, transitions=None), RIGHT, False),
        (report(verdict="VIOLATED", complete=False), WRONG, False),
        (report(verdict="UNKNOWN", complete=False, reason="the time limit of 600 s is reached"), STOPPED, False),
        (report(error={"message": "oh"}), WRONG, False),
        (Run(1.0, failure="more than 600 s"), STOPPED, False),
        (Run(1.0, failure="exit code 4: oh"), WRONG, False),
    ],
)
def test_the_judgement_of_a_run(folder: Path, run: Run, kind: str, sized: bool) -> None:
    row: Row = next(ltl_beem.rows(folder))
    outcome = ltl_beem.judged(row, "ndfs", run)
    assert (outcome.kind, outcome.sized) == (kind, sized)
    assert "m.1/2" in outcome.line()


def test_the_summary_counts_by_method(folder: Path) -> None:
    row = next(ltl_beem.rows(folder))
    found = [ltl_beem.judged(row, "ndfs", report()), ltl_beem.judged(row, "scc", report(verdict="VIOLATED"))]
    assert ltl_beem.summary(found) == [
        "ndfs       1 right",
        "scc        1 WRONG",
        "sizes of 1 of 1 products exact; 1/1 of Table 1",
    ]
