"""Writing automata in the Hanoi Omega-Automata format, version 1."""

from __future__ import annotations

from strandline.properties.automata.automaton import Automaton
from strandline.properties.automata.guard import guard_text
from strandline.properties.ltl.printer import quote_name


def write_hoa(automaton: Automaton, *, name: str = "") -> str:
    """Return HOA text; acceptance is on states if the automaton is state-based, else on edges."""
    by_state = automaton.is_state_based
    lines = ["HOA: v1"]
    if name:
        lines.append(f"name: {quote_name(name)}")
    lines.append(f"States: {automaton.state_count}")
    lines += [f"Start: {state}" for state in automaton.initial]
    lines.append(" ".join([f"AP: {len(automaton.atoms)}", *map(quote_name, automaton.atoms)]))
    lines += _acceptance_lines(automaton.acceptance_sets)
    lines.append(_properties_line(automaton, by_state))
    lines.append("--BODY--")
    for state in range(automaton.state_count):
        lines += _state_lines(automaton, state, by_state)
    lines.append("--END--")
    return "\n".join(lines) + "\n"


def _acceptance_lines(count: int) -> list[str]:
    if count == 0:
        return ["acc-name: all", "Acceptance: 0 t"]
    condition = "&".join(f"Inf({number})" for number in range(count))
    name = "Buchi" if count == 1 else f"generalized-Buchi {count}"
    return [f"acc-name: {name}", f"Acceptance: {count} {condition}"]


def _properties_line(automaton: Automaton, by_state: bool) -> str:
    words = ["properties: trans-labels explicit-labels", "state-acc" if by_state else "trans-acc"]
    if automaton.is_complete:
        words.append("complete")
    if automaton.is_deterministic:
        words.append("deterministic")
    return " ".join(words)


def _state_lines(automaton: Automaton, state: int, by_state: bool) -> list[str]:
    edges = automaton.edges[state]
    head = f"State: {state}"
    if automaton.state_names is not None:
        head += f" {quote_name(automaton.state_names[state])}"
    if by_state and edges and automaton.acceptance_sets:
        head += _marks_text(edges[0].marks)
    lines = [head]
    for edge in edges:
        label = guard_text(edge.guard, str, conjunct="&", disjunct=" | ", true="t", false="f")
        marks = "" if by_state else _marks_text(edge.marks)
        lines.append(f"[{label}] {edge.target}{marks}")
    return lines


def _marks_text(marks: int) -> str:
    numbers = [str(number) for number in range(marks.bit_length()) if marks >> number & 1]
    return f" {{{' '.join(numbers)}}}" if numbers else ""
