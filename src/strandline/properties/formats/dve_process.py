"""Property processes of DVE: a Büchi automaton that steps together with the system.

    process LTL_property {
    state q1, q2;
    init q1;
    accept q2;
    trans
    q1 -> q1 {},
    q1 -> q2 { guard P_0.wait and not (P_0.CS); };
    }

Guards are read in the state that the system leaves, which is our convention too. The reader takes such a process alone,
or from a model file whose `system` line names it as the property.
"""

from __future__ import annotations

import re

from strandline.errors import ParseError
from strandline.properties.automata import guard as guards
from strandline.properties.automata.automaton import Automaton
from strandline.properties.automata.guard import Guard, guard_text
from strandline.properties.formats.guard_syntax import (
    AtomPlaces,
    AutomatonText,
    FormulaEdge,
    accepting_among,
    automaton_from_formulas,
    parse_guard,
    require_state_based,
    with_single_initial,
)
from strandline.properties.ltl.formula import TRUE
from strandline.properties.ltl.parser import ParsedFormula
from strandline.properties.ltl.printer import PLAIN_NAME
from strandline.source import Source, Span


def write_dve_process(automaton: Automaton, *, name: str = "LTL_property") -> str:
    """Return the process of a state-based automaton, with the atoms' texts in its guards."""
    require_state_based(automaton, "a DVE property process")
    automaton = with_single_initial(automaton)
    states = [f"q{state}" for state in range(automaton.state_count)]
    lines = [f"process {name} {{", f"state {', '.join(states)};", "init q0;"]
    if automaton.accepting_states:
        lines.append(f"accept {', '.join(states[state] for state in sorted(automaton.accepting_states))};")
    steps = [
        f"q{state} -> q{edge.target} {{ {_guard_clause(automaton, edge.guard)}}}"
        for state, edges in enumerate(automaton.edges)
        for edge in edges
    ]
    if steps:
        lines += ["trans", ",\n".join(steps) + ";"]
    return "\n".join([*lines, "}"]) + "\n"


def _guard_clause(automaton: Automaton, guard: Guard) -> str:
    if guard is guards.TRUE:
        return ""
    text = guard_text(
        guard,
        lambda place: _atom_text(automaton.atoms[place]),
        conjunct=" and ",
        disjunct=" or ",
        negation="not ",
    )
    return f"guard {text}; "


def _atom_text(name: str) -> str:
    return name if PLAIN_NAME.match(name) else f"({name})"


_PROCESS = re.compile(r"\bprocess\s+([A-Za-z_]\w*)\s*\{")
_PROPERTY = re.compile(r"\bsystem\s+\w+\s+property\s+([A-Za-z_]\w*)")
_SECTION = re.compile(r"\b(state|init|accept)\b([^;]*);")
_STEP = re.compile(r"\s*([A-Za-z_]\w*)?\s*->\s*([A-Za-z_]\w*)\s*\{([^{}]*)\}\s*([,;])")
_CLAUSE = re.compile(r"\s*guard\b\s*([^;]*?)\s*;\s*\Z")


def read_dve_process(source: Source) -> AutomatonText:
    """Parse a property process; raises `ParseError` with the source position of the mistake."""
    text = _without_comments(source.text)
    start, end = _process_body(source, text)
    number, initial, accepting = _declarations(source, text, start, end)
    edges: list[list[FormulaEdge]] = [[] for _ in number]
    places = AtomPlaces()
    for first, second, guard in _steps(source, text, start, end, number):
        places.note(guard.atom_spans)
        edges[first].append((guard.formula, second))
    states = [(outgoing, place in accepting) for place, outgoing in enumerate(edges)]
    automaton = automaton_from_formulas(source, (initial,), states)
    return AutomatonText(automaton, source, places.spans, accepting_among(states))


def _without_comments(text: str) -> str:
    """Replace comments by blanks, which keeps all offsets valid."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.DOTALL)


def _process_body(source: Source, text: str) -> tuple[int, int]:
    """Return the offsets between the braces of the property process.

    It is the process that `system` names, else the only one.
    """
    processes = list(_PROCESS.finditer(text))
    named = _PROPERTY.search(text)
    if named is not None:
        processes = [match for match in processes if match.group(1) == named.group(1)]
    if len(processes) != 1:
        raise ParseError(f"expected one property process, found {len(processes)}", source, Span(0, 1))
    start = processes[0].end()
    depth = 1
    for offset in range(start, len(text)):
        depth += (text[offset] == "{") - (text[offset] == "}")
        if depth == 0:
            return start, offset
    raise ParseError("the process is never closed", source, Span(processes[0].start(), start))


def _declarations(source: Source, text: str, start: int, end: int) -> tuple[dict[str, int], int, set[int]]:
    number: dict[str, int] = {}
    initial: int | None = None
    accepting: set[int] = set()
    stop = re.compile(r"\btrans\b").search(text, start, end)
    for match in _SECTION.finditer(text, start, stop.start() if stop else end):
        names = list(re.finditer(r"[A-Za-z_]\w*", match.group(2)))
        base = match.start(2)
        if match.group(1) == "state":
            number = {name.group(): place for place, name in enumerate(names)}
            continue
        for name in names:
            span = Span(base + name.start(), base + name.end())
            state = _look_up(source, number, name.group(), span)
            if match.group(1) == "init":
                initial = state
            else:
                accepting.add(state)
    if initial is None:
        raise ParseError("the process has no 'init'", source, Span(start, start + 1))
    return number, initial, accepting


def _steps(
    source: Source, text: str, start: int, end: int, number: dict[str, int]
) -> list[tuple[int, int, ParsedFormula]]:
    trans = re.compile(r"\btrans\b").search(text, start, end)
    if trans is None:
        return []
    steps = []
    offset, previous, last = trans.end(), "", ","
    while last == ",":
        match = _STEP.match(text, offset, end)
        if match is None:
            place = offset + len(text[offset:end]) - len(text[offset:end].lstrip())
            raise ParseError("expected a transition 'a -> b { guard ...; }'", source, Span(place, place + 1))
        previous = match.group(1) or previous
        first = _look_up(source, number, previous, Span(*match.span(1 if match.group(1) else 2)))
        second = _look_up(source, number, match.group(2), Span(*match.span(2)))
        steps.append((first, second, _clause(source, text, *match.span(3))))
        offset, last = match.end(), match.group(4)
    return steps


def _clause(source: Source, text: str, start: int, end: int) -> ParsedFormula:
    if not text[start:end].strip():
        return ParsedFormula(TRUE, source, {})
    clause = _CLAUSE.match(text, start, end)
    if clause is None:
        raise ParseError("a property process has guards only", source, Span(start, end))
    return parse_guard(source, Span(*clause.span(1)), member_arrow=True)


def _look_up(source: Source, number: dict[str, int], name: str, span: Span) -> int:
    if name not in number:
        raise ParseError(f"there is no state '{name}'", source, span)
    return number[name]
