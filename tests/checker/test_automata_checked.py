"""`automaton=` and `never=`: automata and regular expressions over models in all languages, against brute force."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ltl_cases import LtlCase, SystemGraph, Unsuitable, graph_of, random_case, violated

import strandline
from strandline.checker.decisions.runs import RunsDecided, decide_runs, runs_task
from strandline.checker.limits.progress import NullCallback
from strandline.checker.measures.choice import SweepMeasures
from strandline.checker.options.cycle_methods import METHODS
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import IGNORE, STUTTER, TemporalOptions
from strandline.checker.properties.automata import BoundAutomaton, BoundPrefixes, bind_automaton
from strandline.checker.properties.selection import Kind, Property
from strandline.checker.properties.specification import Specification
from strandline.checker.tasks.task import Session
from strandline.checker.verdicts.verdict import Answer, PropertyVerdict
from strandline.errors import InputError, UsageError
from strandline.properties import Acceptance, parse_ltl, translate, translate_negation
from strandline.properties.formats.guard_syntax import AutomatonText
from strandline.properties.formats.reading import AutomatonFormat, read_automaton, write_automaton
from strandline.properties.regular.expression import parse_regular
from strandline.properties.regular.finite import accepts_prefix
from strandline.source import Source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SEMAPHORE = EXAMPLES / "ltl-starvation" / "semaphore.dve"
MASTER = EXAMPLES / "process-master-slave" / "master-slave.psl"
MUTEX = EXAMPLES / "python-mutex" / "mutex.py"
SERVER = EXAMPLES / "ltl-deadlock" / "server.dve"

STARVED = """HOA: v1
Start: 0
AP: 2 "{ask}" "{answer}"
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 0
[0 & !1] 1
State: 1 {{0}}
[!1] 1
--END--
"""


def only(verdict: strandline.Verdict) -> PropertyVerdict:
    (one,) = verdict.properties
    return one


# Files of every format, models of every language


@pytest.mark.parametrize(
    ("model", "ask", "answer", "expected"),
    [
        (SEMAPHORE, "P.wait", "P.critical", Answer.VIOLATED),
        (SEMAPHORE, "free == 0", "free == 1", Answer.HOLDS),
        (MASTER, "Slave[_].Busy == 0", "Slave[_].Busy < 3", Answer.HOLDS),
        (MASTER, "Master.Rest", "all_busy", Answer.VIOLATED),
        (MUTEX, r"P[0].pc == \"want\"", r"P[0].pc == \"cs\"", Answer.HOLDS),
        (MUTEX, r"P[0].pc == \"want\"", "flag[0] and not flag[0]", Answer.VIOLATED),
    ],
)
def test_hoa_over_models_of_every_language(
    tmp_path: Path, model: Path, ask: str, answer: str, expected: Answer
) -> None:
    file = tmp_path / "claim.hoa"
    file.write_text(STARVED.format(ask=ask, answer=answer))
    one = only(strandline.check(model, automaton=file))
    assert (one.kind, one.name, one.answer) == (Kind.AUTOMATON, str(file), expected)
    assert (one.trace is not None) == (expected is Answer.VIOLATED)
    ask, answer = ask.replace("\\", ""), answer.replace("\\", "")
    assert only(strandline.check(model, f"G ({{{ask}}} -> F {{{answer}}})")).answer is expected


@pytest.mark.parametrize("format_", list(AutomatonFormat))
@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("G (P.wait -> F P.critical)", Answer.VIOLATED),
        ("G F (P.critical || Q.critical)", Answer.HOLDS),
        ("G !(P.critical && Q.critical)", Answer.HOLDS),
        ("G !P.critical", Answer.VIOLATED),
    ],
)
def test_every_format(tmp_path: Path, format_: AutomatonFormat, claim: str, expected: Answer) -> None:
    file = tmp_path / "claim"
    file.write_text(write_automaton(translate_negation(parse_ltl(claim).formula), format_))
    one = only(strandline.check(SEMAPHORE, automaton=[file]))
    assert one.answer is expected
    if one.trace is not None:
        assert one.search is not None
        assert {atom.name for atom in one.search.atoms} <= {"P.wait", "P.critical", "Q.critical"}


def test_an_automaton_of_what_is_good(tmp_path: Path) -> None:
    claims = {"G (P.wait -> F P.critical)": Answer.VIOLATED, "G F (P.critical || Q.critical)": Answer.HOLDS}
    for claim, expected in claims.items():
        automaton = translate(parse_ltl(claim).formula, acceptance=Acceptance.GENERALISED)
        file = tmp_path / "good.hoa"
        file.write_text(write_automaton(automaton, AutomatonFormat.HOA))
        assert only(strandline.check(SEMAPHORE, automaton=file, automaton_accepts="good")).answer is expected


def test_a_never_claim_that_ends_is_searched_for_a_path(tmp_path: Path) -> None:
    file = tmp_path / "claim.pml"
    file.write_text("never { T0: do :: P.critical && Q.wait -> goto accept_all :: true od; accept_all: skip }")
    one = only(strandline.check(SEMAPHORE, automaton=file))
    assert one.answer is Answer.VIOLATED
    assert one.search is not None
    assert one.search.method == "prefix"
    assert one.trace is not None
    assert (one.trace.loop, one.trace.final["P"], one.trace.final["Q"]) == (None, "critical", "wait")


def test_the_form_of_the_thesis_on_finite_words(tmp_path: Path) -> None:
    """The accepting state needs no edges: the continuation does not matter."""
    file = tmp_path / "bad.aut"
    file.write_text("0\n2\n0 true 0 true&P.critical 1\n1 true 1 true&Q.critical&!P.critical 2\n2\n")
    one = only(strandline.check(SEMAPHORE, automaton=file, automaton_words="finite"))
    assert (one.kind, one.answer) == (Kind.NEVER, Answer.VIOLATED)
    assert one.trace is not None
    assert (one.trace.loop, len(one.trace)) == (None, 5)
    nothing = only(strandline.check(SEMAPHORE, automaton=file))
    assert (nothing.answer, nothing.reason) == (Answer.HOLDS, "the automaton accepts no word")


def test_fairness_and_methods_are_those_of_ltl(tmp_path: Path) -> None:
    file = tmp_path / "claim.hoa"
    file.write_text(STARVED.format(ask="P.wait", answer="P.critical"))
    for method in METHODS:
        one = only(strandline.check(SEMAPHORE, automaton=file, method=method, fair=True))
        assert one.answer is Answer.VIOLATED, method
    fair = only(strandline.check(SEMAPHORE, automaton=file, fair=True, fairness="P.critical or not P.wait"))
    assert fair.answer is Answer.HOLDS


# Regular expressions


@pytest.mark.parametrize(
    ("model", "expression", "length"),
    [
        (SEMAPHORE, ".* {P.critical && Q.critical}", None),
        (SEMAPHORE, ".* {P.critical} .* {Q.critical}", 5),
        (SEMAPHORE, "{P.idle} (!P.critical)* {P.critical}", 2),
        (SEMAPHORE, "{P.critical}", None),
        (MASTER, ".* all_busy", 8),
        (MUTEX, '.* {P[0].pc == "cs"} .* {P[1].pc == "cs"}', 5),
        (MUTEX, '.* {P[0].pc == "cs" && P[1].pc == "cs"}', None),
    ],
)
def test_no_path_matches(model: Path, expression: str, length: int | None) -> None:
    one = only(strandline.check(model, never=expression, declared_fairness=False))
    assert (one.kind, one.name) == (Kind.NEVER, expression)
    assert one.answer is (Answer.HOLDS if length is None else Answer.VIOLATED)
    assert length == (None if one.trace is None else len(one.trace))
    swept = only(strandline.check(model, never=expression, declared_fairness=False, order="sweep"))
    assert swept.answer is one.answer


def test_a_path_that_ends_stays_in_its_last_state() -> None:
    deadlock = only(strandline.check(SERVER, deadlock=True))
    assert deadlock.trace is not None
    last = " and ".join(f"{name}.{place}" for name, place in deadlock.trace.final.items() if isinstance(place, str))
    assert only(strandline.check(SERVER, never=f".* {{{last}}}[4]")).answer is Answer.VIOLATED


def test_a_path_counts_where_it_can_be_gone_on_with_fairly() -> None:
    """P may be alone in the critical section for ever only where nobody has to be fair to it."""
    alone = ".* {P.critical} {P.critical} {P.critical} {P.critical}"
    assert only(strandline.check(SEMAPHORE, never=alone, fair=True)).answer is Answer.HOLDS
    assert only(strandline.check(SEMAPHORE, never=".* {P.critical} {P.critical}", fair=True)).answer is Answer.VIOLATED


# What is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (STARVED.format(ask="P.rest", answer="x"), "claim:3:10: process 'P' has no state 'rest'\n"),
        (
            "never { T0: do :: P.wait -> goto T0 :: \n  (Q.late) -> goto T0 od }",
            "claim:2:6: process 'Q' has no state 'late'\n",
        ),
        ("0\n0\n0 true&P.wait&!nobody 0\n", "claim:3:16: "),
        ("process C { state q; init q; accept q; trans q -> q { guard P.wait and nobody; }; }", "claim:1:72: "),
        ("HOA: v1\nStart: 0\nAP: 0\nAcceptance: 1 Fin(0)\n--BODY--\n--END--", "claim:4:15: only Büchi"),
    ],
)
def test_mistakes_are_told_at_their_place_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("claim").write_text(text)
    with pytest.raises(InputError) as caught:
        strandline.check(SEMAPHORE, automaton="claim")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"never": ".* nobody"}, "never:1:4: "),
        ({"never": "(P.wait"}, "never:1:1: this '(' is never closed"),
        ({"never": "{P.wait}*"}, "never:1:1: the empty word is accepted: every path would be a violation"),
        ({"automaton": "missing.hoa"}, "cannot read missing.hoa: "),
        ({"automaton_accepts": "good"}, "automaton_accepts='good' says how an automaton is read, and there is none"),
        ({"automaton_words": "finite"}, "automaton_words='finite' says how an automaton is read"),
        ({"automaton": "a", "automaton_words": "all"}, "an automaton's words are infinite or finite, not 'all'"),
        ({"automaton": "a", "automaton_accepts": "all"}, "an automaton accepts what is bad or good, not 'all'"),
        (
            {"automaton": "a", "automaton_accepts": "good", "automaton_words": "finite"},
            "automaton_accepts='good' is for automata on infinite words, not with automaton_words='finite'",
        ),
        ({"never": ".* {P.wait}", "method": "prefix", "fair": True}, "method='prefix': a path that shows a"),
    ],
)
def test_what_does_not_fit(options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        strandline.check(SEMAPHORE, **options)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


def test_edges_that_accept_are_for_infinite_words() -> None:
    text = "HOA: v1\nStart: 0\nAP: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[t] 0 {0}\n--END--"
    read = read_automaton(Source("claim.hoa", text))
    with pytest.raises(UsageError, match=r"claim.hoa: an automaton on finite words has accepting states, not edges"):
        bind_automaton(read, strandline.load(SEMAPHORE), good=False, finite=True)


def test_the_property_process_is_not_watched(tmp_path: Path) -> None:
    file = tmp_path / "model.dve"
    file.write_text(
        "byte x; process P { state s; init s; trans s -> s { effect x = (x + 1) % 3; }; }\n"
        "process Never { state q; init q; accept q; trans q -> q { guard x > 3; }; }\nsystem async property Never;\n"
    )
    with pytest.raises(InputError, match="'Never' is the property process: an expression speaks of the system"):
        strandline.check(file, never=".* {Never.q}")
    assert only(strandline.check(file, never=".* {x == 3}")).answer is Answer.HOLDS


# Against brute force


def decide(case: LtlCase, specification: Specification, **options: str) -> RunsDecided:
    finite_runs = IGNORE if case.ignore_finite_runs else STUTTER
    search, temporal = Options(), TemporalOptions(finite_runs=finite_runs, sanity=False, **options)  # type: ignore[arg-type]
    task = runs_task(case.declared(), specification, search, temporal)
    session = Session(NullCallback(), time.perf_counter(), SweepMeasures(search, NullCallback()))
    return decide_runs(task, Property(Kind.AUTOMATON, "claim", specification=specification), session)


def suitable(random: Random) -> tuple[LtlCase, SystemGraph] | None:
    case = random_case(random)
    try:
        return case, graph_of(case)
    except Unsuitable:
        return None


@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_automata_of_what_is_bad_and_of_what_is_good(random: Random) -> None:
    found = suitable(random)
    if found is None:
        return
    case, graph = found
    expected = Answer.VIOLATED if violated(case, graph) else Answer.HOLDS
    for good in (False, True):
        formula = case.formula
        automaton = translate(formula, acceptance=Acceptance.GENERALISED) if good else translate_negation(formula)
        read = AutomatonText(automaton, Source("claim", ""), {}, None)
        decided = decide(case, BoundAutomaton(read, case.atoms, good), method=random.choice(("auto", "scc", "map")))
        assert decided.verdict.answer is expected, good


def random_expression(random: Random, size: int) -> str:
    if size <= 1:
        return random.choice(("p", "q", "!p", "!q", ".", "{p && !q}"))
    kind = random.randrange(4)
    left = random_expression(random, size // 2)
    if kind == 0:
        return f"({left})" + random.choice("*+?")
    right = random_expression(random, size - size // 2)
    return f"({left} | {right})" if kind == 1 else f"{left} {right}"


def some_path_matches(graph: SystemGraph, expression: str) -> bool:
    """All pairs of a state and the positions of the expression that the path there can be at."""
    automaton = parse_regular(expression).positions
    waiting = [(state, frozenset(automaton.initial)) for state in graph.initial]
    seen = set(waiting)
    while waiting:
        state, places = waiting.pop()
        bits = sum(1 << number for number, name in enumerate(automaton.atoms) if name in graph.letters[state])
        after = frozenset(edge.target for place in places for edge in automaton.edges[place] if edge.guard.holds(bits))
        if after & automaton.final:
            return True
        new = {(target, after) for target, _ in graph.steps[state]} - seen
        seen |= new
        waiting += new
    return False


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_expressions_agree_with_brute_force(random: Random) -> None:
    found = suitable(random)
    expression = random_expression(random, random.randint(2, 7))
    read = parse_regular(expression)
    if found is None or read.positions.final & set(read.positions.initial):
        return
    case = replace(found[0], fairness=(), ignore_finite_runs=False)
    atoms = {name: found[0].atoms.get(name, next(iter(found[0].atoms.values()))) for name in ("p", "q")}
    graph = graph_of(replace(case, atoms=atoms))
    bound = BoundPrefixes(read, atoms, read.automaton, read.positions, expression)
    expected = Answer.VIOLATED if some_path_matches(graph, expression) else Answer.HOLDS
    for method in ("auto", "ndfs", "scc"):
        assert decide(case, bound, method=method).verdict.answer is expected, method


def test_a_prefix_of_a_lasso() -> None:
    p, none = frozenset({"p"}), frozenset[str]()
    automaton = parse_regular("(!p)[2] p p").automaton
    assert not accepts_prefix(automaton, [none, none, p])
    assert accepts_prefix(automaton, [none, none, p, p, none])
    assert accepts_prefix(automaton, [none, none, p], [p])
    assert accepts_prefix(automaton, [none, none], [p])
    assert not accepts_prefix(automaton, [none, none], [p, none])
