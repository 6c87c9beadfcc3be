"""CTL on small models: answers, evidence, refusals, limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.verdicts.ctl import CtlSearch
from strandline.checker.verdicts.verdict import PropertyVerdict
from strandline.cli.main import main
from strandline.errors import InputError, UsageError

ROOT = Path(__file__).resolve().parents[2]
MUTEX = str(ROOT / "examples" / "naive-mutex" / "naive-mutex.dve")
ENDS = "byte x;\nprocess P {{ state a; init a; trans a -> a {{ guard x < {}; effect x = x + 1; }}; }}\nsystem async;\n"


def decided(model: str | Path, formula: str, **options: object) -> tuple[PropertyVerdict, CtlSearch]:
    (one,) = strandline.check(model, ctl=formula, **options).properties  # type: ignore[arg-type]
    assert one.ctl is not None
    return one, one.ctl


@pytest.mark.parametrize(
    ("formula", "answer", "words", "loop"),
    [
        ("EF (P.critical && Q.critical)", "HOLDS", "4 steps lead to a state that shows it", None),
        ("AG !(P.critical && Q.critical)", "VIOLATED", "4 steps lead to a state that shows it", None),
        ("EG !P.critical", "HOLDS", "1 step, then a loop of 3 steps shows it", 1),
        ("AF P.critical", "VIOLATED", "1 step, then a loop of 3 steps shows it", 1),
        ("A [!Q.critical U P.critical]", "VIOLATED", "2 steps lead to a state that shows it", None),
        ("EX P.seen", "HOLDS", "1 step leads to a state that shows it", None),
        ("AX P.idle", "VIOLATED", "1 step leads to a state that shows it", None),
        ("AG EF P.critical", "HOLDS", "all states were looked at", None),
        ("EF AG P.idle", "VIOLATED", "all states were looked at", None),
        ("E [P.critical R !Q.critical]", "HOLDS", "2 steps lead to a state that shows it", None),
    ],
)
@pytest.mark.parametrize("options", [{}, {"method": "swept", "measure": "flag[0]"}])
def test_answers_and_what_shows_them(
    formula: str, answer: str, words: str, loop: int | None, options: dict[str, str]
) -> None:
    one, search = decided(MUTEX, formula, **options)
    assert one.answer.value == answer
    assert search.evidence is not None
    if not options:
        assert search.evidence.words == words
        assert (None if one.trace is None else one.trace.loop) == loop
    assert (one.trace is None) == (words == "all states were looked at")


def test_nested_formulas_are_shown_by_a_tree() -> None:
    one, search = decided(MUTEX, "AG (P.seen -> AF P.critical)")
    evidence = search.evidence
    assert evidence is not None
    assert [evidence.formula, evidence.holds] == ["AG (P.seen -> AF P.critical)", False]
    (implication,) = evidence.parts
    assert [(part.formula, part.holds) for part in implication.parts] == [("P.seen", True), ("AF P.critical", False)]
    assert implication.parts[1].words == "a loop of 3 steps shows it"
    assert one.trace is implication.parts[1].trace
    assert one.trace is not None
    assert one.trace.loop == 1


def test_dead_ends(tmp_path: Path) -> None:
    file = tmp_path / "ends.dve"
    file.write_text(ENDS.format(2), encoding="utf-8")
    expected = {
        "AF EX x == 2": {"stutter": "HOLDS", "maximal": "HOLDS", "ignore": "HOLDS"},
        "AG EX true": {"stutter": "HOLDS", "maximal": "VIOLATED", "ignore": "HOLDS"},
        "EF (x == 2 && AX false)": {"stutter": "VIOLATED", "maximal": "HOLDS", "ignore": "VIOLATED"},
        "EF x == 2": {"stutter": "HOLDS", "maximal": "HOLDS", "ignore": "VIOLATED"},
        "EG true": {"stutter": "HOLDS", "maximal": "HOLDS", "ignore": "VIOLATED"},
    }
    for formula, answers in expected.items():
        found = {how: decided(file, formula, finite_runs=how)[0].answer.value for how in answers}
        assert found == answers, formula


def test_fairness_restricts_paths() -> None:
    assert decided(MUTEX, "AG (P.seen -> AF P.critical)")[0].answer.value == "VIOLATED"
    assert decided(MUTEX, "AG (P.seen -> AF P.critical)", fair=True)[0].answer.value == "HOLDS"
    assert decided(MUTEX, "AF P.idle", fairness="P.critical")[0].answer.value == "HOLDS"
    # A guard that is true only now and then binds nobody: the loop that shows it is fair all the same.
    one, search = decided(MUTEX, "AF P.critical", fair=True)
    assert one.answer.value == "VIOLATED"
    assert search.fairness == ("weak fairness of P", "weak fairness of Q")


def test_several_formulas_share_one_exploration() -> None:
    verdict = strandline.check(MUTEX, ctl=["EF P.critical", "AG EF Q.critical", "AF P.critical"])
    searches = [one.ctl for one in verdict.properties]
    assert len({id(search.statistics) for search in searches if search is not None}) == 1
    assert [one.answer.value for one in verdict.properties] == ["HOLDS", "HOLDS", "VIOLATED"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "ndfs"}, "--method ndfs is a method for LTL; for CTL there are explicit, swept, components"),
        ({"order": "dfs"}, "--method explicit explores breadth-first or, by a measure, in sweeps, not in --order dfs"),
        ({"method": "explicit", "measure": "flag[0]"}, "--method explicit uses no measure; leave --measure out"),
        ({"method": "components"}, "--method components decides AG EF p and EF AG p, one at a time"),
        ({"count_distinct": True, "measure": "flag[0]"}, "--count-distinct is not for CTL"),
    ],
)
def test_what_does_not_fit_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        decided(MUTEX, "EF P.critical", **options)
    assert caught.value.on_command_line().startswith(message)


def test_mistakes_have_their_place() -> None:
    with pytest.raises(InputError) as caught:
        decided(MUTEX, "AG P.sleeping")
    assert str(caught.value).splitlines()[1:] == ["  AG P.sleeping", "       ^^^^^^^^"]
    with pytest.raises(UsageError, match="finite_runs='maximal' is for CTL"):
        strandline.check(MUTEX, "G F P.critical", finite_runs="maximal")


def test_a_limit_is_unknown_and_says_so() -> None:
    one, search = decided(MUTEX, "AG EF P.critical", max_states=3)
    assert (one.answer.value, one.reason) == ("UNKNOWN", "the limit of 3 states is reached")
    assert not search.complete


def test_a_fault_of_the_model_is_a_violation_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "fault.dve"
    text = ENDS.format(4).replace("byte x;", "byte x;\nbyte a[2];").replace("effect", "effect a[x] = 1,")
    file.write_text(text, encoding="utf-8")
    verdict = strandline.check(file, ctl="EF x == 3")
    assert [one.kind.value for one in verdict.properties] == ["ctl", "fault"]
    assert verdict.answer.value == "VIOLATED"


def test_json_has_the_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", MUTEX, "--json", "--ctl", "AF P.critical"]) == 13
    data = json.loads(capsys.readouterr().out)
    ctl = data["properties"][0]["ctl"]
    assert ctl["evidence"]["words"] == "1 step, then a loop of 3 steps shows it"
    assert ctl["evidence"]["trace"]["loop"] == 1
    assert (ctl["method"], ctl["records"], ctl["finite_runs"]) == ("explicit", 9, "stutter")


@pytest.mark.parametrize("formula", ["G F P.critical", "G (P.seen -> F P.critical)", "G !(P.critical && Q.critical)"])
def test_ltl_and_ctl_agree_where_a_formula_has_both_readings(formula: str) -> None:
    branching = formula.replace("G ", "AG ").replace("F ", "AF ")
    linear = strandline.check(MUTEX, formula).answer
    assert decided(MUTEX, branching)[0].answer is linear


def test_strong_fairness_leaves_a_formula_undecided(tmp_path: Path) -> None:
    file = tmp_path / "strong.py"
    file.write_text(
        "from strandline import Model, Range, action\n\n\n"
        "class Strong(Model):\n"
        "    x: Range[0, 2] = 0\n\n"
        "    @action(fair='strong')\n"
        "    def turn(m):\n"
        "        m.x = (m.x + 1) % 3\n",
        encoding="utf-8",
    )
    one, _ = decided(file, "AG EF x == 0")
    reason = (
        "CTL is decided under weak fairness and given conditions, not under strong fairness of turn, which the model "
        "declares: --no-declared-fairness (declared_fairness=False) leaves it out"
    )
    assert (one.answer.value, one.reason) == ("UNKNOWN", reason)
    assert decided(file, "AG EF x == 0", declared_fairness=False)[0].answer.value == "HOLDS"


def test_all_machine_code_is_there_before_the_clock_runs() -> None:
    """Loading a small graph loads all machine code that a real one needs, so no search waits."""
    from strandline.checker.ctl.warm_up import load_components, load_graph
    from strandline.engine.graph import fixpoints_kernel, log_kernel, paths_kernel, terminal_kernel

    def compiled() -> dict[str, list[object]]:
        kernels = (fixpoints_kernel, log_kernel, paths_kernel, terminal_kernel)
        named = {f"{one.__name__}.{name}": found for one in kernels for name, found in vars(one).items()}
        return {name: list(found.signatures) for name, found in named.items() if hasattr(found, "signatures")}

    load_graph()
    load_components()
    loaded = compiled()
    assert sum(map(bool, loaded.values())) >= 8
    for formula in ("AG EF P.critical", "A [!Q.critical U P.critical]", "EG !P.critical", "AX P.idle"):
        decided(MUTEX, formula)
    decided(ROOT / "examples" / "stop-and-wait" / "stop-and-wait.dve", "AG EF Sender.done", order="sweep")
    assert compiled() == loaded


def test_the_trial_search_has_somebody_to_tell_of_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine has separate machine code for observers of edges, and this code is loaded."""
    from strandline.checker.driver.searches import StateSearches
    from strandline.engine.parts.search_output import EdgeObserver

    told = []
    make = StateSearches.make

    def noted(self: StateSearches, kernel: Any, log: Any, observer: Any, limit: int | None) -> Any:
        told.append(isinstance(observer, EdgeObserver))
        return make(self, kernel, log, observer, limit)

    monkeypatch.setattr(StateSearches, "make", noted)
    decided(MUTEX, "AG EF P.critical")
    assert told == [True, True]
    strandline.check(MUTEX, deadlock=True)
    assert told == [True, True, False, False]
