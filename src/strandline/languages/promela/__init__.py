"""Promela, the language of SPIN: its models, unchanged, with SPIN's states and steps.

    preprocessing   macros, included files
    parser          the syntax tree; inlines are expanded
    control         the control automaton of each proctype
    instances       the processes that can exist
    lowering        the System

See docs/promela.md.
"""

from __future__ import annotations

from dataclasses import replace

from strandline.languages.parameters import Given, whole_number
from strandline.languages.promela.claims import formula_text, observer_of
from strandline.languages.promela.lowering import lower
from strandline.languages.promela.parser import parse
from strandline.languages.promela.preprocessing import preprocess
from strandline.languages.promela.scope import PromelaScope
from strandline.languages.promela.syntax import Proctype
from strandline.languages.promela.world import World
from strandline.model.expression import deep_recursion
from strandline.model.system import Claim, System
from strandline.model.validate import validate
from strandline.source import Source

PROCESSES = "processes"
"""The parameter for the largest number of processes; others are macros."""


def load(source: Source) -> System:
    """Load the System of a text; raises `ParseError` or `ModelError` with the position of the first mistake."""
    return load_with(source, {})


def load_with(source: Source, given: Given) -> System:
    """Load the System of a text; `given` are macros, as by `-D`, and the number of `processes`."""
    bound = whole_number(PROCESSES, given[PROCESSES]) if PROCESSES in given else None
    defined = {name: str(value) for name, value in given.items() if name != PROCESSES}
    with deep_recursion():
        tokens, macros = preprocess(source, defined)
        names = parse(tokens)
        system, world = lower(source, names.program, bound)
        scope = PromelaScope(world, names, macros)
        claims = tuple(Claim("ltl", one.name, formula_text(one, names), scope=scope) for one in names.program.formulas)
        system = replace(system, scope=scope, claims=claims)
        if names.program.claims:
            system = _with_never_claim(system, world, names.program.claims)
    scope.ask_about(system.alone)
    return validate(replace(system, parameters=tuple(given.items())))


def _with_never_claim(system: System, world: World, claims: list[Proctype]) -> System:
    if len(claims) > 1:
        claims[1].token.model_error("several never claims in one model are not supported")
    observer = observer_of(world, claims[0], len(system.processes))
    return replace(
        system,
        observer=observer,
        variables=(*system.variables, observer.location),
        initial=tuple((*one, 0) for one in system.initial),
    )
