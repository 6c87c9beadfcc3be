"""The Python modelling language: a class in, a System out.

Imports no later package. Three packages, each of which imports only those before it: `runtime` has the base classes,
and runs models as plain Python; `symbolic_execution` executes a model's functions symbolically; `loading` executes a
model file and builds the System. The language is described in docs/python-models.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from strandline.languages.parameters import Given
from strandline.languages.python.loading.files import load_model
from strandline.languages.python.loading.lowering import to_system
from strandline.languages.python.runtime.model import Model
from strandline.model.system import System
from strandline.source import Source

__all__ = ["is_model", "load", "load_with", "to_system"]


def load(source: Source, selection: str = "", given: Given | None = None) -> System:
    """Load the System of a model file; the file is executed.

    `selection` names a class or an instance, or is a call with parameters, as in `Mutex(N=3)`; without it there must be
    exactly one model in the file. `given` are further parameters.
    """
    model = load_model(source, selection, given or {})
    system = to_system(model)
    named = {name: model._bindings[name] for name in given or {} if isinstance(model, Model)}
    return replace(system, parameters=tuple({**dict(system.parameters), **named}.items()))


def load_with(source: Source, given: Given) -> System:
    """Load the only model of a file with the given parameters."""
    return load(source, given=given)


def is_model(value: Any) -> bool:
    """Return True for an instance of a model or for a model class."""
    return isinstance(value, Model) or (isinstance(value, type) and issubclass(value, Model))
