"""Strandline, a model checker built around the sweep-line method.

    verdict = strandline.check("mutex.dve", invariants="not (P.cs and Q.cs)")
    print(verdict.answer, verdict.statistics.states)

The public names are imported at first use: `import strandline` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strandline.checker.api import check, check_grid, explore, graph, load
    from strandline.checker.graphs import StateGraph
    from strandline.checker.verdicts.statistics import Statistics
    from strandline.checker.verdicts.verdict import Answer, Exploration, PropertyVerdict, Verdict
    from strandline.compile.callback import from_callables
    from strandline.conformance.api import conform
    from strandline.conformance.verdict import Conformance, Conforms
    from strandline.errors import InputError, InternalError, ResourceError, StrandlineError
    from strandline.languages.python.runtime.annotations import Record, Scalar
    from strandline.languages.python.runtime.declarations import (
        action,
        any_of,
        ctl,
        fairness,
        initial,
        invariant,
        label,
        ltl,
        measure,
        reachable,
        valid_end,
    )
    from strandline.languages.python.runtime.deferred import param
    from strandline.languages.python.runtime.faults import NotEnabled, OutOfRange, count, require
    from strandline.languages.python.runtime.model import Model, Process
    from strandline.languages.python.runtime.steps import enabled
    from strandline.model.system import System
    from strandline.traces.trace import Trace

    # `Range[0, N - 1]` and `Enum["idle", "busy"]` are no valid types for type checkers. The hints declare, for each
    # checker in its own way, that anything may stand there and that such a variable may hold anything. mypy takes
    # MYPY as true.
    MYPY = False
    if MYPY:
        from strandline.languages.python.runtime.hints_for_mypy import Array, Bag, Enum, Fifo, Optional, Range, Set
    else:
        from strandline.languages.python.runtime.hints_for_pyright import (
            Array,
            Bag,
            Enum,
            Fifo,
            Optional,
            Range,
            Set,
        )

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Array",
    "Bag",
    "Conformance",
    "Conforms",
    "Enum",
    "Exploration",
    "Fifo",
    "InputError",
    "InternalError",
    "Model",
    "NotEnabled",
    "Optional",
    "OutOfRange",
    "Process",
    "PropertyVerdict",
    "Range",
    "Record",
    "ResourceError",
    "Scalar",
    "Set",
    "StateGraph",
    "Statistics",
    "StrandlineError",
    "System",
    "Trace",
    "Verdict",
    "action",
    "any_of",
    "check",
    "check_grid",
    "conform",
    "count",
    "ctl",
    "enabled",
    "explore",
    "fairness",
    "from_callables",
    "graph",
    "initial",
    "invariant",
    "label",
    "load",
    "ltl",
    "measure",
    "param",
    "reachable",
    "require",
    "valid_end",
]

_HOMES = {
    "strandline.checker.api": ("check", "check_grid", "explore", "graph", "load"),
    "strandline.checker.graphs": ("StateGraph",),
    "strandline.checker.verdicts.statistics": ("Statistics",),
    "strandline.checker.verdicts.verdict": ("Answer", "Exploration", "PropertyVerdict", "Verdict"),
    "strandline.conformance.api": ("conform",),
    "strandline.conformance.verdict": ("Conformance", "Conforms"),
    "strandline.errors": ("InputError", "InternalError", "ResourceError", "StrandlineError"),
    "strandline.compile.callback": ("from_callables",),
    "strandline.languages.python.runtime.annotations": (
        "Array",
        "Bag",
        "Enum",
        "Fifo",
        "Optional",
        "Range",
        "Record",
        "Scalar",
        "Set",
    ),
    "strandline.languages.python.runtime.declarations": (
        "action",
        "any_of",
        "ctl",
        "fairness",
        "initial",
        "invariant",
        "label",
        "ltl",
        "measure",
        "reachable",
        "valid_end",
    ),
    "strandline.languages.python.runtime.deferred": ("param",),
    "strandline.languages.python.runtime.faults": (
        "NotEnabled",
        "OutOfRange",
        "count",
        "require",
    ),
    "strandline.languages.python.runtime.model": ("Model", "Process"),
    "strandline.languages.python.runtime.steps": ("enabled",),
    "strandline.model.system": ("System",),
    "strandline.traces.trace": ("Trace",),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'strandline' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
