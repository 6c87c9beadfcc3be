"""What the sweep-line thesis says of its examples (000), section by section; figures are rebuilt from their text.

Its §2.1 is in `tests/engine/test_figures.py`, the forms of its traces in `tests/cli/test_sweepline_command.py`. Where
the text is wrong, the test says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.graphs import product_graph
from strandline.checker.limits.progress import NullCallback
from strandline.checker.ltl.value_updates import value_updates
from strandline.checker.options.claims import FINITE, Claims
from strandline.checker.options.search import Options
from strandline.checker.properties.selection import select
from strandline.checker.verdicts.verdict import Verdict
from strandline.cli.main import main
from strandline.errors import UsageError

PLACES = ("wait", "crit", "done")
BOTH_CRITICAL = "0\n1\n0 !c 0 c!d 0 cd 1\n1 true 1\n"
"""Figure 3.2; c is crit1, d is crit2."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def space(states: Mapping[str, tuple[int, str, list[str]]]) -> str:
    """A state space in a file: of each state its progress, its propositions and its successors."""
    names = sorted(set("".join(labels for _, labels, _ in states.values())) or {"p"})
    lines = []
    for state, (progress, labels, successors) in states.items():
        truths = [name if name in labels else f"!{name}" for name in names]
        lines.append(" ".join([state, str(progress), str(len(names)), *truths, *(f"* {one}" for one in successors)]))
    Path("space.ss").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return "space.ss"


def two_processes() -> dict[str, tuple[int, str, list[str]]]:
    """Figure 1.3: two processes that each wait, are critical and are done, without means to keep each other out."""
    states = {}
    for one, first in enumerate(PLACES):
        for two, second in enumerate(PLACES):
            labels = "c" * (first == "crit") + "d" * (second == "crit")
            successors = [f"{PLACES[one + 1]},{second}"] if one < 2 else []
            successors += [f"{first},{PLACES[two + 1]}"] if two < 2 else []
            states[f"{first},{second}"] = (one + two, labels, successors)
    return states


def names(trace: strandline.Trace | None) -> list[str]:
    assert trace is not None
    return [state["state"] for state in trace.states()]


def answers(verdict: Verdict) -> list[str]:
    return [one.answer.value for one in verdict.properties]


# 3.1 to 3.3: automata for safety


def test_3_1_both_can_be_critical_at_once() -> None:
    """ "The property does of course not hold in the example"."""
    Path("both.txt").write_text(BOTH_CRITICAL, encoding="utf-8")
    model = space(two_processes())
    verdict = strandline.check(model, automaton="both.txt", automaton_words="finite", measure="progress")
    assert answers(verdict) == ["VIOLATED"]
    assert names(verdict.properties[0].trace)[0] == "wait,wait"
    assert names(verdict.properties[0].trace)[-1] == "crit,crit"
    assert len(names(verdict.properties[0].trace)) == 3


def test_3_1_all_states_that_follow_are_labelled_q1() -> None:
    """Figure 3.3. We read the label of the state that is left, and the thesis of the one that is entered: q1 comes with
    the step out of the state in which both are critical, and "all states following that state" have it."""
    Path("both.txt").write_text(BOTH_CRITICAL, encoding="utf-8")
    system = strandline.load(space(two_processes()))
    (asked,) = select(system, Claims(automaton="both.txt", automaton_words=FINITE)).properties
    assert asked.specification is not None
    watched = asked.specification.observe(system.alone)
    assert watched is not None
    graph = product_graph(watched.system, Options(order="sweep"), NullCallback())
    accepting = {graph.states[node]["state"] for node in graph.accepting}
    assert accepting == {"done,crit", "crit,done", "done,done"}
    entered = {"crit,crit"} | accepting
    others = {graph.states[node]["state"] for node in graph.states} - entered
    assert len(entered) == 4
    assert len(others) == 5, "what cannot come after both were critical"


def test_3_1_liveness_is_violated_by_a_cycle_without_the_critical_state() -> None:
    """ "The only way that this property can be violated is if there exists a cycle not containing" it; a run that ends
    repeats its last state."""
    model = space(two_processes())
    verdict = strandline.check(model, "G F c", measure="progress")
    (violated,) = verdict.properties
    assert violated.trace is not None
    assert violated.trace.loop is not None
    assert all("crit" not in name.split(",")[0] for name in names(violated.trace)[violated.trace.loop :])
    rounds = two_processes()
    rounds["done,done"] = (0, "", ["wait,wait"])
    assert answers(strandline.check(space(rounds), "G F c", measure="progress")) == ["HOLDS"]


def test_3_2_a_state_without_a_successor_in_the_automaton_has_none_in_the_product() -> None:
    """Definition 3.3: the automaton that cannot read d stops there, and what lies behind is not seen."""
    Path("stops.txt").write_text("0\n1\n0 !d!p 0 p 1\n1 true 1\n", encoding="utf-8")
    chain = {"1": (1, "", ["2"]), "2": (2, "d", ["3"]), "3": (3, "p", [])}
    options: dict[str, Any] = {"automaton": "stops.txt", "automaton_words": "finite", "measure": "progress"}
    assert answers(strandline.check(space(chain), **options)) == ["HOLDS"]
    chain["2"] = (2, "", ["3"])
    chain["4"] = (9, "d", [])
    assert answers(strandline.check(space(chain), **options)) == ["VIOLATED"]


def test_3_3_safety_is_reduced_to_an_invariant() -> None:
    model = space(two_processes())
    Path("both.txt").write_text(BOTH_CRITICAL, encoding="utf-8")
    verdict = strandline.check(
        model, invariants="not (c and d)", automaton="both.txt", automaton_words="finite", measure="progress"
    )
    assert answers(verdict) == ["VIOLATED", "VIOLATED"]


# 3.4: cycles in one layer and over several


@pytest.mark.parametrize("method", ["sweep-off", "sweep-on", "sweep"])
@pytest.mark.parametrize(("layer", "persistent"), [(2, 0), (3, 1)])
def test_3_4_cycles_in_one_layer_and_over_several(method: str, layer: int, persistent: int) -> None:
    """Figure 3.5: (a) a cycle inside a layer, which takes no persistent state; (b) one that goes through one, "or else
    it would be" of the first kind."""
    model = space({"1": (1, "", ["2"]), "2": (2, "", ["3"]), "3": (layer, "p", ["2"])})
    verdict = strandline.check(model, "F G !p", method=method, measure="progress", sanity=False)
    (violated,) = verdict.properties
    assert violated.trace is not None
    assert violated.trace.loop is not None
    assert set(names(violated.trace)[violated.trace.loop :]) == {"2", "3"}
    plain = strandline.explore(model, order="sweep").statistics
    assert plain.persistent == persistent


def told(
    successors: Mapping[int, list[int]], progress: Mapping[int, int], accepting: set[int]
) -> tuple[list[tuple[int, int]], bool]:
    """The updates, and whether they close a cycle."""
    pairs, updates = [], value_updates(successors, progress, frozenset(accepting))
    while True:
        try:
            pairs.append(next(updates))
        except StopIteration as done:
            return pairs, done.value


def test_3_4_a_hidden_cycle() -> None:
    """Figure 3.6: state 1 hides the cycle through 2 in the first round, and is no candidate in the second. The text
    stops the first round when (1, true) reaches 2; by its algorithm 2 hands that on, once around."""
    successors = {1: [2], 2: [3], 3: [4], 4: [2], 5: [1]}
    pairs, found = told(successors, {1: 1, 2: 2, 3: 3, 4: 4, 5: 9}, {3})
    assert found
    first, second = pairs[:-3], pairs[-3:]
    assert first == [(2, 1), (3, 2), (4, 3), (2, 4), (3, 2), (4, 3)]
    assert second == [(3, 2), (4, 3), (2, 4)]


# 4.1: sets of states for the parts of a formula


def test_4_1_the_sets_of_figure_4_3() -> None:
    """One state has both critical, eight have not, from five nothing leads there; the initial one is not among them."""
    graph, parts = two_processes(), ["c && d", "!(c && d)", "AG !(c && d)"]
    found: dict[str, set[str]] = {part: set() for part in parts}
    for start in graph:
        verdict = strandline.check(space({start: graph[start], **graph}), ctl=parts)
        for part, one in zip(parts, verdict.properties, strict=True):
            if one.answer.value == "HOLDS":
                found[part].add(start)
    assert [len(one) for one in found.values()] == [1, 8, 5]
    assert found["c && d"] == {"crit,crit"}
    assert "wait,wait" not in found["AG !(c && d)"]


def test_4_1_linear_and_branching_time_agree_on_a_property_of_both() -> None:
    """ "This is consistent with the result when verifying the same property with LTL"."""
    verdict = strandline.check(space(two_processes()), "G !(c && d)", ctl="AG !(c && d)", measure="progress")
    assert answers(verdict) == ["VIOLATED", "VIOLATED"]
    assert [names(one.trace)[-1] for one in verdict.properties] == ["crit,crit"] * 2


def test_4_1_a_conjunction_is_decided_by_its_parts() -> None:
    """Figure 4.1: AG a ∧ EF ¬b."""
    for labels, expected in [(("ab", "a"), "HOLDS"), (("ab", "b"), "VIOLATED"), (("ab", "ab"), "VIOLATED")]:
        model = space({"1": (1, labels[0], ["2"]), "2": (2, labels[1], [])})
        assert answers(strandline.check(model, ctl="AG a && EF !b")) == [expected]


# 5.1 and 5.2: terminal components


def three_components(labelled: str) -> dict[str, tuple[int, str, list[str]]]:
    """Figure 5.1: from B the whole state space is reached, from A and C nothing else."""
    edges = {"b1": ["b2"], "b2": ["b1", "a1", "c1"], "a1": ["a2"], "a2": ["a1"], "c1": []}
    layers = {"b": 1, "a": 2, "c": 3}
    return {name: (layers[name[0]], "p" * (name in labelled.split()), ends) for name, ends in edges.items()}


@pytest.mark.parametrize(
    ("labelled", "always_possible", "possibly_always"),
    [
        ("b1 b2", False, False),
        ("a1", False, False),
        ("a1 a2", False, True),
        ("c1", False, True),  # a single state without a step is a terminal component
        ("a2 c1", True, True),
        ("", False, False),
    ],
)
@pytest.mark.parametrize("method", ["components", "swept", "explicit"])
def test_5_1_lemma_5_2(labelled: str, always_possible: bool, possibly_always: bool, method: str) -> None:
    model = space(three_components(labelled))
    for formula, expected in (("AG EF p", always_possible), ("EF AG p", possibly_always)):
        # "These two properties are the negation of each other", of the negated predicate.
        negated = {"AG EF p": "EF AG !p", "EF AG p": "AG EF !p"}[formula]
        for one, holds in ((formula, expected), (negated, not expected)):
            measure = () if method == "explicit" else "progress"
            assert answers(strandline.check(model, ctl=one, method=method, measure=measure)) == [
                "HOLDS" if holds else "VIOLATED"
            ]


def test_5_1_components_over_several_layers_are_refused() -> None:
    """Definition 5.2 and line 28 of algorithm 6."""
    model = space({"1": (1, "p", ["2"]), "2": (2, "", ["1"])})
    with pytest.raises(UsageError, match="needs a measure that never decreases, and 2 edges decrease this one"):
        strandline.check(model, ctl="AG EF p", method="components", measure="progress")
    assert answers(strandline.check(model, ctl="AG EF p", measure="progress")) == ["HOLDS"]


@pytest.mark.parametrize(("labelled", "shown"), [("12", ["3", "4"]), ("123", ["4"]), ("124", ["3"])])
def test_5_2_the_components_of_figure_5_2(labelled: str, shown: list[str]) -> None:
    """Tarjan's algorithm finds {3}, {4} and {1, 2}, of which the first two are terminal; in which order is up to the
    search."""
    edges = {"1": ["2", "4"], "2": ["3", "1"], "3": [], "4": []}
    model = space({name: (1, "p" * (name in labelled), ends) for name, ends in edges.items()})
    (violated,) = strandline.check(model, ctl="AG EF p", method="components", measure="progress").properties
    assert violated.ctl is not None
    assert violated.ctl.evidence is not None
    assert violated.ctl.evidence.component is not None
    (member,) = violated.ctl.evidence.component.members
    assert member["state"] in shown


def test_5_2_the_component_that_is_not_terminal_decides_nothing() -> None:
    edges = {"1": ["2", "4"], "2": ["3", "1"], "3": [], "4": []}
    model = space({name: (1, "p" * (name in "34"), ends) for name, ends in edges.items()})
    (holds,) = strandline.check(model, ctl="AG EF p", method="components", measure="progress").properties
    assert holds.ctl is not None
    assert holds.ctl.evidence is not None
    assert holds.ctl.evidence.words == "all 2 terminal components were looked at"


# 6.1 to 6.3: traces


def sweepline(*arguments: str) -> int:
    return main(["sweepline", "--quiet", *arguments])


def lines_of(file: str) -> list[str]:
    return Path(file).read_text(encoding="utf-8").splitlines()


def test_6_1_the_tree_of_listing_6_1() -> None:
    """Figure 6.1, line by line. The listing ends where the violation is found; the whole tree has 6 once more, because
    the second sweep, from 4, meets it again."""
    edges = {"1": (1, ["2"]), "2": (2, ["3", "4"]), "3": (3, ["5"]), "4": (3, ["6"]), "5": (4, ["4"]), "6": (4, [])}
    model = space({name: (layer, "p" * (name == "6"), ends) for name, (layer, ends) in edges.items()})
    Path("EF-p.txt").write_text("EF p\n", encoding="utf-8")
    assert sweepline("-m", model, "-s", "-f", "EF-p.txt", "--tree") == 0
    pairs = [(1, -1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 4), (4, 5)]
    assert lines_of("tree.txt") == [f"{one} has direct predecessor: {before}" for one, before in [*pairs, (6, 4)]]
    assert lines_of("trace.txt") == ["start of path -> 1 -> 2 -> 4 -> 6 -> end of path"]


FIGURE_6_3 = {1: [2], 2: [3], 3: [5], 4: [3, 1], 5: [7, 6], 6: [9],
              7: [10], 8: [4], 9: [11], 10: [12, 11], 11: [8], 12: []}  # fmt: skip
LAYERS_6_3 = {1: 1, 2: 2, 3: 3, 5: 4, 7: 5, 6: 5, 10: 6, 9: 6, 12: 7, 11: 7, 8: 8, 4: 9}
CYCLES_6_3 = [["3", "5", "6", "9", "11", "8", "4"], ["3", "5", "7", "10", "11", "8", "4"]]


def test_6_2_the_updates_of_listing_6_3() -> None:
    """Line 6 of the listing, "7 updated by: 10", is the wrong way round: 7 leads to 10. Line 10, "11 updated by: 9",
    cannot be: 10 has handed 11 the same value, and an update is "strictly greater"."""
    pairs, found = told(FIGURE_6_3, LAYERS_6_3, {8})
    listing = [(2, 1), (3, 2), (5, 3), (7, 5), (6, 5), (7, 10), (9, 6), (12, 10), (11, 10), (11, 9), (8, 11), (4, 8),
               (3, 4), (1, 4)]  # fmt: skip
    corrected = [(10, 7) if pair == (7, 10) else pair for pair in listing if pair != (11, 9)]
    assert found
    assert pairs == corrected


def test_6_2_the_cycle_of_listing_6_4() -> None:
    """ "Both paths between state 5 and state 11 can be reported": which of them is not said here."""
    model = space({str(one): (LAYERS_6_3[one], "p" * (one == 8), [str(end) for end in ends])
                   for one, ends in FIGURE_6_3.items()})  # fmt: skip
    Path("again.txt").write_text("0\n1\n0 !p 0 p 1\n1 !p 0 p 1\n", encoding="utf-8")
    assert sweepline("-m", model, "-l", "-a", "again.txt") == 13
    path, cycle = (line.split(" -> ")[1:-1] for line in lines_of("trace.txt"))
    assert path[0] == "1"
    assert cycle[0] == cycle[-1] == path[-1]
    turned = cycle[:-1]
    while turned[0] != "3":
        turned = [*turned[1:], turned[0]]
    # One may also go round through 1, which is no shorter.
    assert [one for one in turned if one not in ("1", "2")] in CYCLES_6_3


def test_6_2_theorem_6_1_is_false() -> None:
    """Who updated a state last does not lead around an acceptance cycle: 2 is met again, after it was forgotten, with
    the value that it had, and its pointer is overwritten. A lasso that is shown was executed again, and accepts."""
    edges, layers = {1: [2], 2: [3], 3: [2, 1]}, {1: 0, 2: 3, 3: 1}
    pairs, found = told(edges, layers, {1})
    assert found
    assert pairs == [(2, 1), (3, 2), (2, 3), (1, 3)]
    last = dict(pairs)
    assert (last[1], last[3], last[2]) == (3, 2, 3), "back from 1, the pointers go around 3 and 2, without 1"
    model = space({str(one): (layers[one], "p" * (one == 1), [str(end) for end in ends])
                   for one, ends in edges.items()})  # fmt: skip
    (violated,) = strandline.check(model, "F G !p", method="sweep", measure="progress", sanity=False).properties
    assert violated.trace is not None
    assert violated.trace.loop is not None
    assert "1" in names(violated.trace)[violated.trace.loop :]


def test_6_3_a_component_and_the_path_to_it() -> None:
    """Figure 6.4 and listing 6.5, which leave open what lies before: here one more branch, which is good."""
    edges = {"1": ["2"], "2": ["3", "6"], "3": ["4"], "4": ["5"], "5": ["3"], "6": []}
    layers = {"1": 1, "2": 2, "3": 3, "4": 3, "5": 3, "6": 4}
    model = space({name: (layers[name], "p" * (name in "126"), ends) for name, ends in edges.items()})
    Path("AGEF-p.txt").write_text("AGEF p\n", encoding="utf-8")
    assert sweepline("-m", model, "-c", "-f", "AGEF-p.txt") == 13
    assert lines_of("trace.txt") == [
        "start of path -> 1 -> 2 -> 3 -> end of path",
        "start of component -> 3 -> 4 -> 5 -> end of component",
    ]
