"""Specifications of runs: a formula, an automaton, or a property process of the model.

A specification provides the automaton of the runs that violate it, and can judge a single run without that automaton.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from strandline.checker.properties.atoms import bound_atoms
from strandline.checker.properties.product import Watched, put_beside
from strandline.errors import InternalError, UsageError
from strandline.model.expression import Expression
from strandline.model.scope import Scope
from strandline.model.system import System
from strandline.properties import (
    Automaton,
    Formula,
    LassoWord,
    ParsedFormula,
    WithAtoms,
    holds,
    parse_ltl,
    translate_negation,
)
from strandline.properties.automata.product import is_empty
from strandline.properties.ltl.formula import Operator, subformulas
from strandline.properties.regular.bad_prefixes import bad_prefixes
from strandline.properties.regular.finite import FiniteAutomaton, as_buchi
from strandline.properties.word import Letter
from strandline.source import Source

TAUTOLOGY = "every run of every model satisfies this formula"


class Specification(Protocol):
    """The interface of a specification: it decides for every run whether the run violates it."""

    @property
    def text(self) -> str | None:
        """The text of an LTL formula; None for other specifications."""

    @property
    def source_text(self) -> WithAtoms | None:
        """The text with the positions of its atoms, for messages; None if it has none."""

    @property
    def atoms(self) -> Mapping[str, Expression]:
        """The expression of the model for each atomic proposition."""

    @property
    def description(self) -> str:
        """The specification in words, for messages."""

    @property
    def why_never_violated(self) -> str:
        """The reason given if no run of any model violates it."""

    @property
    def stutter_invariant(self) -> bool:
        """True if the verdict on a run is known not to depend on repetitions of its states."""

    def observe(self, plain: System) -> Watched | None:
        """Return the product of the System and the automaton that accepts exactly the violating runs.

        Returns None if no run of any model violates the specification. Raises `ResourceError` if the automaton is too
        large.
        """

    def observe_prefixes(self, plain: System) -> Watched | None:
        """Return the product of the System and an automaton that accepts the bad prefixes.

        From an accepting state every continuation is a violation, and each violation has such a prefix. Returns None if
        no run of any model violates the specification. Raises `UsageError` if finite words do not decide it, and
        `ResourceError` if the automaton is too large.
        """

    def violated_by(self, letters: Sequence[Letter], loop: int | None, *, ends: bool) -> bool:
        """Return True if a run violates the specification, judged without the automaton of the search.

        `letters` are the atoms that are true in each state. `loop` is the index of the state to which the last one
        returns (both are the same state); None for a path with any continuation. `ends` is True if the last state has
        no step, and the run stays there.
        """


@dataclass(frozen=True, eq=False)
class BoundFormula:
    """An LTL formula whose atomic propositions are expressions of a model."""

    parsed: ParsedFormula
    atoms: Mapping[str, Expression]
    why_never_violated = TAUTOLOGY

    @property
    def formula(self) -> Formula:
        return self.parsed.formula

    @property
    def text(self) -> str:
        return self.parsed.source.text

    @property
    def source_text(self) -> WithAtoms:
        return self.parsed

    @property
    def description(self) -> str:
        return f"the formula: {self.formula}"

    @property
    def stutter_invariant(self) -> bool:
        return all(part.operator is not Operator.NEXT for part in subformulas(self.formula))

    def observe(self, plain: System) -> Watched | None:
        return _watch(plain, self._negation, self.atoms)

    def observe_prefixes(self, plain: System) -> Watched | None:
        return _watch(plain, as_buchi(self._bad_prefixes), self.atoms)

    def violated_by(self, letters: Sequence[Letter], loop: int | None, *, ends: bool) -> bool:
        return not holds(self.formula, word_of(letters, loop))

    @cached_property
    def _negation(self) -> Automaton:
        return translate_negation(self.formula)

    @cached_property
    def _bad_prefixes(self) -> FiniteAutomaton:
        return bad_prefixes(self.formula)


@dataclass(frozen=True, slots=True, eq=False)
class PropertyProcess:
    """The model's own property process, which accepts the runs that violate it."""

    system: System
    text = source_text = None
    why_never_violated = ""
    description = "the property process"
    stutter_invariant = False

    @property
    def atoms(self) -> Mapping[str, Expression]:
        return {}

    def observe(self, plain: System) -> Watched | None:
        observer = plain.observer
        if observer is None:
            raise UsageError("the model has no property process")
        return Watched(plain, len(observer.location.names or ()), len(observer.edges))

    def observe_prefixes(self, plain: System) -> Watched | None:
        raise UsageError("a property process has no automaton of bad prefixes")

    def violated_by(self, letters: Sequence[Letter], loop: int | None, *, ends: bool) -> bool:
        raise InternalError("a property process is judged by its locations")


def bind_formula(
    text: str | Source, system: System, *, name: str = "formula", scope: Scope | None = None
) -> BoundFormula:
    """Parse an LTL formula over a System, in its own language or that of `scope`.

    Raises `InputError` with the position in the formula.
    """
    words = system.scope if scope is None else scope
    parsed = parse_ltl(Source(name, text) if isinstance(text, str) else text, equality=words.equality)
    return BoundFormula(parsed, bound_atoms(parsed, system, scope))


def word_of(letters: Sequence[Letter], loop: int | None) -> LassoWord:
    """Return the infinite word of a run's letters, whose last state returns to the one with index `loop`.

    If `loop` is None (a bad prefix) or the last index (a run that has ended), the last letter repeats for ever.
    """
    last = len(letters) - 1
    if loop is None or loop == last:
        return LassoWord(tuple(letters[:last]), (letters[last],))
    return LassoWord(tuple(letters[:loop]), tuple(letters[loop:last]))


def _watch(plain: System, automaton: Automaton, atoms: Mapping[str, Expression]) -> Watched | None:
    return None if is_empty(automaton) else put_beside(plain, automaton, atoms)
