"""Lookup of names in expressions outside of functions: in questions about a model, and in `any_of("...")`."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

from strandline.languages.python.runtime import faults
from strandline.languages.python.runtime.steps import enabled
from strandline.languages.python.runtime.types import RecordType
from strandline.languages.python.symbolic_execution.functions import taken
from strandline.languages.python.symbolic_execution.structure import Structure
from strandline.languages.python.symbolic_execution.values import ModelValue, ProcessValue
from strandline.languages.symbolic_execution.execution import Refused

_FUNCTIONS = {"count": faults.count, "require": faults.require}
_QUESTIONS = {"enabled": enabled, "taken": taken}
"""Functions whose names a model may redefine; the model's own definition wins."""


class Names:
    """Name lookup: the fields of a process, the model's names, and the functions that actions use."""

    def __init__(self, structure: Structure, process: ProcessValue | None = None) -> None:
        self.structure, self.process = structure, process

    def find(self, name: str) -> Any:
        structure = self.structure
        if name == "m":
            return ModelValue()
        if name == "me" and self.process is not None:
            return self.process
        if self.process is not None and name in structure.member_fields[self.process]:
            return structure.member_fields[self.process][name]
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]
        for process in structure.member_fields:
            if structure.instance_name(process) == name:
                return process
        try:
            return structure.attribute(name)
        except Refused:
            if name in _QUESTIONS:
                return _QUESTIONS[name]
            for record in _records(structure):
                if record.__name__ == name:
                    return record
            if hasattr(builtins, name):
                return getattr(builtins, name)
            raise


def _records(structure: Structure) -> Iterator[type]:
    """Yield the record classes that the model's variables hold, wherever they are defined."""
    fields = (structure.fields, *structure.member_fields.values())
    waiting: list[Any] = [place.kind for places in fields for place in places.values()]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, RecordType):
            yield kind.maker
            waiting += [inner for _, inner in kind.fields]
        waiting += [kind.element] if hasattr(kind, "element") else []
