"""Judge counterexamples: check that the shown run violates the property, without the automaton of the search.

A formula is evaluated on the run's word by `strandline.properties.holds`, which shares nothing with the translations; a
property process must accept along the loop; the loop must be fair, and infinite if finite runs are ignored. A
contradiction is a `ReplayError`: a bug of ours, never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from strandline.checker.properties.product import Product
from strandline.checker.properties.specification import PropertyProcess, Specification
from strandline.checker.tasks.runs import Question
from strandline.checker.verdicts.ltl import AtomValues
from strandline.compile.interpret import Fault, Interpreter
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import ACCEPTING_BIT
from strandline.errors import InputError, ReplayError
from strandline.properties.word import Letter
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.lassos import ShownRun, unmet_fairness
from strandline.traces.stored import MOST_HELD

_MOST_WORK = 100_000
"""Largest product of atoms and squared trace length for which the decisive values are computed."""
_MOST_ATOMS = 40
"""Most atoms of a formula for which the decisive values are computed; judging a long formula takes long."""


def judge(
    question: Question,
    product: Product,
    run: ShownRun,
    *,
    values: bool = True,
    check_limits: Callable[[], None] = lambda: None,
) -> tuple[AtomValues, ...]:
    """Return the values of the atoms along a run that violates the specification; nothing if not `values`.

    Raises `ReplayError` if the run does not violate it, or if it is not a run that counts. For a long run
    `check_limits` is called regularly, which may raise `ResourceError`.
    """
    reference, specification = reference_of(product.plain), question.specification
    _judge_run(product, reference, run)
    if isinstance(specification, PropertyProcess):
        _judge_process(reference, run)
        return ()
    letters = letters_of(reference, specification, run, check_limits)
    word = JudgedWord(specification, letters, run.trace.loop, _stands_still(reference, run))
    if not word.violates():
        raise ReplayError(f"the trace does not violate {specification.description}")
    return word.atom_values() if values else ()


def _judge_process(reference: SystemReference, run: ShownRun) -> None:
    """Raise `ReplayError` if the property process accepts nowhere in the loop of the run."""
    if not any(reference.labels(state) >> ACCEPTING_BIT & 1 for state in run.loop_states):
        raise ReplayError("the property process does not accept in the loop of the trace")


def _judge_run(product: Product, reference: SystemReference, run: ShownRun) -> None:
    if run.trace.loop is None:
        return
    unmet = unmet_fairness(reference, run, product.fairness)
    if unmet is not None:
        raise ReplayError(f"the loop of the trace is not fair: {unmet.name}")
    if product.ignore_finite_runs and _stands_still(reference, run):
        raise ReplayError("the trace ends, but runs that end were to be ignored")


def _stands_still(reference: SystemReference, run: ShownRun) -> bool:
    """Return True if the run ends in a deadlock: its loop, or the last state of a path, has no step."""
    interpreter = Interpreter(reference.system)
    last = run.loop_states or run.states[-1:]
    return all(interpreter.is_deadlock(reference.layout.unpack(state)) for state in last)


def letters_of(
    reference: SystemReference,
    specification: Specification,
    run: ShownRun,
    check_limits: Callable[[], None] = lambda: None,
) -> tuple[Letter, ...]:
    """Return the set of atoms that hold in each state of the run.

    Raises `InputError` if an atom cannot be evaluated. `check_limits` is called regularly, and may raise
    `ResourceError`.
    """
    interpreter, written = Interpreter(reference.system), specification.source_text
    letters, known = list[Letter](), dict[Letter, Letter]()
    for number, state in enumerate(run.states):
        if number and number % MOST_HELD == 0:
            check_limits()
        valuation = reference.layout.unpack(state)
        letter = set()
        for name, expression in specification.atoms.items():
            try:
                if interpreter.evaluate(expression, valuation):
                    letter.add(name)
            except Fault as fault:
                message = f"{fault.kind}, after {number} steps of a trace"
                place = (None, None) if written is None else (written.source, written.atom_spans[name])
                raise InputError(message, *place) from None
        # There are few different ones, however long the run is.
        found = frozenset(letter)
        letters.append(known.setdefault(found, found))
    return tuple(letters)


@dataclass(frozen=True, slots=True)
class JudgedWord:
    """The letters of a run, to be judged by the specification; `loop` and `ends` as in `Specification.violated_by`."""

    specification: Specification
    letters: tuple[Letter, ...]
    loop: int | None
    ends: bool

    def violates(self) -> bool:
        return self.specification.violated_by(self.letters, self.loop, ends=self.ends)

    def atom_values(self) -> tuple[AtomValues, ...]:
        """Return the values of the atoms and which of them are decisive; for long traces, none is marked so."""
        names = list(self.specification.atoms)
        tried = len(names) <= _MOST_ATOMS and len(names) * len(self.letters) ** 2 <= _MOST_WORK
        places = range(len(self.letters))
        return tuple(
            AtomValues(
                name,
                tuple(name in letter for letter in self.letters),
                tuple(tried and not self._change_letter(name, place).violates() for place in places),
            )
            for name in names
        )

    def _change_letter(self, name: str, place: int) -> JudgedWord:
        """Return the word with the value of one atom inverted at the index `place`.

        The last state of a loop is its first one again: they change together.
        """
        ends = (self.loop, len(self.letters) - 1)
        places = set(ends) if self.loop is not None and place in ends else {place}
        changed = (letter ^ {name} if number in places else letter for number, letter in enumerate(self.letters))
        return replace(self, letters=tuple(changed))
