"""Models written in Python: a class in, a System out.

Imports `strandline.model` and nothing further down. Three rooms, each of which imports only those before it: `runtime`
is what an author derives from and runs as plain Python, `symbolic_execution` executes a model's functions symbolically,
`loading` executes a model file and puts the System together. The language is described in docs/python-models.md.
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
    """The System of a model file, which is executed for that. `selection` names a class or an instance in it, or
    is a call with parameters, as in `Mutex(N=3)`; without it there must be just one model in the file. `given` are
    parameters, too."""
    model = load_model(source, selection, given or {})
    system = to_system(model)
    named = {name: model._bindings[name] for name in given or {} if isinstance(model, Model)}
    return replace(system, parameters=tuple({**dict(system.parameters), **named}.items()))


def load_with(source: Source, given: Given) -> System:
    """The only model in a file, with parameters."""
    return load(source, given=given)


def is_model(value: Any) -> bool:
    """Whether a value is a model: an instance, or a class that has default parameters."""
    return isinstance(value, Model) or (isinstance(value, type) and issubclass(value, Model))
