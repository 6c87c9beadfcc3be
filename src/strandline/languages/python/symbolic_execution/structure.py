"""The variables of a model instance as System variables, and the values of its names."""

from __future__ import annotations

from typing import Any

from strandline.errors import suggestion
from strandline.languages.python.runtime.bodies import Decorated, Helper
from strandline.languages.python.runtime.containers import thaw
from strandline.languages.python.runtime.declarations import Marked
from strandline.languages.python.runtime.faults import PROCESS_FAULT
from strandline.languages.python.runtime.model import Model, Process
from strandline.languages.python.runtime.types import EnumType, Type, leaves, numbers
from strandline.languages.python.symbolic_execution.values import (
    ActionValue,
    ChosenProcess,
    GroupValue,
    Method,
    ModelValue,
    Place,
    ProcessValue,
)
from strandline.languages.symbolic_execution.building import choose, conjoin, interval
from strandline.languages.symbolic_execution.execution import Refused
from strandline.model.expression import Binary, Const, Expression, Undefined
from strandline.model.intervals import within
from strandline.model.system import Action, Variable
from strandline.source import Source, Span
from strandline.transform.history import Steps


class Structure:
    """The System variables of one model instance, and the values of the names that its functions use."""

    def __init__(self, model: Model, source_text: Source) -> None:
        self.model = model
        self.source_text = source_text
        self.bindings = model._bindings
        self.variables: list[Variable] = []
        self.fields: dict[str, Place] = {}
        self.member_fields: dict[ProcessValue, dict[str, Place]] = {}
        self.steps: Steps | None = None
        """Answers questions of claims about actions; None until all actions are known."""
        self.actions: dict[str, tuple[Action, ...]] = {}
        """The System's actions of each action function, by its title; empty until all actions are known."""
        for name, kind in model._kinds.items():
            self.fields[name] = self._declare(name, kind, None, model._values[name])
        for group, members in model._members.items():
            for member in members:
                value = ProcessValue(group, int(member))
                owner = self.instance_name(value)
                self.member_fields[value] = {
                    name: self._declare(f"{owner}.{name}", kind, owner, member._values[name])
                    for name, kind in member._kinds.items()
                }

    def _declare(self, name: str, kind: Type, owner: str | None, value: Any) -> Place:
        variables = {}
        for leaf, initial in zip(leaves(kind), numbers(kind, value), strict=True):
            variable = Variable(
                name + leaf.suffix,
                leaf.domain,
                leaf.slots if leaf.is_array else None,
                tuple(initial),
                leaf.names,
                owner=owner,
            )
            variables[leaf.suffix] = variable
            self.variables.append(variable)
        return Place(kind, variables, "", Const(0), name)

    def instance_name(self, process: ProcessValue) -> str:
        """Return the name of a process: `P_0`, or `P` for a class declared without `count`."""
        single = self.process_class(process.group)._count is None
        return process.group if single else f"{process.group}_{process.index}"

    def action_title(self, action: ActionValue) -> str:
        """Return the name of an action without its parameters: `P_0.enter`."""
        owner, name = action.owner[-1], action.marked.function.__name__
        return name if isinstance(owner, ModelValue) else f"{self.instance_name(owner)}.{name}"

    def process_class(self, group: str) -> type[Process]:
        return type(self.model._members[group][0])

    def valuation(self, state: tuple[Any, ...]) -> tuple[int, ...]:
        """Convert a state of the model run as plain Python to the values of the System's variables."""
        found: list[int] = []
        pictures = iter(state)
        for _, kinds in self.model._places():
            for kind in kinds.values():
                for part in numbers(kind, thaw(kind, next(pictures))):
                    found += part
        return tuple(found)

    # Names

    def names(self) -> list[str]:
        """Return the names that can follow `m.`."""
        return [*self.fields, *self.bindings, *self.model._members, *type(self.model)._marked]

    def attribute(self, name: str) -> Any:
        """Return the value of `m.name`."""
        if name in self.fields:
            return self.fields[name]
        if name in self.bindings:
            return self.bindings[name]
        if name in self.model._members:
            count = len(self.model._members[name])
            single = self.process_class(name)._count is None
            return ProcessValue(name, 0) if single else GroupValue(name, count)
        return self._member(type(self.model), self.model, name, (ModelValue(),), "the model")

    def process_attribute(self, process: ProcessValue, name: str) -> Any:
        """Return the value of `me.name`."""
        fields = self.member_fields[process]
        if name in fields:
            return fields[name]
        member = self.model._members[process.group][process.index]
        shown = f"process '{process.group}'"
        return self._member(type(member), member, name, (ModelValue(), process), shown)

    def _member(self, cls: type, instance: Any, name: str, leading: tuple[Any, ...], shown: str) -> Any:
        found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
        if isinstance(found, Decorated):
            if found.marked.kind == "action":
                return ActionValue(leading, found.marked)
            return Method(leading, name, found.marked.function)
        if isinstance(found, Helper):
            return Method(leading, name, found.function)
        if found is None or name.startswith("_"):
            known = [*getattr(cls, "_fields", {}), *(self.names() if len(leading) == 1 else [])]
            hint = self._elsewhere(name) or suggestion(name, known) or f"; declare it in the class: {name}: ..."
            raise Refused(f"{shown} has no '{name}'{hint}")
        if isinstance(found, property):
            raise Refused(f"'{name}' is a property, which cannot be compiled; write a function and call it: {name}()")
        if hasattr(found, "__code__"):
            return Method(leading[-1:], name, found)
        value = getattr(instance, name)
        return tuple(value) if isinstance(value, list) else value

    def _elsewhere(self, name: str) -> str:
        """Return a hint if the name is a variable of a process or an enumeration value, else an empty string."""
        places = [*self.fields.values(), *(one for fields in self.member_fields.values() for one in fields.values())]
        if any(isinstance(one.kind, EnumType) and name in one.kind.names for one in places):
            return f"; it is a value, which is written in quotes: '{name}'"
        for process, fields in self.member_fields.items():
            if name in fields:
                single = self.process_class(process.group)._count is None
                spelled = f"{process.group}.{name}" if single else f"{process.group}[0].{name}"
                return f"; it is a variable of process '{process.group}': {spelled}"
        return ""

    def members(self, group: str) -> list[ProcessValue]:
        return [process for process in self.member_fields if process.group == group]

    def member(self, group: str, count: int, index: Expression, span: Span | None) -> Any:
        """Return the value of `m.P[index]`."""
        if isinstance(index, Const) and 0 <= index.value < count:
            return ProcessValue(group, index.value)
        inside = within(interval(index), (0, count - 1))
        fits = conjoin(Binary(">=", index, Const(0)), Binary("<", index, Const(count)))
        return ChosenProcess(group, index if inside else choose(fits, index, Undefined(PROCESS_FAULT, span)))


def functions_of(model: Model) -> list[Any]:
    """Return all functions that a model and its processes declare."""
    classes = [type(model), *(type(members[0]) for members in model._members.values())]
    return [marked.function for cls in classes for marked in cls._marked.values() if isinstance(marked, Marked)]
