"""Automata and regular expressions over a model as specifications of forbidden runs.

Runs are judged by the automaton or expression as it was read, not by its translation for the search: an automaton by
the words it accepts, a regular expression by an automaton with a state for each of its letters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from strandline.checker.properties.atoms import bound_atoms
from strandline.checker.properties.product import Watched, put_beside
from strandline.checker.properties.specification import word_of
from strandline.errors import ParseError, UsageError
from strandline.model.expression import Expression
from strandline.model.system import System
from strandline.properties import Automaton, WithAtoms
from strandline.properties.automata.complement import complement
from strandline.properties.automata.degeneralise import smallest_state_based
from strandline.properties.automata.product import accepts, is_empty
from strandline.properties.formats.guard_syntax import AutomatonText
from strandline.properties.formats.reading import read_automaton
from strandline.properties.regular.bad_prefixes import terminal
from strandline.properties.regular.expression import parse_regular
from strandline.properties.regular.finite import FiniteAutomaton, accepts_prefix, as_buchi
from strandline.properties.word import Letter
from strandline.source import Source, Span


@dataclass(frozen=True, eq=False)
class BoundAutomaton:
    """An automaton on infinite words over a model, as a specification.

    No run may be accepted; with `good`, every run must be accepted.
    """

    source_text: AutomatonText
    atoms: Mapping[str, Expression]
    good: bool = False
    text = None

    @property
    def description(self) -> str:
        return f"the automaton in {self.source_text.source.name}"

    @property
    def stutter_invariant(self) -> bool:
        return False

    @property
    def why_never_violated(self) -> str:
        return "the automaton accepts every word" if self.good else "the automaton accepts no word"

    def observe(self, plain: System) -> Watched | None:
        searched = self._violating
        return None if is_empty(searched) else put_beside(plain, searched, self.atoms)

    def observe_prefixes(self, plain: System) -> Watched | None:
        searched = self._violating
        if is_empty(searched):
            return None
        prefixes = terminal(searched)
        if prefixes is None:
            raise UsageError("the automaton does not accept everything once it is in an accepting state")
        return put_beside(plain, as_buchi(prefixes), self.atoms)

    def violated_by(self, letters: Sequence[Letter], loop: int | None, *, ends: bool) -> bool:
        return accepts(self.source_text.automaton, word_of(letters, loop)) != self.good

    @cached_property
    def _violating(self) -> Automaton:
        automaton = self.source_text.automaton
        return smallest_state_based(complement(automaton) if self.good else automaton)


@dataclass(frozen=True, eq=False)
class BoundPrefixes:
    """Forbidden finite words: the words that an automaton or a regular expression accepts.

    `searched` is the automaton for the search, `judged` the one by which a run is judged. A path that ends in a
    deadlock continues with its last state, as all runs do.
    """

    source_text: WithAtoms
    atoms: Mapping[str, Expression]
    searched: FiniteAutomaton
    judged: FiniteAutomaton
    description: str
    text = None
    why_never_violated = "no path of any model has such a word"
    stutter_invariant = False

    def observe(self, plain: System) -> Watched | None:
        automaton = as_buchi(self.searched)
        return None if is_empty(automaton) else put_beside(plain, automaton, self.atoms)

    def observe_prefixes(self, plain: System) -> Watched | None:
        return self.observe(plain)

    def violated_by(self, letters: Sequence[Letter], loop: int | None, *, ends: bool) -> bool:
        if loop is None and not ends:
            return accepts_prefix(self.judged, letters)
        word = word_of(letters, loop)
        return accepts_prefix(self.judged, word.prefix, word.loop)


def read_automaton_file(path: str | Path, system: System | None = None) -> AutomatonText:
    """Read the automaton in a file of any supported format, about a System if it is given. Raises `InputError`."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    names = [] if system is None else [one.name for one in system.labels] + [one.name for one in system.variables]
    return read_automaton(Source(str(path), text), names=names)


def bind_automaton(read: AutomatonText, system: System, *, good: bool, finite: bool) -> BoundAutomaton | BoundPrefixes:
    """Bind the propositions of an automaton to a System; `good` if it accepts the allowed runs.

    `finite` is for automata on finite words. Raises `InputError` with the position of a proposition that the model does
    not know.
    """
    atoms = bound_atoms(read, system)
    if not finite:
        return BoundAutomaton(read, atoms, good)
    if read.final is None:
        raise UsageError(f"{read.source.name}: an automaton on finite words has accepting states, not edges")
    edges = read.automaton.edges
    words = FiniteAutomaton(read.automaton.atoms, read.automaton.initial, edges, read.final).without_marks()
    _refuse_empty_word(words, read)
    return BoundPrefixes(read, atoms, words, words, f"the automaton in {read.source.name}")


def bind_regular(text: str, system: System, *, name: str) -> BoundPrefixes:
    """Parse a regular expression over a System. Raises `InputError` with the position of the mistake."""
    read = parse_regular(Source(name, text))
    _refuse_empty_word(read.positions, read)
    return BoundPrefixes(read, bound_atoms(read, system), read.automaton, read.positions, f"'{text}'")


def _refuse_empty_word(automaton: FiniteAutomaton, read: WithAtoms) -> None:
    if not automaton.final.isdisjoint(automaton.initial):
        message = "the empty word is accepted: every path would be a violation"
        raise ParseError(message, read.source, Span(0, len(read.source.text.rstrip().partition("\n")[0])))
