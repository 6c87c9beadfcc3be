"""The judge of counterexamples: whether the run that is shown really violates the property, without any automaton.

A formula is evaluated on the run's word by `strandline.properties.holds`, which shares nothing with the translations; a
property process must accept along the loop; the loop must be fair, and go on where finite runs are ignored. Whatever is
not so is a `ReplayError`: a bug of ours, never a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

from strandline.check.ltl.product import BoundFormula, Product, word_of
from strandline.check.ltl.verdict import AtomValues
from strandline.compile.interpret import Fault, Interpreter
from strandline.compile.interpreted import SystemTwin
from strandline.compile.kernel import ACCEPTING_BIT
from strandline.errors import InputError, ReplayError
from strandline.properties import Formula, holds
from strandline.properties.word import Letter
from strandline.traces.lassos import ShownRun, unmet_fairness
from strandline.traces.walk import twin_of

_MOST_WORK = 100_000
"""Atoms times states squared, up to which single changes of letters are tried to tell which of them matter."""


def judge_formula(product: Product, bound: BoundFormula, run: ShownRun) -> tuple[AtomValues, ...]:
    """The values of the atoms along a run that violates the formula; raises `ReplayError` where it does not."""
    twin, formula = twin_of(product.plain), bound.formula
    _judge_run(product, twin, run)
    letters = letters_of(twin, bound, run)
    if holds(formula, word_of(letters, run.trace.loop)):
        raise ReplayError(f"the trace does not violate the formula: {formula}")
    return _atom_values(formula, bound, letters, run.trace.loop)


def judge_process(product: Product, run: ShownRun) -> None:
    """Check that the property process accepts along the loop."""
    twin = twin_of(product.plain)
    _judge_run(product, twin, run)
    if not any(twin.labels(state) >> ACCEPTING_BIT & 1 for state in run.loop_states):
        raise ReplayError("the property process does not accept in the loop of the trace")


def _judge_run(product: Product, twin: SystemTwin, run: ShownRun) -> None:
    if run.trace.loop is None:
        return
    unmet = unmet_fairness(twin, run, product.fairness)
    if unmet is not None:
        raise ReplayError(f"the loop of the trace is not fair: {unmet.name}")
    if product.ignore_finite_runs and _stands_still(twin, run):
        raise ReplayError("the trace ends, but runs that end were to be ignored")


def _stands_still(twin: SystemTwin, run: ShownRun) -> bool:
    interpreter = Interpreter(twin.system)
    return all(interpreter.is_deadlock(twin.layout.unpack(state)) for state in run.loop_states)


def letters_of(twin: SystemTwin, bound: BoundFormula, run: ShownRun) -> tuple[Letter, ...]:
    """The atoms that hold in each state of the run; an `InputError` where one cannot be evaluated."""
    interpreter = Interpreter(twin.system)
    letters = []
    for number, state in enumerate(run.states):
        valuation = twin.layout.unpack(state)
        letter = set()
        for name, expression in bound.atoms.items():
            try:
                if interpreter.evaluate(expression, valuation):
                    letter.add(name)
            except Fault as fault:
                message = f"{fault.kind}, after {number} steps of a trace"
                raise InputError(message, bound.parsed.source, bound.parsed.atom_spans[name]) from None
        letters.append(frozenset(letter))
    return tuple(letters)


def _atom_values(
    formula: Formula, bound: BoundFormula, letters: Sequence[Letter], loop: int | None
) -> tuple[AtomValues, ...]:
    """Which values there are, and which of them decide; of long traces only the values."""
    names = list(bound.atoms)
    tried = len(names) * len(letters) ** 2 <= _MOST_WORK
    return tuple(
        AtomValues(
            name,
            tuple(name in letter for letter in letters),
            tuple(tried and _decides(formula, name, letters, place, loop) for place in range(len(letters))),
        )
        for name in names
    )


def _decides(formula: Formula, name: str, letters: Sequence[Letter], place: int, loop: int | None) -> bool:
    """Whether the run would satisfy the formula if the atom had the other value at this one place. The last state of a
    loop is its first one again: they change together."""
    last = len(letters) - 1
    places = {loop, last} if loop is not None and place in (loop, last) else {place}
    changed = [
        letter ^ {name} if number in places else letter for number, letter in enumerate(letters)
    ]
    return holds(formula, word_of(changed, loop))
