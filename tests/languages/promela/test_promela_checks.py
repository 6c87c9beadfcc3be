"""What a bare check of a Promela model decides, its traces, its messages, and what is refused."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

import strandline
from strandline.errors import InputError, UsageError
from strandline.languages import load, promela
from strandline.model.system import System
from strandline.source import Source


def read(text: str) -> System:
    return promela.load(Source("model.pml", dedent(text).lstrip()))


def answers(system: System, **asked: object) -> dict[str, str]:
    return {one.name: one.answer.name for one in strandline.check(system, **asked).properties}  # type: ignore[arg-type]


RACE = """
    byte n;
    active [2] proctype P() { byte t; t = n; n = t + 1; (_nr_pr == 2 && n == 2) -> assert(n == 1) }
    ltl grows { <> (n == 2) }
    ltl small { [] (n <= 2) }
    """


def test_a_bare_check_decides_assertions_ends_and_formulas() -> None:
    found = answers(read(RACE))
    assert found["deadlock freedom"] == "VIOLATED"
    assert (found["grows"], found["small"]) == ("VIOLATED", "HOLDS")
    assert [answer for name, answer in found.items() if name.startswith("assert")] == ["VIOLATED", "VIOLATED"]


def test_a_violated_assertion_inside_atomic_has_a_trace() -> None:
    system = read("byte x; active proctype P() { x = 1; atomic { x++; x = x * 2; assert(x < 4); x = 0 } }")
    verdict = strandline.check(system)
    (broken,) = [one for one in verdict.properties if one.answer.name == "VIOLATED"]
    assert broken.trace is not None
    assert [step.action for step in broken.trace.steps] == ["P: x = 1", "P: x++; P: x = x * 2; P: assert(x < 4) fails"]


def test_assertions_that_fail_do_not_end_other_runs() -> None:
    """Formulas and explorations go on behind them, as SPIN does."""
    system = read("byte x; active proctype P() { assert(x == 1); x = 2 }\nltl two { <> (x == 2) }")
    assert answers(system, property=["two"]) == {"two": "HOLDS"}
    assert strandline.explore(system).statistics.states == 4


def test_a_never_claim_is_a_property_process() -> None:
    claim = "never { do :: true :: x == 2 -> break od; accept: do :: x == 2 od }"
    assert answers(read(f"byte x; active proctype P() {{ x = 2; x = 3 }}\n{claim}"))["never_0"] == "HOLDS"
    assert answers(read(f"byte x; active proctype P() {{ x = 2 }}\n{claim}"))["never_0"] == "VIOLATED"


def test_weak_fairness_with_timeouts() -> None:
    text = """
        byte x;
        active proctype A() { do :: x = 1 - x od }
        active proctype B() { timeout -> assert(false) }
        active proctype C() { x = 5; (false) }
        """
    system = read(text)
    assert answers(system, ltl='<> {C@"line 4 #2"}') == {'<> {C@"line 4 #2"}': "VIOLATED"}
    assert answers(system, ltl='<> {C@"line 4 #2"}', fair=True) == {'<> {C@"line 4 #2"}': "HOLDS"}


def test_cycles_through_labels() -> None:
    system = read("byte x; active proctype P() { do :: x = 1; progress: x = 0 :: x = 3; accept: x = 2 od }")
    assert answers(system, non_progress=True, accept_labels=True) == {
        "non-progress": "VIOLATED",
        "accept-labels": "VIOLATED",
    }
    ending = read("byte x; active proctype P() { x = 1; accept: (false) }")
    assert answers(ending, accept_labels=True) == {"accept-labels": "HOLDS"}
    from strandline.languages import dve

    other = dve.load(Source("m.dve", "process P { state s; init s; trans s -> s {}; } system async;"))
    with pytest.raises(UsageError, match="non_progress=True is for models in Promela"):
        strandline.check(other, non_progress=True)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"por": True}, "paths of several actions"),
        ({"symmetry": True}, "paths of several actions"),
        ({"ctl": "AG x < 3", "method": "symbolic"}, "paths of several"),
    ],
    ids=["por", "symmetry", "symbolic"],
)
def test_reductions_refuse_steps_of_several_actions(options: dict[str, object], why: str) -> None:
    system = read("byte x; active [2] proctype P() { atomic { x = 1; x = 0 } }")
    with pytest.raises(UsageError, match=why):
        strandline.check(system, **options)  # type: ignore[arg-type]


def test_logs_are_compared_with_single_actions() -> None:
    system = read("byte x; active proctype P() { atomic { x = 1; x = 0 } }")
    with pytest.raises(UsageError, match="a log is compared with single actions"):
        strandline.conform(system, [{"x": 1}])


def test_partial_order_reduction_without_atomic_sequences() -> None:
    system = read("byte a, b; active proctype P() { a++; a++; a++ } active proctype Q() { b++; b++; b++ }")
    whole, reduced = (strandline.explore(system, por=por).statistics.states or 0 for por in (False, True))
    assert reduced < whole == 21


def test_ctl_sees_the_states_that_are_stored() -> None:
    system = read("byte x; active proctype P() { atomic { x = 1; x = 2 }; x = 3 }")
    assert answers(system, ctl=["AG !{x == 1}", "EF {x == 2}"]) == {"AG !{x == 1}": "HOLDS", "EF {x == 2}": "HOLDS"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("byte a[2], i = 2; active proctype P() { a[i] = 1 }", "array index out of range"),
        ("byte x; active proctype P() { x = 1 / x }", "division by zero"),
        ("chan c; active proctype P() { c = c; c!1 }", "a channel that was never initialised is used"),
        ("active proctype P() { d_step { skip; (false) } }", "a d_step blocks behind its first statement"),
        (
            "byte x; active proctype P() { atomic { do :: x = 1 - x od } }",
            "a step of more than 3000 actions, which may never end",
        ),
        ("proctype C() { (false) } init { do :: run C() od }", "more processes than expected; give their number by -D"),
        ("hidden byte h; byte x; active proctype P() { h = 1; x = h }", "the hidden variable 'h' keeps a value"),
    ],
)
def test_faults(text: str, fault: str) -> None:
    found = strandline.explore(read(text)).fault
    assert found is not None
    assert fault in (found.reason or "")


def test_hidden_variables_inside_steps() -> None:
    """They are no part of any state, as long as they are reset before the step ends."""
    system = read("hidden byte h; byte x; active proctype P() { d_step { h = 3; x = h; h = 0 }; x = 4 }")
    assert strandline.explore(system).statistics.states == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("byte x; active proctype P() { y = 1 }", "model.pml:1:31: unknown name 'y'"),
        ("active proctype P() { goto out }", "model.pml:1:23: there is no label 'out'"),
        ("active proctype P() { break }", "model.pml:1:23: 'break' outside of a loop"),
        ("active proctype P() { if skip fi }", "model.pml:1:26: expected '::', not 'skip'"),
        ("chan c = [1] of { byte, byte }; active proctype P() { c!1 }", "a message of 'c' has 2 fields, not 1"),
        ("active proctype P() { c_code { x; } }", "model.pml:1:23: embedded C cannot be checked"),
        ("trace { skip }", "model.pml:1:1: trace assertions are not supported"),
        ("byte x;", "no process is active: there is no init and no active proctype"),
        ("active proctype P() { run Q() }", "model.pml:1:23: unknown proctype 'Q'"),
        ("#if 1\nactive proctype P() { skip }", "model.pml:1:2: this condition has no #endif"),
        ("#define A(x) x\nactive proctype P() { A(1, 2) }", "the macro 'A' takes 1 arguments, not 2"),
        ("#define A B\n#define B z + 1\nbyte x; active proctype P() { x = A }", "unknown name 'z'"),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        promela.load(Source("model.pml", text))
    assert message in str(caught.value)


def test_messages_show_the_chain_of_expansions() -> None:
    text = "#define ADD(v) v = v + one\ninline twice(w) { ADD(w); ADD(w) }\nbyte x; active proctype P() { twice(x) }"
    with pytest.raises(InputError) as caught:
        promela.load(Source("model.pml", text))
    shown = str(caught.value)
    assert shown.startswith("model.pml:3:31: unknown name 'one'")
    assert "(in the expansion of 'twice', model.pml:2:19)" in shown
    assert "(in the expansion of 'ADD', model.pml:1:24)" in shown


def test_included_files_and_macros_from_outside(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("#ifndef N\n#define N 2\n#endif\nbyte x = N;\n", encoding="utf-8")
    model = tmp_path / "m.pml"
    model.write_text(
        '#include "part.h"\nactive proctype P() { do :: x > 0 -> x-- :: else -> break od }\n', encoding="utf-8"
    )
    assert strandline.explore(load(model)).statistics.states == 7
    assert strandline.explore(load(model, {"N": 5})).statistics.states == 13
    (tmp_path / "part.h").write_text("byte x = ;\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"part\.h:1:10: expected an expression, not ';'"):
        load(model)


def test_the_number_of_processes_can_be_given(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    text = "proctype C(byte n) { if :: n < 12 -> run C(n + 1) :: else fi; (false) } init { run C(0) }"
    model.write_text(text, encoding="utf-8")
    assert strandline.explore(load(model)).fault is not None
    assert strandline.explore(load(model, {"processes": 20})).fault is None
