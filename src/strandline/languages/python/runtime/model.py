"""`Model` and `Process`: the classes that authors derive from, and how an instance runs as plain Python.

    m = Mutex(N=2)
    m.request(0)            # one step; raises NotEnabled where it is not possible, and changes nothing then
    assert m.P[0].pc == "want"
    m.steps()               # what is possible now
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strandline.errors import ModelError, UsageError, suggestion
from strandline.languages.python.runtime.choices import check_arguments, combinations
from strandline.languages.python.runtime.containers import default, fitted, frozen, thawed
from strandline.languages.python.runtime.declarations import (
    Fair,
    FormulaText,
    Inner,
    Marked,
    annotations_of,
    bind_type,
    is_fair,
)
from strandline.languages.python.runtime.deferred import Deferred, Parameter, resolve
from strandline.languages.python.runtime.faults import NotEnabled, begin_step, end_step, in_step
from strandline.languages.python.runtime.text import field_place, text_of
from strandline.languages.python.runtime.types import EnumType, Type

LOCATION = "pc"
"""The field of a process that `at` and `to` speak of."""


class _Field:
    """A variable of a model or a process; assignments are checked."""

    def __init__(self, name: str, default: Any) -> None:
        self.name, self.default = name, default

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else instance._values[self.name]

    def __set__(self, instance: Any, value: Any) -> None:
        instance._values[self.name] = fitted(instance._kinds[self.name], value, self.name)


class _Constant:
    """A name in a class body whose value depends on parameters."""

    def __init__(self, value: Deferred) -> None:
        self.value = value

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.value if instance is None else resolve(self.value, instance._bindings)


class _Decorated:
    """An action or what is claimed of states: called on an instance it runs there."""

    def __init__(self, marked: Marked) -> None:
        self.marked = marked
        self.__doc__ = marked.function.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        model, leading = instance._leading()
        if self.marked.kind == "action":
            return BoundAction(model, leading[1:], self.marked)
        return lambda *arguments: self.marked.function(*leading, *arguments)


@dataclass(frozen=True, slots=True)
class BoundAction:
    """An action of a model, or of one of its processes: called, it takes the step."""

    model: Model
    me: tuple[Any, ...]
    marked: Marked

    def __call__(self, *arguments: Any) -> None:
        take_step(self.model, self.me, self.marked, arguments)

    def is_enabled(self) -> bool:
        """Whether it can be taken now, with some arguments; one that would be a fault can."""
        before = self.model.state()
        for arguments in combinations(self.model, self.me, self.marked):
            try:
                self(*arguments)
            except NotEnabled:
                continue
            except (ValueError, IndexError, ZeroDivisionError, TypeError):
                return True
            self.model.restore(before)
            return True
        return False


def enabled(action: Any) -> bool:
    """Whether an action can be taken in this state, for claims: `enabled(m.P[0].enter)`, `enabled(me.enter)`."""
    if not isinstance(action, BoundAction):
        raise TypeError("enabled asks for an action, as in enabled(m.P[0].enter)")
    if in_step():
        raise TypeError("'enabled' is for claims: an action says when it is possible by itself, with require(...)")
    return action.is_enabled()


class _Helper:
    """A function in the body of a process: it takes the model and the process first, as actions do."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self.function
        return lambda *arguments: self.function(*instance._leading()[1], *arguments)


class Members(tuple[Any, ...]):
    """The processes of a class; like arrays they do not count from the end."""

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, int) or not 0 <= index < len(self):
            raise IndexError(f"there is no process {index!r}; they are 0..{len(self) - 1}")
        return super().__getitem__(index)


class _Group:
    """A process class in a model: the class itself in the class, its instances in an instance."""

    def __init__(self, process: type[Process]) -> None:
        self.process = process

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self.process
        members = instance._members[self.process.__name__]
        return members if self.process._count is not None else members[0]


def decorated(value: Any) -> Marked | None:
    """What a decorator says of something in a class body, where one does."""
    return value.marked if isinstance(value, _Decorated) else None


def inner_group(value: Any) -> type[Process] | None:
    """The process class that something in a class body is, where it is one."""
    return value.process if isinstance(value, _Group) else None


def groups_of(model: type[Model]) -> list[type[Process]]:
    """The process classes of a model."""
    return [one.process for _, one in _attributes(model) if isinstance(one, _Group)]


def _dress(cls: Any, *, helpers: bool) -> None:
    """Turn what a class body holds into descriptors, and list it in `_fields`, `_marked` and `_formulas`."""
    cls._fields = annotations_of(cls)
    cls._formulas = {name: one for name, one in _attributes(cls) if isinstance(one, FormulaText)}
    cls._marked = {
        name: one.marked
        for base in reversed(cls.__mro__)
        for name, one in vars(base).items()
        if isinstance(one, _Decorated)
    }
    for name, value in list(vars(cls).items()):
        if isinstance(value, Marked):
            cls._marked[name] = value
            setattr(cls, name, _Decorated(value))
        elif isinstance(value, Deferred) and not isinstance(value, Parameter) and name not in cls._fields:
            setattr(cls, name, _Constant(value))
        elif isinstance(value, type) and issubclass(value, Process):
            setattr(cls, name, _Group(value))
        elif helpers and callable(value) and not name.startswith("_") and not isinstance(value, type):
            setattr(cls, name, _Helper(value))
    for name in vars(cls).get("__annotations__", {}):
        if not name.startswith("_"):
            setattr(cls, name, _Field(name, vars(cls).get(name)))


class Process(int, metaclass=Inner):
    """Base of process classes inside a model. An instance is its number, with the fields of the process;
    `class P(Process, count=3)` makes three, without `count` there is one. With `fair=True` a run counts only if
    each of them, once it stays able to take a step, takes one again and again; with `fair="strong"`, if each takes one
    again and again that is able to again and again."""

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
        _dress(cls, helpers=True)

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
            raise AttributeError(_unknown(f"process '{type(self).__name__}'", name, type(self)._fields))
        super().__setattr__(name, value)


@dataclass(frozen=True, slots=True)
class StepChoice:
    """A step that is possible: `model.take(choice)` takes it."""

    process: str | None
    index: int | None
    action: str
    arguments: tuple[Any, ...]


class Model:
    """Base of models. The class body declares parameters, variables, processes, actions and properties."""

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
        _dress(cls, helpers=False)

    def __init__(self, **parameters: Any) -> None:
        cls = type(self)
        known = parameters_of_model(cls)
        for name in parameters:
            if name not in known:
                raise UsageError(_unknown(f"model '{cls.__name__}'", name, known, "parameter"))
            _like_default(cls, name, parameters[name], known[name].default)
        given = {name: parameters.get(name, one.default) for name, one in known.items()}
        self._bindings = {name: resolve(value, given) for name, value in given.items()}
        self._kinds = _bound(cls, self._bindings, cls.__name__)
        self._values = _defaults(cls, self._kinds, self._bindings)
        self._members = {
            group.process.__name__: Members(self._make(group.process))
            for _, group in _attributes(cls)
            if isinstance(group, _Group)
        }

    def _make(self, process: type[Process]) -> Iterator[Process]:
        count = 1 if process._count is None else resolve(process._count, self._bindings)
        if not isinstance(count, int) or count < 1:
            raise ModelError(f"{process.__name__}: count must be 1 or more, not {count!r}")
        for index in range(count):
            member = process(index)
            member._model = self
            member._kinds = _bound(process, self._bindings, process.__name__)
            member._values = _defaults(process, member._kinds, self._bindings)
            yield member

    def _leading(self) -> tuple[Model, tuple[Any, ...]]:
        return self, (self,)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not isinstance(getattr(type(self), name, None), _Field | Parameter):
            raise AttributeError(_unknown(f"model '{type(self).__name__}'", name, type(self)._fields))
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        """`m.enter(0)`: an action of the only process class that has one of this name."""
        members = self.__dict__.get("_members", {})
        owners = [group for group in members.values() if name in type(group[0])._marked]
        if name.startswith("_") or len(owners) != 1:
            known = [*type(self)._fields, *type(self)._marked, *members]
            raise AttributeError(_unknown(f"model '{type(self).__name__}'", name, known, "attribute"))
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
        """The present state as a hashable value, for `restore` and for comparing."""
        return tuple(frozen(kinds[name], values[name]) for values, kinds in self._places() for name in kinds)

    def restore(self, state: tuple[Any, ...]) -> None:
        """Go back to a state."""
        pictures = iter(state)
        for values, kinds in self._places():
            for name, kind in kinds.items():
                values[name] = thawed(kind, next(pictures))

    # Steps

    def steps(self) -> list[StepChoice]:
        """Every step that is possible now. A step that would be a fault is listed: `take` raises it."""
        before = self.state()
        found = []
        for choice in self._candidates():
            try:
                self.take(choice)
            except NotEnabled:
                continue
            except (ValueError, IndexError, ZeroDivisionError, TypeError):
                pass
            else:
                self.restore(before)
            found.append(choice)
        return found

    def take(self, choice: StepChoice) -> None:
        """Take a step that `steps` has offered."""
        owner: Any = self if choice.process is None else self._members[choice.process][choice.index or 0]
        getattr(owner, choice.action)(*choice.arguments)

    def _candidates(self) -> Iterator[StepChoice]:
        for name, marked in type(self)._marked.items():
            if marked.kind == "action":
                for arguments in combinations(self, (), marked):
                    yield StepChoice(None, None, name, arguments)
        for group_name, group in self._members.items():
            for name, marked in type(group[0])._marked.items():
                for member in group if marked.kind == "action" else ():
                    for arguments in combinations(self, (member,), marked):
                        yield StepChoice(group_name, int(member), name, arguments)

    def initial_states(self) -> list[tuple[Any, ...]]:
        """All initial states: what the `@initial` functions make of the defaults, or the defaults."""
        start = type(self)(**self._bindings)
        before, found = start.state(), []
        setups = [marked for marked in type(self)._marked.values() if marked.kind == "initial"]
        for marked in setups:
            for arguments in combinations(start, (), marked):
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


def _like_default(cls: type[Model], name: str, value: Any, default: Any) -> None:
    """Raise `UsageError` for the value of a parameter that is something else than its default: `-D N=three`."""
    for kind, words in ((bool, "True or False"), (int, "a number"), (str, "a text")):
        if isinstance(default, kind):
            if not isinstance(value, int if kind is bool else kind):
                shown = f"{cls.__name__}: parameter '{name}' is {words}, {default!r} where nothing is given"
                raise UsageError(f"{shown}, not {value!r}")
            return


def parameters_of_model(cls: type[Model]) -> dict[str, Parameter]:
    """What a model leaves open, by name."""
    return {name: one for name, one in _attributes(cls) if isinstance(one, Parameter)}


def take_step(model: Model, me: tuple[Any, ...], marked: Marked, arguments: tuple[Any, ...]) -> None:
    """Take one step or raise, in which case the model is as it was before."""
    if in_step():
        raise TypeError("an action cannot call another action; put the common part into a helper function")
    before = model.state()
    noted = begin_step()
    try:
        check_arguments(model, me, marked, arguments)
        if marked.at and getattr(me[0], LOCATION) not in marked.at:
            raise NotEnabled(f"the process is at '{getattr(me[0], LOCATION)}'")
        marked.function(model, *me, *arguments)
        if marked.to is not None:
            setattr(me[0], LOCATION, marked.to)
        if noted:
            raise noted[0]
    except BaseException:
        model.restore(before)
        raise
    finally:
        end_step()


def _attributes(cls: type) -> Iterator[tuple[str, Any]]:
    """Everything in the class bodies, base first; what a derived class hides comes once."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        found |= vars(base)
    yield from found.items()


def _bound(cls: Any, bindings: Mapping[str, Any], what: str) -> dict[str, Type]:
    bound = {}
    for name, kind in cls._fields.items():
        try:
            bound[name] = bind_type(kind, bindings, f"{what}.{name}")
        except ModelError as error:
            raise _placed(cls, name, error.message) from None
        except (ArithmeticError, TypeError, ValueError) as error:
            raise _placed(cls, name, f"{what}.{name}: its type cannot be computed: {error}") from None
    return bound


def _placed(cls: Any, name: str, message: str) -> ModelError:
    """An error about a declaration, with its place where that is known."""
    functions = [marked.function for owner in (cls, *groups_of(cls)) for marked in owner._marked.values()]
    place = field_place(cls, functions, name)
    return ModelError(message) if place is None else ModelError(message, *place)


def _defaults(cls: Any, kinds: Mapping[str, Type], bindings: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for name, kind in kinds.items():
        try:
            given = resolve(getattr(cls, name).default, bindings)
            values[name] = default(kind) if given is None else fitted(kind, given, name)
        except (ArithmeticError, TypeError, ValueError) as error:
            message = f"{cls.__name__}.{name}: the initial value does not fit: {error}"
            raise _placed(cls, name, message) from None
    location = kinds.get(LOCATION)
    for marked in cls._marked.values():
        for place in (*marked.at, *([] if marked.to is None else [marked.to])):
            if not isinstance(location, EnumType) or place not in location.names:
                message = _location_message(cls, marked, place, location)
                if location is None:
                    text, node = text_of(marked.function)
                    text.fail(message, node)
                raise _placed(cls, LOCATION, message)
    return values


def _location_message(cls: Any, marked: Marked, place: str, location: Type | None) -> str:
    where = f"{cls.__name__}.{marked.function.__name__}"
    if not isinstance(location, EnumType):
        return f"{where}: 'at' and 'to' need a field 'pc: Enum[...]' in the process"
    return f"{where}: '{place}' is not a value of pc" + suggestion(place, location.names)


def _unknown(owner: str, name: str, known: Any, kind: str = "variable") -> str:
    return f"{owner} has no {kind} '{name}'" + suggestion(name, known)
