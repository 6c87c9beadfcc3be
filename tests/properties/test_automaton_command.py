"""`strandline automaton`, and automata as pictures."""

from __future__ import annotations

import argparse
from pathlib import Path
from xml.etree import ElementTree

import pytest
from formula_strategies import formula, formulas
from hypothesis import given, settings

from strandline.cli.automaton import configure
from strandline.errors import ParseError, UsageError
from strandline.properties.ltl.formula import Formula
from strandline.properties.translation.translate import Acceptance, Method, translate
from strandline.report.pictures.dot import graph_dot
from strandline.report.pictures.sources import automaton_picture
from strandline.report.pictures.svg import automaton_svg

SVG = "{http://www.w3.org/2000/svg}"


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    configure(parser.add_subparsers())
    arguments = parser.parse_args(["automaton", *words])
    code = arguments.run(arguments)
    assert isinstance(code, int)
    return code


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("G (p -> F q)", "--negate") == 0
    assert capsys.readouterr().out == (
        "!G (p -> F q)\n  by its syntax: persistence\n"
        "  exactly: persistence\n  invariant under stuttering\n"
        "  2 states, 3 edges, accepting states, nondeterministic\n\n"
        "state 0, initial\n    true  ->  0\n    p && !q  ->  1\n\n"
        "state 1, accepting\n    !q  ->  1\n"
    )


def test_what_the_syntax_does_not_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("G (p || F (p && X p)) && X q") == 0
    assert "\n  exactly: recurrence\n  not invariant under stuttering\n" in capsys.readouterr().out
    assert run("F G p || F q || true") == 0
    assert "\n  exactly: safety and guarantee\n  invariant under stuttering\n" in capsys.readouterr().out


def test_generalised_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("G F p && G F q", "--acceptance", "generalised") == 0
    out = capsys.readouterr().out
    assert "  1 state, 4 edges, 2 acceptance sets of edges, deterministic\n" in out
    assert "    p && q {0,1}  ->  0\n" in out


@pytest.mark.parametrize(
    ("format_", "start"),
    [
        ("hoa", 'HOA: v1\nname: "F p"\n'),
        ("never", "never { /* F p */\nT0_init:\n"),
        ("thesis", "0\n1\n0 !p 0 p 1\n1 true 1\n"),
        ("dve", "process LTL_property {\nstate q0, q1;\n"),
        ("dot", 'digraph "F p" {\n'),
        ("svg", "<svg "),
    ],
)
def test_formats(format_: str, start: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("F p", "--format", format_) == 0
    assert capsys.readouterr().out.startswith(start)


def test_the_tableau_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("F q", "--method", "tableau") == 0
    assert "  5 states, 11 edges, accepting states, nondeterministic\n" in capsys.readouterr().out


def test_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "automaton.txt"
    file.write_text("0\n1\n0 true 0 p!q 1\n1 !q 1\n", encoding="utf-8")
    assert run("G (p -> F q)", "--negate", "--check", str(file)) == 0
    assert capsys.readouterr().out.startswith("equal: ")
    assert run("F G !q", "--check", str(file)) == 12
    assert capsys.readouterr().out.splitlines() == [
        f"different: {file} does not accept exactly the words that satisfy F G !q",
        "  satisfies the formula, not accepted by the file: cycle{none}",
    ]


def test_mistakes_in_formula_and_file(tmp_path: Path) -> None:
    with pytest.raises(ParseError):
        run("G (p")
    with pytest.raises(UsageError, match="cannot read"):
        run("p", "--check", str(tmp_path / "nothing"))
    broken = tmp_path / "broken.hoa"
    broken.write_text("HOA: v1\nStates: x\n", encoding="utf-8")
    with pytest.raises(ParseError) as caught:
        run("p", "--check", str(broken))
    assert str(caught.value).startswith(f"{broken}:2:9: ")


def test_dot_marks_initial_and_accepting_states() -> None:
    text = graph_dot(automaton_picture(translate(formula("F p")), 'say "F p"'))
    assert text.startswith('digraph "say \\"F p\\"" {\n  node [shape=circle, ')
    assert "  enter0 -> 0;\n" in text
    assert '  1 [label="1", peripheries=2];\n' in text
    assert '  0 -> 1 [label="p"];\n' in text


def test_names_of_states_are_tooltips() -> None:
    tableau = translate(formula("F q"), method=Method.TABLEAU)
    assert tableau.state_names is not None
    titles = [one.text for one in ElementTree.fromstring(automaton_svg(tableau)).iter(f"{SVG}title")]
    assert titles == ["automaton", *tableau.state_names]
    assert all(f'tooltip="{name}"' in graph_dot(automaton_picture(tableau)) for name in tableau.state_names)


@given(formulas(max_leaves=5))
@settings(max_examples=30, deadline=None)
def test_pictures_are_well_formed_and_complete(part: Formula) -> None:
    for acceptance in Acceptance:
        automaton = translate(part, acceptance=acceptance)
        root = ElementTree.fromstring(automaton_svg(automaton, str(part)))
        accepting = len(automaton.accepting_states) if automaton.is_state_based else 0
        frames = [one for one in root.iter(f"{SVG}rect") if (one.get("class") or "").startswith("node")]
        assert len(frames) == automaton.state_count + accepting
        assert all(float(one.get("rx", "0")) > 6 for one in frames)
        ends = {(state, edge.target) for state, edges in enumerate(automaton.edges) for edge in edges}
        ways = [one for one in root.iter(f"{SVG}path") if one.get("class") == "edge"]
        assert len(ways) == len(ends) + len(automaton.initial)


def test_long_guards_have_a_line_for_each_disjunct() -> None:
    automaton = translate(formula("G (first_name || second_name || third_name_of_all)"))
    texts = [one.text for one in ElementTree.fromstring(automaton_svg(automaton)).iter(f"{SVG}text")]
    assert texts[1:-1] == ["first_name ||", "second_name ||", "third_name_of_all"]
