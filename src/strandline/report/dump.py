"""Render a System completely as text: the model after lowering, as every search sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from strandline.analysis.dependencies import reads, writes
from strandline.model.expression import Const, Element, Expression
from strandline.model.notation import LONGEST
from strandline.model.system import Action, Assign, System, Variable, rows

Text = Callable[[Expression], str]


def dump(system: System) -> str:
    """Return everything that a System holds except source positions, one fact per line."""
    return "\n".join(_lines(system))


def _lines(system: System) -> Iterator[str]:
    def text(expression: Expression) -> str:
        return system.scope.render(expression, longest=LONGEST)

    yield f"system {system.name}{' synchronous' if system.synchronous else ''}"
    yield ""
    for variable in system.variables:
        kind = " location" if variable in system.locations else ""
        yield f"variable {_declaration(system, variable, kind)}"
    if len(system.initial) > 1:
        yield ""
        yield from (f"initial {', '.join(map(str, valuation))}" for valuation in system.initial)
    for process in system.processes:
        yield ""
        committed = [process.locations[number] for number in sorted(process.committed)]
        yield (
            f"process {process.name} {{{', '.join(process.locations)}}}"
            + (f" committed {', '.join(committed)}" if committed else "")
            + (" jumps" if process.jumps else "")
        )
    yield ""
    for number, action in enumerate(system.actions):
        yield from _action(f"action {number}", action, text)
        yield f"    reads {_names(reads(action, system))}; writes {_names(writes(action))}"
    if system.observer is not None:
        names = system.observer.location.names or ()
        accepting = ", ".join(names[number] for number in sorted(system.observer.accepting))
        yield ""
        yield f"observer {system.observer.name} {{{', '.join(names)}}} accepting {accepting or 'nothing'}"
        for number, edge in enumerate(system.observer.edges):
            yield from _action(f"edge {number}", edge, text)
    for word, predicates in (
        ("assertion", system.assertions),
        ("invariant", system.invariants),
        ("reachable", system.goals),
        ("label", system.labels),
    ):
        for predicate in predicates:
            yield ""
            yield f"{word} {predicate.name}"
            yield f"    {text(predicate.expression)}"
    for claim in system.claims:
        yield ""
        yield f"{claim.logic} {claim.name}"
        yield f"    {' '.join(claim.text.split())}"
    if system.ends is not None:
        yield ""
        yield "valid end"
        yield f"    {text(system.ends)}"
    for measure in system.measures:
        yield ""
        yield f"measure {measure.name}{' monotone' if measure.monotone else ''}"
        yield f"    {text(measure.expression)}"
    numbers = {id(action): number for number, action in enumerate(system.actions)}
    for fairness in system.fairness:
        yield ""
        yield f"fairness {fairness.name}"
        if fairness.condition is not None:
            yield f"    infinitely often {text(fairness.condition)}"
        else:
            listed = ", ".join(map(str, sorted(numbers[id(action)] for action in fairness.actions)))
            kind, plural = "strong" if fairness.strong else "weak", "s" if len(fairness.actions) > 1 else ""
            yield f"    {kind}, of action{plural} {listed}"


def _names(variables: set[Variable]) -> str:
    return ", ".join(sorted(variable.name for variable in variables)) or "nothing"


def _declaration(system: System, variable: Variable, kind: str) -> str:
    length = "" if variable.length is None else f"[{variable.length}]"
    domain = variable.domain
    wraps = " wrapping" if domain.wraps else ""
    start = system.offsets[variable]
    one = system.initial[0][start : start + variable.slots] if len(system.initial) == 1 else variable.initial
    values = [variable.show(value) for value in one]
    initial = values[0] if variable.length is None else f"{{{', '.join(values)}}}"
    return f"{variable.name}{length}: {domain.low}..{domain.high}{wraps}{kind} = {initial}"


def _action(title: str, action: Action, text: Text) -> Iterator[str]:
    goes_on = "" if action.continues is None else f", continued by process {action.continues}"
    marks = f"{' committed' if action.committed else ''}{' idle' if action.idle else ''}{goes_on}"
    yield f"{title}: {action.name}{marks}"
    if action.guard is not None:
        yield f"    when {text(action.guard)}"
    for row in rows(action.effects):
        yield f"    {'; '.join(_assignment(one, text) for one in row)}{' (at once)' if len(row) > 1 else ''}"


def _assignment(effect: Assign, text: Text) -> str:
    value = effect.value
    shown = effect.target.variable.show(value.value) if isinstance(value, Const) else text(value)
    index = f"[{text(effect.target.index)}]" if isinstance(effect.target, Element) else ""
    return f"{effect.target.variable.name}{index} = {shown}"
