"""From program text to System: the network, then its claims, measures and fairness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from strandline.errors import InputError, ModelError
from strandline.languages import read_text
from strandline.languages.parameters import Given, refuse_unknown, whole_number
from strandline.languages.process import aldebaran
from strandline.languages.process.declarations import Declarations
from strandline.languages.process.lowering import lower
from strandline.languages.process.lts import Lts
from strandline.languages.process.networks import NetworkBuilder
from strandline.languages.process.parser import parse
from strandline.languages.process.scope import ProcessScope
from strandline.languages.process.syntax import Import, Program
from strandline.model.expression import conjunction
from strandline.model.measure import Component
from strandline.model.system import Claim, Fairness, Predicate, System
from strandline.model.validate import validate
from strandline.source import Source
from strandline.transform.history import Steps


def load(source: Source) -> System:
    """Load the System of a text; raises `ParseError` or `ModelError` with the source position of the first mistake."""
    return load_with(source, {})


def load_with(source: Source, given: Given) -> System:
    """Load the System of a text; `given` replaces the values of constants."""
    program = parse(source)
    refuse_unknown(source.name, given, [one.name for one in program.constants], "constant")
    declarations = Declarations(source, program, {name: whole_number(name, value) for name, value in given.items()})
    builder = NetworkBuilder(declarations, lambda one: _import(source, one))
    system = lower(source, builder.build(program.system))
    scope = ProcessScope(system.processes, declarations.constants)
    scope.steps = Steps(system)
    system = _with_claims(source, replace(system, scope=scope), scope, program)
    measures = tuple(
        Component(scope.lower(one.expression, source), one.monotone, one.text, source=source, span=one.span)
        for one in program.measures
    )
    fairness = tuple(_fairness(source, system, scope, program))
    named = tuple((one.name, declarations.constants[one.name]) for one in program.constants)
    described = replace(system, parameters=tuple(given.items()), adjustable=named)
    return validate(replace(described, measures=measures, fairness=fairness))


def _import(source: Source, one: Import) -> Lts:
    """Return the component in an imported file; its path is relative to the importing file."""
    path = Path(source.name).parent / one.path
    if path.suffix != ".aut":
        raise ModelError("only Aldebaran files (.aut) can be imported", source, one.path_span)
    try:
        text = read_text(path)
    except InputError as error:
        raise ModelError(error.message, source, one.path_span) from None
    return aldebaran.read(Source(str(path), text))


def _with_claims(source: Source, system: System, scope: ProcessScope, program: Program) -> System:
    """Add labels and claims to the System; each may use the names of those before it."""
    found: dict[str, list[Predicate]] = {kind: [] for kind in ("label", "invariant", "reachable", "valid_end")}
    for claim in program.claims:
        if claim.name in scope.claims or claim.name in scope.constants:
            raise ModelError(f"the name '{claim.name}' is used already", source, claim.span)
        expression = scope.lower(claim.expression, source)
        scope.claims[claim.name] = expression
        found[claim.kind].append(Predicate(claim.name, expression, claim.span))
    names = [*scope.claims]
    for one in program.formulas:
        if one.name in names:
            raise ModelError(f"the name '{one.name}' is used already", source, one.name_span)
        names.append(one.name)
    return replace(
        system,
        labels=tuple(found["label"]),
        invariants=tuple(found["invariant"]),
        goals=tuple(found["reachable"]),
        ends=conjunction(*(one.expression for one in found["valid_end"])),
        claims=tuple(Claim(one.logic, one.name, one.text, span=one.span) for one in program.formulas),
    )


def _fairness(source: Source, system: System, scope: ProcessScope, program: Program) -> Iterator[Fairness]:
    """Yield weak fairness of the components that `fair` declarations name."""
    spans = {name: span for pattern in program.fair for name, span in scope.find_components(pattern, source)}
    for number, process in enumerate(system.processes):
        actions = tuple(one for one in system.actions if any(move.process == number for move in one.moves))
        if process.name in spans and actions:
            yield Fairness(process.name, actions, span=spans[process.name])
