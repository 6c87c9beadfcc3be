"""Guards written as Boolean formulas inside other files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from strandline.errors import ParseError, UsageError
from strandline.properties.automata.automaton import Automaton, Edge, merge_parallel, restrict
from strandline.properties.automata.guard import MAXIMUM_ATOMS
from strandline.properties.ltl.formula import Formula, atoms_of
from strandline.properties.ltl.implication import boolean_guard
from strandline.properties.ltl.parser import ParsedFormula, parse_ltl
from strandline.source import Source, Span


@dataclass(frozen=True, slots=True)
class AutomatonText:
    """A parsed automaton with the source position of the first occurrence of each atomic proposition."""

    automaton: Automaton
    source: Source
    atom_spans: Mapping[str, Span]
    final: frozenset[int] | None
    """The accepting states, including those without edges, which matter for finite words.

    None if acceptance is on edges.
    """


class AtomPlaces:
    """Collects the source positions of first occurrences of atomic propositions, in any order of parsing."""

    def __init__(self) -> None:
        self.spans: dict[str, Span] = {}

    def note(self, spans: Mapping[str, Span]) -> None:
        for name, span in spans.items():
            known = self.spans.get(name)
            if known is None or span.start < known.start:
                self.spans[name] = span


def parse_guard(source: Source, span: Span, *, member_arrow: bool = False) -> ParsedFormula:
    """Parse the Boolean formula at `span`; errors have their source positions in the whole file.

    `member_arrow` is that of `parse_ltl`.
    """
    # Blank out the text before, keeping line breaks, so that offsets are those of the file.
    before = re.sub(r"[^\n]", " ", source.text[: span.start])
    try:
        parsed = parse_ltl(Source(source.name, before + source.text[span.start : span.end]), member_arrow=member_arrow)
    except ParseError as error:
        raise ParseError(error.message, source, error.span) from None
    if not parsed.formula.is_boolean:
        raise ParseError("a guard has no temporal operators", source, span)
    return ParsedFormula(parsed.formula, source, parsed.atom_spans)


FormulaEdge = tuple[Formula, int]
DescribedState = tuple[list[FormulaEdge], bool]
"""A parsed state: its edges, and True if it is accepting."""


def accepting_among(states: Iterable[DescribedState]) -> frozenset[int]:
    """Return the numbers of the accepting states."""
    return frozenset(number for number, (_, accepting) in enumerate(states) if accepting)


def automaton_from_formulas(
    source: Source, initial: tuple[int, ...], states: Iterable[tuple[list[FormulaEdge], bool]]
) -> Automaton:
    """Return a state-based automaton from edges labelled with formulas, and the acceptance of states."""
    states = list(states)
    atoms = tuple(sorted({name for edges, _ in states for formula, _ in edges for name in atoms_of(formula)}))
    if len(atoms) > MAXIMUM_ATOMS:
        raise ParseError(f"more than {MAXIMUM_ATOMS} atomic propositions", source)
    edges = tuple(
        merge_parallel(Edge(boolean_guard(formula, atoms), target, int(accepting)) for formula, target in outgoing)
        for outgoing, accepting in states
    )
    return Automaton(atoms, initial, edges, 1)


def require_state_based(automaton: Automaton, format_name: str) -> None:
    """Raise `UsageError` for an automaton that is not state-based, which the format cannot express."""
    if not automaton.is_state_based:
        raise UsageError(f"{format_name} knows accepting states only; translate with state-based acceptance")


def with_single_initial(automaton: Automaton) -> Automaton:
    """Return an equivalent state-based automaton with exactly one initial state, which is state 0.

    Several initial states get a new common one with the edges of all.
    """
    if len(automaton.initial) == 1:
        first = automaton.initial[0]
        order = [first, *(state for state in range(automaton.state_count) if state != first)]
        return automaton if first == 0 else restrict(automaton, order)
    united = [Edge(edge.guard, edge.target) for state in automaton.initial for edge in automaton.edges[state]]
    names = automaton.state_names
    enlarged = Automaton(
        automaton.atoms,
        (automaton.state_count,),
        (*automaton.edges, merge_parallel(united)),
        automaton.acceptance_sets,
        None if names is None else (*names, "initial"),
    )
    return with_single_initial(enlarged)
