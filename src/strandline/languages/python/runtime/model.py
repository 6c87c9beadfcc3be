"""`Model` and `Process`, the base classes of models, and running an instance as plain Python.

m = Mutex(N=2)
m.request(0)            # one step; raises NotEnabled if it is not possible, and changes nothing then
assert m.P[0].pc == "want"
m.steps()               # the steps that are possible now
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from strandline.errors import ModelError, UsageError
from strandline.languages.python.runtime.annotations import NestedClassMeta
from strandline.languages.python.runtime.binding import (
    bind_types,
    convert_parameter,
    make_initial_values,
    unknown_name_message,
)
from strandline.languages.python.runtime.bodies import (
    Field,
    Group,
    Members,
    adopt_parameters,
    attributes,
    install_descriptors,
    parameters_of_model,
)
from strandline.languages.python.runtime.choices import argument_tuples
from strandline.languages.python.runtime.containers import freeze, thaw
from strandline.languages.python.runtime.declarations import Fair, FormulaText, Marked, is_fair
from strandline.languages.python.runtime.deferred import Parameter, resolve
from strandline.languages.python.runtime.faults import NotEnabled
from strandline.languages.python.runtime.steps import StepChoice, possible_steps
from strandline.languages.python.runtime.text import keyword_place
from strandline.languages.python.runtime.types import Type


class Process(int, metaclass=NestedClassMeta):
    """Base of process classes inside a model; an instance is its index, with the fields of the process.

    `class P(Process, count=3)` makes three processes, without `count` there is one. `fair=True` demands weak fairness
    of each process: a run counts only if the process takes infinitely many steps whenever it stays able to take one for
    ever. `fair="strong"` demands it also if the process is able to take a step infinitely often.
    """

    _count: Any = None
    _fair: Fair = False
    _fields: dict[str, Any]
    _marked: dict[str, Marked]
    _formulas: dict[str, FormulaText]
    _kinds: dict[str, Type]
    _values: dict[str, Any]
    _model: Model

    def __init_subclass__(cls, count: Any = None, fair: bool | str = False, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._count = count
        cls._fair = is_fair(fair)
        install_descriptors(cls, Process, helpers=True)

    if TYPE_CHECKING:
        # The first parameter of a process's functions is the model, and not the process, as type checkers think.
        def __getattr__(self, name: str) -> Any: ...

    def _leading(self) -> tuple[Model, tuple[Any, ...]]:
        return self._model, (self._model, self)

    @property
    def _bindings(self) -> Mapping[str, Any]:
        return self._model._bindings

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and name not in type(self)._fields:
            raise AttributeError(unknown_name_message(f"process '{type(self).__name__}'", name, type(self)._fields))
        super().__setattr__(name, value)


class Model:
    """Base of models; the class body declares parameters, variables, processes, actions and properties."""

    _fields: dict[str, Any] = {}  # noqa: RUF012
    _marked: dict[str, Marked] = {}  # noqa: RUF012
    _formulas: dict[str, FormulaText] = {}  # noqa: RUF012

    def __init_subclass__(cls, **keywords: Any) -> None:
        if keywords:
            raise TypeError(
                f"a model takes no '{next(iter(keywords))}'; parameters are declared as 'N = param(2)', "
                "'count' and 'fair' belong to a process"
            )
        super().__init_subclass__()
        adopt_parameters(cls)
        install_descriptors(cls, Process, helpers=False)

    def __init__(self, **parameters: Any) -> None:
        cls = type(self)
        known = parameters_of_model(cls)
        for name in parameters:
            if name not in known:
                raise UsageError(unknown_name_message(f"model '{cls.__name__}'", name, known, "parameter"))
        given = {
            name: convert_parameter(cls, name, parameters[name], one.default) if name in parameters else one.default
            for name, one in known.items()
        }
        self._bindings = {name: resolve(value, given) for name, value in given.items()}
        self._kinds = bind_types(cls, self._bindings, cls.__name__)
        self._values = make_initial_values(cls, self._kinds, self._bindings)
        self._members = {
            group.process.__name__: Members(self._make(group.process))
            for _, group in attributes(cls)
            if isinstance(group, Group)
        }

    def _make(self, process: type[Process]) -> Iterator[Process]:
        count = 1 if process._count is None else resolve(process._count, self._bindings)
        if not isinstance(count, int) or count < 1:
            message = f"{process.__name__}: count must be 1 or more, not {count!r}"
            functions = [one.function for one in process._marked.values()]
            place = keyword_place(process, functions, "count")
            raise ModelError(message) if place is None else ModelError(message, *place)
        for index in range(count):
            member = process(index)
            member._model = self
            member._kinds = bind_types(process, self._bindings, process.__name__)
            member._values = make_initial_values(process, member._kinds, self._bindings)
            yield member

    def _leading(self) -> tuple[Model, tuple[Any, ...]]:
        return self, (self,)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not isinstance(getattr(type(self), name, None), Field | Parameter):
            raise AttributeError(unknown_name_message(f"model '{type(self).__name__}'", name, type(self)._fields))
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        """Return an action of a process, as in `m.enter`, if only one process class has an action of this name.

        For a class declared with `count`, the first argument of the result is the index of the process.
        """
        members = self.__dict__.get("_members", {})
        owners = [group for group in members.values() if name in type(group[0])._marked]
        if name.startswith("_") or len(owners) != 1:
            known = [*type(self)._fields, *type(self)._marked, *members]
            raise AttributeError(unknown_name_message(f"model '{type(self).__name__}'", name, known, "attribute"))
        group = owners[0]
        if type(group[0])._count is None:
            return getattr(group[0], name)
        return lambda index, *arguments: getattr(group[index], name)(*arguments)

    # States

    def _places(self) -> Iterator[tuple[dict[str, Any], dict[str, Type]]]:
        yield self._values, self._kinds
        for group in self._members.values():
            for member in group:
                yield member._values, member._kinds

    def state(self) -> tuple[Any, ...]:
        """Return the current state as a hashable value, for `restore` and comparisons."""
        return tuple(freeze(kinds[name], values[name]) for values, kinds in self._places() for name in kinds)

    def restore(self, state: tuple[Any, ...]) -> None:
        """Set all variables to their values in a state that `state` returned."""
        pictures = iter(state)
        for values, kinds in self._places():
            for name, kind in kinds.items():
                values[name] = thaw(kind, next(pictures))

    # Steps

    def steps(self) -> list[StepChoice]:
        """Return all steps that are possible now, including those that would fault when taken."""
        return possible_steps(self)

    def take(self, choice: StepChoice) -> None:
        """Take a step returned by `steps`."""
        owner: Any = self if choice.process is None else self._members[choice.process][choice.index or 0]
        getattr(owner, choice.action)(*choice.arguments)

    def initial_states(self) -> list[tuple[Any, ...]]:
        """Return all initial states: those made by the `@initial` functions, or the default values."""
        start = type(self)(**self._bindings)
        before, found = start.state(), []
        setups = [marked for marked in type(self)._marked.values() if marked.kind == "initial"]
        for marked in setups:
            for arguments in argument_tuples(start, (), marked):
                try:
                    marked.function(start, *arguments)
                    found.append(start.state())
                except NotEnabled:
                    pass
                start.restore(before)
        return list(dict.fromkeys(found)) if setups else [before]

    def __repr__(self) -> str:
        bindings = ", ".join(f"{name}={value!r}" for name, value in self._bindings.items())
        return f"{type(self).__name__}({bindings})"
