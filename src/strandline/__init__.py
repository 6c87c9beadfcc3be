"""Strandline, a model checker that sweeps.

    verdict = strandline.check("mutex.dve", invariants="not (P.cs and Q.cs)")
    print(verdict.answer, verdict.statistics.states)

The names below are imported when they are first used: `import strandline` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strandline.check.api import check, explore, load
    from strandline.check.verdict import Answer, Exploration, PropertyVerdict, Statistics, Verdict
    from strandline.errors import InputError, InternalError, ResourceError, StrandlineError
    from strandline.model.system import System
    from strandline.traces.trace import Trace

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Exploration",
    "InputError",
    "InternalError",
    "PropertyVerdict",
    "ResourceError",
    "Statistics",
    "StrandlineError",
    "System",
    "Trace",
    "Verdict",
    "check",
    "explore",
    "load",
]

_HOMES = {
    "strandline.check.api": ("explore", "load"),
    "strandline.check.verdict": ("Answer", "Exploration", "PropertyVerdict", "Statistics", "Verdict"),
    "strandline.errors": ("InputError", "InternalError", "ResourceError", "StrandlineError"),
    "strandline.model.system": ("System",),
    "strandline.traces.trace": ("Trace",),
}


def __getattr__(name: str) -> Any:
    if name == "check":
        # Package and function share the name; the package can be called.
        return import_module("strandline.check")
    for module, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'strandline' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
