"""Automata as plain text for people."""

from __future__ import annotations

from strandline.properties.automata.automaton import Automaton
from strandline.properties.ltl.classify import Classes, narrowest, syntactic_classes
from strandline.properties.ltl.formula import Formula
from strandline.report.pictures.sources import edge_label


def automaton_text(
    automaton: Automaton, formula: Formula, exactly: Classes | None = None, stutters: bool | None = None
) -> str:
    """Return the formula with its class, the sizes of its automaton, and one line per edge.

    `exactly` are the classes of the formula's language, `stutters` is True if it is stutter-invariant; None omits the
    line.
    """
    sizes = [_count(automaton.state_count, "state"), _count(automaton.edge_count, "edge")]
    facts = ", ".join([*sizes, _acceptance(automaton), _shape(automaton)])
    lines = [f"{formula}", f"  by its syntax: {_class_words(syntactic_classes(formula))}"]
    if exactly is not None:
        lines.append(f"  exactly: {_class_words(exactly)}")
    if stutters is not None:
        lines.append(f"  {'invariant' if stutters else 'not invariant'} under stuttering")
    lines.append(f"  {facts}")
    for state in range(automaton.state_count):
        lines += ["", _state_line(automaton, state)]
        lines += [f"    {edge_label(automaton, edge)}  ->  {edge.target}" for edge in automaton.edges[state]]
    return "\n".join(lines) + "\n"


def _class_words(classes: Classes) -> str:
    return " and ".join(kind.value for kind in narrowest(classes))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _acceptance(automaton: Automaton) -> str:
    if automaton.is_state_based:
        return "accepting states"
    return f"{_count(automaton.acceptance_sets, 'acceptance set')} of edges"


def _shape(automaton: Automaton) -> str:
    return "deterministic" if automaton.is_deterministic else "nondeterministic"


def _state_line(automaton: Automaton, state: int) -> str:
    words = [f"state {state}"]
    if state in automaton.initial:
        words.append("initial")
    if automaton.is_state_based and state in automaton.accepting_states:
        words.append("accepting")
    name = automaton.state_names[state] if automaton.state_names is not None else ""
    return ", ".join(words) + (f": {name}" if name else "")
