"""Promela, the language of SPIN: its models, unchanged, with SPIN's states and steps.

    preprocessing   macros, included files
    parser          the syntax tree; inlines are expanded
    control         the control automaton of each proctype
    instances       the processes that can exist
    lowering        the System

See docs/promela.md.
"""

from __future__ import annotations

from strandline.languages.parameters import Given, whole_number
from strandline.languages.promela.lowering import lower
from strandline.languages.promela.parser import parse
from strandline.languages.promela.preprocessing import preprocess
from strandline.model.expression import deep_recursion
from strandline.model.system import System
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
        program = parse(preprocess(source, defined))
        system, _ = lower(source, program, bound)
    return validate(system)
