"""Expressions over a finished model that do not stand in it: invariants, goals and measures from the command line.

They are written as in an action; `m.` may be left out: `count(p.pc == "cs" for p in P) <= 1`.
"""

from __future__ import annotations

import builtins
from typing import Any

from strandline.errors import ModelError
from strandline.languages.python.runtime import faults
from strandline.languages.python.runtime.text import parse_text
from strandline.languages.python.symbolic.calls import inline
from strandline.languages.python.symbolic.coding import number
from strandline.languages.python.symbolic.evaluate import Evaluator
from strandline.languages.python.symbolic.machine import Machine
from strandline.languages.python.symbolic.structure import ModelSource, Structure
from strandline.languages.python.symbolic.values import Method, ModelValue, ProcessValue, Symbol
from strandline.languages.symbolic.execution import Refused
from strandline.model.expression import Expression
from strandline.model.system import System


class Scope:
    """Finds names: the fields of a process, the model's, and the functions that actions use."""

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
        if name in ("count", "require"):
            return getattr(faults, name)
        for process in structure.member_fields:
            if structure.instance_name(process) == name:
                return process
        try:
            return structure.attribute(name)
        except Refused:
            if hasattr(builtins, name):
                return getattr(builtins, name)
            raise


def parse_expression(text: str, system: System, *, name: str = "expression") -> Expression:
    """The expression, over the System's own variables. The name of a label or an invariant stands for it."""
    source = system.source
    if not isinstance(source, ModelSource) or source.structure is None:
        raise ModelError("this System does not come from a Python model")
    parsed, node = parse_text(text, name)
    machine = Machine(may_write=False)
    reader = Evaluator(parsed, machine, source.structure, Scope(source.structure).find)
    value = machine.load(reader.value(node), parsed.place(node))
    if isinstance(value, Method) and value.function is not None:
        value = inline(reader, value.function, list(value.owner), {})
    try:
        if isinstance(value, Symbol | int | ProcessValue):
            return number(value, parsed.place(node))
        raise Refused("this is neither a number nor a condition")
    except Refused as refusal:
        parsed.fail(str(refusal), node)
