"""Automata as text: every format there and back, with SPIN and Spot, and mistakes with their lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from formula_strategies import formula, formulas, needs_spin, needs_spot, negated, spin_claim, spot, words
from hypothesis import given, settings

from strandline.errors import ParseError, UsageError
from strandline.properties.automata.automaton import Automaton
from strandline.properties.automata.emptiness import intersects
from strandline.properties.automata.guard import TRUE, literal
from strandline.properties.automata.product import accepts, is_empty
from strandline.properties.formats.dve_process import read_dve_process, write_dve_process
from strandline.properties.formats.hoa_reader import read_hoa
from strandline.properties.formats.hoa_writer import write_hoa
from strandline.properties.formats.never_claim import read_never_claim, write_never_claim
from strandline.properties.formats.reading import (
    AutomatonFormat,
    detect_format,
    read_automaton,
    write_automaton,
)
from strandline.properties.formats.thesis import read_thesis_automaton, write_thesis_automaton
from strandline.properties.ltl.formula import Formula
from strandline.properties.ltl.lasso import holds
from strandline.properties.ltl.printer import SPIN, format_formula
from strandline.properties.translation.translate import Acceptance, translate
from strandline.properties.word import LassoWord
from strandline.source import Source

BEEM = Path(__file__).parents[3] / "shared" / "beem" / "models"
LISTING_7_3 = "0\n1\n0 true 0 p!q 1\n1 !q 1\n"


def source(text: str) -> Source:
    return Source("file", text)


@given(formulas(max_leaves=4))
@settings(max_examples=60, deadline=None)
def test_hoa_survives_a_round_trip(part: Formula) -> None:
    for automaton in (translate(part), translate(part, acceptance=Acceptance.GENERALISED)):
        again = read_hoa(source(write_hoa(automaton, name=str(part)))).automaton
        assert again == automaton


@given(formulas(max_leaves=4), words())
@settings(max_examples=60, deadline=None)
def test_formats_with_accepting_states_keep_the_language(part: Formula, word: LassoWord) -> None:
    automaton = translate(part)
    for format_ in AutomatonFormat:
        again = read_automaton(source(write_automaton(automaton, format_, name=str(part))), format_).automaton
        assert again.is_state_based
        assert accepts(again, word) is holds(part, word)


@given(formulas(max_leaves=4))
@settings(max_examples=40, deadline=None)
def test_never_claims_survive_a_round_trip(part: Formula) -> None:
    automaton = read_never_claim(source(write_never_claim(translate(part)))).automaton
    assert read_never_claim(source(write_never_claim(automaton))).automaton == automaton


@needs_spin
@given(formulas(max_leaves=4).filter(lambda part: "X" not in str(part)))
@settings(max_examples=25, deadline=None)
def test_spin_claims_are_understood(part: Formula) -> None:
    claim = read_never_claim(spin_claim(format_formula(part, SPIN))).automaton
    assert not intersects(claim, translate(negated(part)))
    opposite = read_never_claim(spin_claim(format_formula(negated(part), SPIN))).automaton
    assert not intersects(opposite, translate(part))


@needs_spot
def test_spot_understands_our_hoa_and_claims() -> None:
    part = formula("G (p -> X (q U r)) && G F p")
    for text in (
        write_hoa(translate(part)),
        write_hoa(translate(part, acceptance=Acceptance.GENERALISED)),
        write_never_claim(translate(part)),
    ):
        assert spot().are_equivalent(spot().automaton(text), str(part))


def test_hoa_text_exactly() -> None:
    assert write_hoa(translate(formula("!G (p -> F q)")), name="no answer") == (
        'HOA: v1\nname: "no answer"\nStates: 2\nStart: 0\nAP: 2 "p" "q"\n'
        "acc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels state-acc\n"
        "--BODY--\nState: 0\n[t] 0\n[0&!1] 1\nState: 1 {0}\n[!1] 1\n--END--\n"
    )


HOA_FEATURES = """HOA: v1 /* a comment /* inside another */ here */
tool: "made up" "1.0"
States: 3
Start: 0
Start: 1
AP: 2 "a b" "c\\"d"
Alias: @both 0 & 1
acc-name: generalized-Buchi 2
Acceptance: 2 (Inf(0) & Inf(1))
properties: trans-acc
--BODY--
State: 0 "first"
[@both | !0] 1 {0 1}
State: [t] 1 {1}
2 {0} 0
State: 2
0 1 2 2 {1}
--END--
"""


def test_hoa_features() -> None:
    automaton = read_hoa(source(HOA_FEATURES)).automaton
    assert automaton.atoms == ("a b", 'c"d')
    assert automaton.initial == (0, 1)
    assert automaton.acceptance_sets == 2
    assert automaton.state_names == ("first", "1", "2")
    assert [(edge.target, edge.marks) for edge in automaton.edges[0]] == [(1, 3)]
    assert automaton.edges[0][0].guard is (literal(0) & literal(1)) | ~literal(0)
    assert [(edge.guard, edge.target, edge.marks) for edge in automaton.edges[1]] == [
        (TRUE, 0, 2),
        (TRUE, 2, 3),
    ]
    letters = {edge.target: edge.guard for edge in automaton.edges[2]}
    assert letters[0] is ~literal(0) & ~literal(1)
    assert letters[1] is literal(0) & ~literal(1)


def test_hoa_without_states_or_accepting_nothing() -> None:
    assert is_empty(read_hoa(source("HOA: v1\nStates: 0\nAP: 0\nAcceptance: 0 t\n--BODY--\n--END--")).automaton)
    never = "HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: 0 f\n--BODY--\nState: 0\n[t] 0\n--END--"
    assert is_empty(read_hoa(source(never)).automaton)


ONE_STATE = "HOA: v1\nStates: 1\nAcceptance: 0 t\n--BODY--\n"
BROKEN_HOA = [
    (1, "HOA: v2\n", "a HOA file begins with 'HOA: v1'"),
    (3, 'HOA: v1\nStates: 1\nAP: 2 "p" "p"\n', "an atomic proposition is declared twice"),
    (4, 'HOA: v1\nStates: 1\nAP: 2 "p"\n--BODY--\n--END--', "expected a string, not '--BODY--'"),
    (2, "HOA: v1\nAcceptance: 1 Fin(0)\n", "only Büchi and generalised Büchi acceptance can be read"),
    (2, "HOA: v1\nAcceptance: 2 Inf(0)|Inf(1)\n", "only Büchi and generalised Büchi acceptance can be read"),
    (2, "HOA: v1\nStart: 0&1\n", "alternating automata cannot be read"),
    (3, "HOA: v1\nStates: 1\n--BODY--\n", "the header lacks 'Acceptance:'"),
    (2, "HOA: v1\nSpecial: 3\n", "'Special:' changes the meaning of the file and is not known"),
    (
        6,
        ONE_STATE + "State: 0\n[0] 0\n",
        "atomic proposition 0 is not declared",
    ),
    (6, ONE_STATE + "State: 0\n[t] 7\n", "state 7 is not declared"),
    (
        6,
        ONE_STATE + "State: 0\n[t] 0 {1}\n",
        "acceptance set 1 is not declared",
    ),
    (6, ONE_STATE + "State: 0\nState: 0\n", "state 0 is described twice"),
    (6, ONE_STATE + "State: 0\n[t 0\n", "expected ']', not '0'"),
    (6, ONE_STATE + "State: 0\n[@x] 0\n", "the alias @x is not defined"),
    (
        5,
        ONE_STATE + "Stat: 0\n",
        "expected 'State:' or --END--, not 'Stat'",
    ),
    (
        6,
        ONE_STATE + "State: 0\n[t] 0",
        "expected 'State:' or --END--, not 'the end of the file'",
    ),
    (2, "HOA: v1\n%", "unexpected '%'"),
    (2, "HOA: v1\n/* open", "a comment is never closed"),
]


@pytest.mark.parametrize(("line", "text", "message"), BROKEN_HOA)
def test_broken_hoa_names_the_line(line: int, text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read_hoa(source(text))
    assert caught.value.message == message
    assert str(caught.value).startswith(f"file:{line}:")


def test_a_claim_as_spin_writes_it() -> None:
    claim = """never  {    /* <> (p && [] q) */
T0_init:
	do
	:: atomic { ((r)) -> assert(!((r))) }
	:: (p && q) -> goto accept_S4 // go
	:: (1) -> goto T0_init
	od;
accept_S4:
	if
	:: (q) -> goto accept_S4
	fi;
}"""
    automaton = read_never_claim(source(claim)).automaton
    assert automaton.atoms == ("p", "q", "r")
    assert automaton.state_count == 3
    assert automaton.accepting_states == {1, 2}
    assert [edge.target for edge in automaton.edges[0]] == [0, 1, 2]


def test_a_claim_that_ends_accepts_what_follows() -> None:
    claim = "never { S: if :: x == 3 -> goto accept_all :: y fi; accept_all: skip }"
    automaton = read_never_claim(source(claim)).automaton
    assert automaton.atoms == ("x == 3", "y")
    assert automaton.accepting_states == {1, 2}
    loops = read_never_claim(source("never { accept_A: do :: p :: q -> break od; B: false; }")).automaton
    assert [(edge.target, edge.guard) for edge in loops.edges[0]] == [(0, literal(0)), (1, literal(1))]


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, "nevr {", "expected 'never', not 'nevr'"),
        (2, "never {\nif", "expected a label, not 'if'"),
        (3, "never {\nA:\nwhile", "expected if, do, skip or false, not 'while'"),
        (3, "never {\nA: if\n:: (p && ) -> goto A fi }", "expected a proposition, not ')'"),
        (3, "never {\nA: if\n:: (p -> goto A fi }", "this '(' is never closed"),
        (3, "never {\nA: if\n:: F p -> goto A fi }", "a guard has no temporal operators"),
        (3, "never {\nA: if\n:: p -> goto B\nfi }", "there is no label 'B'"),
        (3, "never {\nA: if\n:: else -> goto A fi }", "'else' cannot be read in a never claim"),
        (4, "never {\nA: if\n:: p -> goto A\n}", "expected 'fi', not '}'"),
        (3, "never {\nA: false;\n", "expected a label, not ''"),
        (1, "never { }", "the claim has no state"),
    ],
)
def test_broken_claims_name_the_line(line: int, text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read_never_claim(source(text))
    assert caught.value.message == message
    assert str(caught.value).startswith(f"file:{line}:")


def test_listing_7_3_there_and_back() -> None:
    automaton = read_thesis_automaton(source(LISTING_7_3)).automaton
    assert automaton.atoms == ("p", "q")
    assert automaton.accepting_states == {1}
    part = formula("F (p && !q && X G !q)")
    assert not intersects(automaton, translate(negated(part)))
    assert write_thesis_automaton(automaton) == LISTING_7_3
    assert write_thesis_automaton(translate(formula("!G (p -> F q)"))) == LISTING_7_3


@pytest.mark.parametrize(
    ("action", "atoms", "expected"),
    [
        ("pq", (), "p && q"),
        ("!p!q", (), "!p && !q"),
        ("p1!q22", (), "p1 && !q22"),
        ("wait!cs", ("wait", "cs"), "wait && !cs"),
        ("waitcs", ("wait", "cs", "w"), "wait && cs"),
        ("crit1!crit2", ("crit1", "crit2", "c"), "crit1 && !crit2"),
        ("p12!q", ("p", "p1", "q"), "p12 && !q"),
        ("true&wait&!cs", (), "wait && !cs"),
        ("true", (), "true"),
    ],
)
def test_glued_literals(action: str, atoms: tuple[str, ...], expected: str) -> None:
    automaton = read_thesis_automaton(source(f"s\ns\ns {action} s"), atoms).automaton
    part = formula(f"G ({expected})")
    assert not intersects(automaton, translate(negated(part)))
    assert not intersects(translate(part), _opposite_of_loop(automaton))


def _opposite_of_loop(automaton: Automaton) -> Automaton:
    from strandline.properties.automata.complement import complement

    return complement(automaton)


def test_long_names_are_written_so_that_they_read_back() -> None:
    text = write_thesis_automaton(translate(formula("G !cs0")))
    assert text == "0\n0\n0 true&!cs0 0\n"
    assert read_thesis_automaton(source(text)).automaton.atoms == ("cs0",)
    with pytest.raises(UsageError, match="cannot hold the proposition 'x == 3'"):
        write_thesis_automaton(translate(formula("G x == 3")))


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, "0", "expected a line of initial states and a line of accepting states"),
        (1, "5\n0\n0 p 0", "state 5 has no line that describes it"),
        (2, "0\n7\n0 p 0", "state 7 has no line that describes it"),
        (3, "0\n0\n0 p", "an action without a successor"),
        (3, "0\n0\n0 p 9", "state 9 has no line that describes it"),
        (3, "0\n0\n0 p? 0", "expected a literal"),
        (3, "0\n0\n0 !true 0", "'!true' is no action"),
        (4, "0\n0\n0 p 0\n0 q 0", "state 0 is described twice"),
    ],
)
def test_broken_thesis_files_name_the_line(line: int, text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read_thesis_automaton(source(text))
    assert caught.value.message == message
    assert str(caught.value).startswith(f"file:{line}:")


def test_dve_process_exactly() -> None:
    assert write_dve_process(translate(formula("!G (P_0.wait -> F P_0.CS)"))) == (
        "process LTL_property {\nstate q0, q1;\ninit q0;\naccept q1;\ntrans\nq0 -> q0 { },\n"
        "q0 -> q1 { guard (P_0.wait) and not (P_0.CS); },\nq1 -> q1 { guard not (P_0.CS); };\n}\n"
    )


def test_dve_process_in_a_model() -> None:
    text = """byte x; // property
process A { state s; init s; trans s -> s {}; }
process LTL_property {
state q1, q2;
init q1;
accept q2;
trans
q1 -> q1 {},
-> q2 { guard (A->x == 1 or A.s) && not (x > 3); },
q2 -> q2 { guard not A.s; };
}
system async property LTL_property;
"""
    automaton = read_dve_process(source(text)).automaton
    assert automaton.atoms == ("A->x == 1", "A.s", "x > 3")
    assert automaton.accepting_states == {1}
    assert [(edge.target) for edge in automaton.edges[0]] == [0, 1]
    assert automaton.edges[0][1].guard is (literal(0) | literal(1)) & ~literal(2)
    assert detect_format(text) is AutomatonFormat.DVE


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, "process A { }\nprocess B { }", "expected one property process, found 2"),
        (1, "process A {", "the process is never closed"),
        (1, "process A { state q; trans q -> q {}; }", "the process has no 'init'"),
        (3, "process A {\nstate q;\ninit r;\n}", "there is no state 'r'"),
        (3, "process A {\nstate q; init q;\ntrans q -> r {};\n}", "there is no state 'r'"),
        (
            4,
            "process A {\nstate q; init q;\ntrans\nq - q {};\n}",
            "expected a transition 'a -> b { guard ...; }'",
        ),
        (
            3,
            "process A {\nstate q; init q; trans\nq -> q { effect x = 1; };\n}",
            "a property process has guards only",
        ),
        (
            3,
            "process A {\nstate q; init q; trans\nq -> q { guard x ==; };\n}",
            "the formula ends where a proposition is expected",
        ),
    ],
)
def test_broken_processes_name_the_line(line: int, text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read_dve_process(source(text))
    assert caught.value.message == message
    assert str(caught.value).startswith(f"file:{line}:")


def test_formats_without_edge_acceptance_refuse_it() -> None:
    automaton = translate(formula("G F p && G F q"), acceptance=Acceptance.GENERALISED)
    for format_ in (AutomatonFormat.NEVER, AutomatonFormat.THESIS, AutomatonFormat.DVE):
        with pytest.raises(UsageError, match="knows accepting states only"):
            write_automaton(automaton, format_)


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        ("HOA: v1", AutomatonFormat.HOA),
        ("/* c */ never {", AutomatonFormat.NEVER),
        ("process P {", AutomatonFormat.DVE),
        (LISTING_7_3, AutomatonFormat.THESIS),
    ],
)
def test_formats_are_recognised(text: str, format_: AutomatonFormat) -> None:
    assert detect_format(text) is format_


@pytest.mark.skipif(not BEEM.exists(), reason="the BEEM models are not beside the repository")
def test_the_property_processes_of_the_benchmark_set_are_those_of_their_formulas() -> None:
    path = BEEM / "anderson.1.prop2.dve"
    automaton = read_dve_process(Source(path.name, path.read_text(encoding="utf-8"))).automaton
    part = formula("G ((P_0.p1 || P_0.p2 || P_0.p3) -> F P_0.CS)")
    assert not intersects(automaton, translate(part))
    assert automaton.state_count == translate(negated(part)).state_count == 2
