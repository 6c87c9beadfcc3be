"""LTL properties: decisions, counterexamples, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.verdict import Answer, PropertyVerdict, Verdict
from strandline.errors import InputError, ParseError, UsageError

MODELS = Path(__file__).parent / "models"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MUTEX, INDEX = MODELS / "mutex.dve", MODELS / "index.dve"
PETERSON = EXAMPLES / "peterson" / "peterson.dve"
SERVER = EXAMPLES / "ltl-deadlock" / "server.dve"
METHODS = ("ndfs", "scc", "map")
NEXT_TURN = "G (P.wait -> F P.critical)"


def only(verdict: Verdict) -> PropertyVerdict:
    (one,) = verdict.properties
    assert one.search is not None
    return one


def dve(folder: Path, text: str) -> Path:
    file = folder / "model.dve"
    file.write_text(text)
    return file


COUNTER = """
byte x;
process P { state s; init s; trans s -> s { guard x < 5; effect x = x + 1; }, s -> s { guard x == 5; effect x = 2; }; }
system async;
"""


ARRAY = """
byte a[3], i;
process P { state s; init s; trans s -> s { effect i = (i + 1) % 5; }; }
system async;
"""


# Answers


@pytest.mark.parametrize("method", METHODS)
def test_a_formula_that_is_violated_has_a_lasso(method: str) -> None:
    verdict = strandline.check(PETERSON, "G F P.critical", method=method)
    one = only(verdict)
    assert (one.kind, one.name, one.answer) == (Kind.LTL, "G F P.critical", Answer.VIOLATED)
    assert one.trace is not None
    assert one.trace.loop is not None
    states = list(one.trace.states())
    assert states[-1] == states[one.trace.loop]
    assert all(state["P"] != "critical" for state in states[one.trace.loop :])
    assert verdict.trace is one.trace
    assert not verdict.complete


@pytest.mark.parametrize("method", METHODS)
def test_a_formula_that_holds_needs_all_of_the_product(method: str) -> None:
    verdict = strandline.check(PETERSON, NEXT_TURN, method=method)
    one = only(verdict)
    assert (one.answer, one.trace, verdict.complete, verdict.reason) == (Answer.HOLDS, None, True, None)
    assert one.search is not None
    assert (one.search.method, one.search.method_reason) == (method, None)
    assert (one.search.automaton_states, one.search.automaton_edges) == (2, 3)
    assert (verdict.statistics.states, verdict.statistics.transitions) == (26, 45)


def test_several_formulas_are_searched_one_by_one_beside_the_rest() -> None:
    verdict = strandline.check(
        PETERSON, ["G F P.critical", NEXT_TURN], invariants="not (P.critical and Q.critical)", deadlock=True
    )
    assert [(one.kind, one.answer) for one in verdict.properties] == [
        (Kind.DEADLOCK, Answer.HOLDS),
        (Kind.INVARIANT, Answer.HOLDS),
        (Kind.LTL, Answer.VIOLATED),
        (Kind.LTL, Answer.HOLDS),
    ]
    assert verdict.statistics.states == 20
    assert [one.search.statistics.states for one in verdict.properties[2:] if one.search is not None][1] == 26
    assert not verdict.complete


def test_a_property_process_is_checked_by_a_plain_check(tmp_path: Path) -> None:
    steps = "q -> q {}, q -> r { guard x > 1; }, r -> r { guard x > 1; }"
    process = f"process Never {{ state q, r; init q; accept r; trans {steps}; }}"
    file = dve(tmp_path, COUNTER.replace("system async;", process + " system async property Never;"))
    verdict = strandline.check(file)
    one = only(verdict)
    assert (one.kind, one.name, one.answer) == (Kind.LTL, "Never", Answer.VIOLATED)
    assert one.trace is not None
    assert one.trace.loop is not None
    states = list(one.trace.states())
    assert all(state["Never"] == "r" for state in states[one.trace.loop :])
    assert one.trace.steps[-1].action == "P: s -> s; Never: r -> r"
    assert one.search is not None
    assert one.search.formula is None


def test_a_formula_is_about_the_system_and_not_about_its_property_process(tmp_path: Path) -> None:
    process = "process Never { state q; init q; accept q; trans q -> q { guard x < 2; }; }"
    file = dve(tmp_path, COUNTER.replace("system async;", process + " system async property Never;"))
    assert only(strandline.check(file, "F x == 5")).answer is Answer.HOLDS
    with pytest.raises(InputError, match="'Never' is the property process: a formula speaks of the system"):
        strandline.check(file, "F Never.q")


def test_labels_and_expressions_of_python_models_are_atoms() -> None:
    ring = EXAMPLES / "python-token-ring" / "token_ring.py"
    assert only(strandline.check(ring, "F G one", sanity=False)).answer is Answer.HOLDS
    mutex = EXAMPLES / "python-mutex" / "mutex.py"
    claim = 'G F {P[0].pc == "cs"}'
    assert only(strandline.check(mutex, claim, declared_fairness=False)).answer is Answer.VIOLATED
    fair = only(strandline.check(mutex, claim, declared_fairness=False, fair=True))
    assert fair.answer is Answer.HOLDS
    assert fair.search is not None
    assert fair.search.fairness == ("weak fairness of P_0", "weak fairness of P_1")


# Which runs count


def test_a_run_that_ends_stays_in_its_last_state() -> None:
    one = only(strandline.check(SERVER, "G (Client.ask -> F Client.rest)"))
    assert one.answer is Answer.VIOLATED
    assert one.trace is not None
    assert one.trace.loop == len(one.trace)
    assert one.trace.final["Client"] == "ask"
    assert one.search is not None
    assert one.search.ended


def test_runs_that_end_can_be_ignored() -> None:
    assert (
        only(strandline.check(SERVER, "G (Client.ask -> F Client.rest)", finite_runs="ignore")).answer is Answer.HOLDS
    )
    assert only(strandline.check(SERVER, "G F Client.ask", finite_runs="ignore")).answer is Answer.HOLDS
    assert only(strandline.check(SERVER, "G F Client.ask")).answer is Answer.VIOLATED


@pytest.mark.parametrize("method", METHODS)
def test_weak_fairness_of_every_process(method: str) -> None:
    assert only(strandline.check(PETERSON, "G F P.critical", fair=True, method=method)).answer is Answer.HOLDS
    unfair = only(strandline.check(EXAMPLES / "ltl-starvation" / "semaphore.dve", NEXT_TURN, fair=True, method=method))
    assert unfair.answer is Answer.VIOLATED


def test_conditions_that_are_true_infinitely_often() -> None:
    for condition, answer in (("P.critical", Answer.HOLDS), ("Q.critical", Answer.VIOLATED)):
        one = only(strandline.check(PETERSON, "G F P.critical", fairness=condition))
        assert one.answer is answer
        assert one.search is not None
        assert one.search.fairness == (f"infinitely often {condition}",)


def test_declared_fairness_counts_unless_it_is_switched_off(tmp_path: Path) -> None:
    file = dve(tmp_path, "// fair: all\n" + PETERSON.read_text())
    assert only(strandline.check(file, "G F P.critical")).answer is Answer.HOLDS
    assert only(strandline.check(file, "G F P.critical", declared_fairness=False)).answer is Answer.VIOLATED
    twice = only(strandline.check(file, "G F P.critical", fair=True)).search
    assert twice is not None
    assert twice.fairness == ("weak fairness of P", "weak fairness of Q")


def test_fairness_does_not_touch_safety(tmp_path: Path) -> None:
    file = dve(tmp_path, "// fair: all\n" + PETERSON.read_text())
    verdict = strandline.check(file, invariants="not (P.critical and Q.critical)")
    assert (verdict.answer, verdict.statistics.states) == (Answer.HOLDS, 20)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"method": "sweep"}, "--method sweep"),
        ({"fair": True}, "--fair"),
        ({"fairness": "turn == 0"}, "--fairness"),
        ({"finite_runs": "ignore"}, "--finite-runs ignore"),
        ({"shortest": True}, "--shortest"),
        ({"all_cycles": True}, "--all-cycles"),
    ],
)
def test_what_is_for_ltl_alone_is_refused_where_no_formula_is_asked(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        strandline.check(PETERSON, invariants="not (P.critical and Q.critical)", **given)
    rest = "is for temporal properties, and none is checked: give"
    assert caught.value.on_command_line() == f"{told} {rest} --ltl FORMULA or --ctl FORMULA"
    name, value = next(iter(given.items()))
    argument = f"{name}=" if name == "fairness" else f"{name}={value!r}"
    assert str(caught.value) == f"{argument} {rest} ltl=FORMULA or ctl=FORMULA"


# Methods


def test_auto_says_what_it_picks_and_why() -> None:
    picked = {}
    cases: tuple[tuple[str, dict[str, Any]], ...] = (
        ("G !(P.critical && Q.critical)", {}),
        ("G F P.critical", {}),
        ("G F P.critical", {"shortest": True}),
        ("G F P.critical", {"all_cycles": True}),
        ("G !(P.critical && Q.critical)", {"fair": True}),
    )
    for claim, options in cases:
        search = only(strandline.check(PETERSON, claim, **options)).search
        assert search is not None
        picked[claim, *options] = search.method, search.method_reason
    assert list(picked.values()) == [
        ("prefix", "a safety property: a finite path shows every violation; searched breadth-first"),
        ("ndfs", "no progress measure is given"),
        ("scc", "a shortest lasso needs all accepting components"),
        ("scc", "all accepting components are wanted"),
        ("ndfs", "no progress measure is given"),
    ]


def test_a_bad_prefix_has_no_loop_and_ends_in_the_violation(tmp_path: Path) -> None:
    one = only(strandline.check(dve(tmp_path, COUNTER), "G (x == 3 -> X x != 4)"))
    assert one.answer is Answer.VIOLATED
    assert one.trace is not None
    assert (one.trace.loop, len(one.trace), one.trace.final["x"]) == (None, 4, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "unknown method 'magic' (known: auto, ndfs, scc, map, "),
        ({"method": "ndfs", "all_cycles": True}, "--all-cycles needs the components of method scc; ndfs stops"),
        ({"method": "ndfs", "measure": "x"}, "--method ndfs uses no measure; leave --measure out"),
        ({"method": "prefix"}, "--method prefix: not a safety property"),
        ({"method": "prefix", "fair": True}, "--method prefix: a path that shows a violation need not"),
        ({"method": "prefix", "finite_runs": "ignore"}, "--method prefix: a path that shows a violation may"),
        ({"finite_runs": "forget"}, "finite runs: 'forget' is unknown (known: stutter, ignore, maximal)"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        strandline.check(dve(tmp_path, COUNTER), "G F x == 2", **options)  # type: ignore[arg-type]
    assert caught.value.on_command_line().startswith(message)
    assert "--" not in str(caught.value)


def test_callables_have_no_ltl() -> None:
    model = strandline.from_callables([0], lambda state: [1 - state], labels={"one": lambda state: state == 1})
    with pytest.raises(UsageError, match="LTL is checked on models with variables, not on callables"):
        strandline.check(model, "G F one")


# Mistakes in formulas, faults of models


def test_mistakes_point_into_the_formula() -> None:
    with pytest.raises(ParseError) as syntax:
        strandline.check(PETERSON, "G (P.wait -> )")
    assert str(syntax.value).startswith("formula:1:14: ")
    with pytest.raises(InputError) as name:
        strandline.check(PETERSON, ["G F P.critical", "G F P.criticl"])
    assert str(name.value) == (
        "formula 2:1:7: process 'P' has no state 'criticl'; did you mean 'critical'?\n  G F P.criticl\n        ^^^^^^^"
    )


def test_an_atom_that_cannot_be_evaluated_is_the_users_to_mend(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        strandline.check(dve(tmp_path, ARRAY), "G F (a[i] == 7)")
    assert str(caught.value) == (
        "formula:1:6: array index out of range in a state where i = 3, a has 3 elements, after 3 steps\n"
        "  G F (a[i] == 7)\n"
        "       ^^^^"
    )


def test_a_condition_of_fairness_that_cannot_be_evaluated(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^fairness:1:1: array index out of range, in a state that is"):
        strandline.check(dve(tmp_path, ARRAY), "G F (i == 7)", fairness="a[i] == 7")


@pytest.mark.parametrize("options", [{}, {"fair": True}])
def test_a_fault_of_the_model_is_a_violation_and_leaves_the_formula_open(options: dict[str, bool]) -> None:
    verdict = strandline.check(INDEX, "G F (i == 7)", **options)  # type: ignore[arg-type]
    formula, fault = verdict.properties
    assert (formula.answer, formula.reason) == (Answer.UNKNOWN, "the search ended at a run-time fault")
    assert (fault.kind, fault.answer) == (Kind.FAULT, Answer.VIOLATED)
    assert fault.trace is not None
    assert fault.trace.fault is not None
    assert fault.trace.fault.action == "P: s -> s"
    assert dict(fault.trace.initial).keys() == {"a", "i", "P"}


# Sanity


def warnings(file: Path, claim: str, **options: object) -> tuple[str, ...]:
    search = only(strandline.check(file, claim, **options)).search  # type: ignore[arg-type]
    assert search is not None
    return search.warnings


def test_warnings(tmp_path: Path) -> None:
    counter = dve(tmp_path, COUNTER)
    assert warnings(counter, "F x == 1 || ! F x == 1") == ("every run of every model satisfies this formula",)
    assert warnings(counter, "x == 1 U x == 2 && G !(x == 2)") == ("no run of any model satisfies this formula",)
    never = "it holds vacuously: '{x == 9}' never happens where it matters"
    assert [text.replace("x == 9", "{x == 9}") for text in warnings(counter, "G (x == 9 -> F x == 1)")] == [never]
    assert warnings(counter, "G (x == 4 -> F x == 2)") == ()
    assert warnings(counter, "G (x == 9 -> F x == 1)", sanity=False) == ()
    assert warnings(counter, "G F x == 9", fairness="x == 8") == ("no run of the model is fair",)
    assert warnings(counter, "G F x == 2", fairness="x == 3") == ()


def test_a_model_in_which_every_run_ends(tmp_path: Path) -> None:
    once = "byte x; process P { state s; init s; trans s -> s { guard x < 2; effect x = x + 1; }; } system async;"
    assert warnings(dve(tmp_path, once), "F x == 2") == ("every run of the model ends: there is no infinite run",)
    assert warnings(SERVER, "F (pending == 0)") == ()
    ends, vacuous = warnings(dve(tmp_path, once), "G (x == 9 -> F x == 1)")
    assert vacuous == "it holds vacuously: 'x == 9' never happens where it matters"
    assert warnings(dve(tmp_path, once), "G (x == 9 -> F x == 1)", finite_runs="ignore") == (ends,)


def test_operators_that_stick_to_a_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown name 'GFx'; did you mean 'G F x == 1'"):
        strandline.check(dve(tmp_path, COUNTER), "GFx==1")


def test_a_tautology_needs_no_search(tmp_path: Path) -> None:
    verdict = strandline.check(dve(tmp_path, COUNTER), "G true")
    one = only(verdict)
    assert (one.answer, one.search and one.search.method) == (Answer.HOLDS, "none")
    assert verdict.complete
    assert verdict.statistics.visited == 0


# Shorter and further lassos


def test_a_shortest_lasso(tmp_path: Path) -> None:
    one = only(strandline.check(dve(tmp_path, COUNTER), "F G (x != 4)", shortest=True))
    assert one.trace is not None
    assert (one.trace.loop, len(one.trace)) == (2, 6)
    assert one.search is not None
    assert one.search.minimised == "a shortest stem to an accepting state on a cycle, then a shortest cycle through it"


@pytest.mark.parametrize("method", ["ndfs", "map"])
def test_every_method_can_be_asked_for_a_shortest_lasso(method: str) -> None:
    one = only(strandline.check(PETERSON, "G F P.critical", method=method, shortest=True))
    assert one.trace is not None
    assert (one.trace.loop, len(one.trace)) == (0, 4)


def test_all_accepting_components(tmp_path: Path) -> None:
    rings = """
    byte x;
    process P { state start, left, right; init start;
      trans start -> left {}, start -> right {},
        left -> left { effect x = 1 - x; }, right -> right { effect x = (x + 1) % 3; }; }
    system async;
    """
    one = only(strandline.check(dve(tmp_path, rings), "F G false", all_cycles=True))
    assert one.search is not None
    assert sorted(part.states for part in one.search.components) == [2, 3]
    assert sorted(len(part.trace) - (part.trace.loop or 0) for part in one.search.components if part.trace) == [2, 3]
    assert one.search.complete


# What is said of the atoms


def test_values_of_atoms_and_which_of_them_decide() -> None:
    one = only(strandline.check(SERVER, "G (Client.ask -> F Client.rest)", shortest=True))
    assert one.search is not None
    ask, rest = one.search.atoms
    assert (ask.name, rest.name) == ("Client.ask", "Client.rest")
    assert ask.values == (False, True, True)
    assert rest.values == (True, False, False)
    assert rest.decisive == (False, False, True)
    assert ask.decisive == (False, False, False)


GUARDED = """
byte a[3], i;
process P { state s; init s; trans s -> s { guard a[i] == 0; effect i = i + 1; }; }
process Q { state s; init s; trans s -> s {}; }
system async;
"""


@pytest.mark.parametrize("options", [{}, {"fair": True}, {"fair": True, "method": "scc"}])
def test_a_guard_that_faults_is_shown_where_it_stands(tmp_path: Path, options: dict[str, str]) -> None:
    """With fairness the observer looks ahead and meets the fault a step earlier; it is shown as the model has it."""
    verdict = strandline.check(dve(tmp_path, GUARDED), "F G (i < 0)", **options)  # type: ignore[arg-type]
    fault = verdict.properties[-1]
    assert (fault.kind, fault.reason and fault.reason.split(" at ")[0]) == (Kind.FAULT, "array index out of range")
    assert fault.trace is not None
    assert fault.trace.fault is not None
    assert (fault.trace.final["i"], fault.trace.fault.action) == (3, "P: s -> s")
    assert "(fairness)" not in fault.trace.final


def test_fairness_and_a_property_process(tmp_path: Path) -> None:
    process = """
    process Never { state q, r; init q; accept r;
      trans q -> q {}, q -> r { guard not P.critical; }, r -> r { guard not P.critical; }; }
    system async property Never;
    """
    file = dve(tmp_path, PETERSON.read_text().replace("system async;", process))
    for method in METHODS:
        unfair = only(strandline.check(file, property="Never", method=method))
        assert unfair.answer is Answer.VIOLATED
        assert unfair.trace is not None
        assert "(fairness)" not in unfair.trace.final
        fair = only(strandline.check(file, property="Never", method=method, fair=True))
        assert fair.answer is Answer.HOLDS
        other = only(strandline.check(file, property="Never", method=method, fairness="Q.critical"))
        assert other.answer is Answer.VIOLATED
        assert other.trace is not None
        assert other.trace.loop is not None
        assert "critical" in {state["Q"] for state in list(other.trace.states())[other.trace.loop :]}
        assert "(fairness)" not in other.trace.final
