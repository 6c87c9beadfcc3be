"""The implementation of `strandline.load`, `strandline.check`, `strandline.explore` and `strandline.graph`."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar, cast

from strandline import languages
from strandline.checker.decisions.checks import check_selection, explore_system
from strandline.checker.decisions.widening import widen
from strandline.checker.graphs import StateGraph, collect_graph, graph_task
from strandline.checker.grids import Grid, GridTask
from strandline.checker.grids import check_grid as run_grid
from strandline.checker.limits.timeouts import LOADED, within
from strandline.checker.options.claims import Claims
from strandline.checker.options.search import ExploreOptions, Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.properties.selection import select, select_within
from strandline.checker.verdicts.verdict import Exploration, Verdict
from strandline.errors import UsageError, suggestion
from strandline.model.system import System
from strandline.rich_display import notebook_progress

if TYPE_CHECKING:
    from strandline.languages.python.runtime.model import Model

Source: TypeAlias = "str | Path | System | Model | type[Model]"


def load(path: str | Path, **parameters: Any) -> System:
    """Load the System of a model file, with values for its parameters: `load("mutex.py", N=3)`.

    Raises `InputError` with the source position of the first mistake.
    """
    return languages.load(path, parameters)


@dataclass(frozen=True, kw_only=True)
class CheckArguments(Options, TemporalOptions, Claims):
    """All keyword arguments of `check`, not validated: `part` makes the validated options objects of them."""

    def __post_init__(self) -> None:
        return

    def part(self, options: type[Part]) -> Part:
        """Return those of the arguments that are fields of the class `options`, as a validated object of it."""
        return options(**{one.name: getattr(self, one.name) for one in fields(options)})


Part = TypeVar("Part", Claims, TemporalOptions, Options)
Given = ParamSpec("Given")
Arguments = TypeVar("Arguments", CheckArguments, ExploreOptions)
Result = TypeVar("Result")


def _called_with(
    arguments: Callable[Given, Arguments],
) -> Callable[[Callable[[Source, Arguments], Result]], Callable[Concatenate[Source, Given], Result]]:
    """Return a decorator that replaces an options parameter by one keyword argument for each field of its class.

    The keywords and their types come from the class `arguments`, so that an option is declared only once. Calling the
    decorated function with an unknown keyword raises `TypeError`.
    """

    def keywords(function: Callable[[Source, Arguments], Result]) -> Callable[Concatenate[Source, Given], Result]:
        signature = _signature(function, arguments)

        @wraps(function)
        def call(*given: Any, **named: Any) -> Result:
            for name in named:
                if name not in signature.parameters:
                    hint = suggestion(name, signature.parameters)
                    raise TypeError(f"{function.__name__}() has no keyword '{name}'{hint}")
            taken = signature.bind(*given, **named).arguments
            source: Source = taken.pop("source")
            make: Callable[..., Arguments] = arguments
            return function(source, make(**taken))

        vars(call)["__signature__"] = signature
        return cast("Callable[Concatenate[Source, Given], Result]", call)

    return keywords


def _signature(function: Callable[..., object], arguments: Callable[..., object]) -> inspect.Signature:
    """Return the signature of `function` with the parameters of `arguments` in place of its second parameter."""
    own, taken = inspect.signature(function), inspect.signature(arguments)
    return own.replace(parameters=[next(iter(own.parameters.values())), *taken.parameters.values()])


@_called_with(CheckArguments)
def check(source: Source, arguments: CheckArguments) -> Verdict:
    """Decide properties of a model: a file, a System or a Python `Model`.

    `ltl` are formulas of linear temporal logic, as in `check(model, "G (ask -> F answer)")`. Without any property, the
    properties that the model declares are checked: its property process, assertions and invariants, and, if it has no
    property process, deadlocks. A run-time fault of the model is always a violation.

    The keywords are the fields of `strandline.checker.options.claims.Claims`, of
    `strandline.checker.options.temporal.TemporalOptions`, which matter for properties of runs only, and of
    `strandline.checker.options.search.Options`. A limit that is reached makes the verdict UNKNOWN; it raises a
    `ResourceError` only if the time is up before the model is loaded. Raises `InputError` for mistakes of the user.
    Ctrl-C raises `Interrupted`, a `KeyboardInterrupt` with the partial `result`, which a notebook shows.
    """
    started, temporal, options = time.perf_counter(), arguments.part(TemporalOptions), arguments.part(Options)
    system = _system(source, options, started)
    selection = select_within(system, arguments.part(Claims), options, started)
    with notebook_progress() as callback:
        while True:
            verdict = check_selection(system, selection, options, callback, temporal=temporal, started=started)
            wider = widen(system, verdict.exploration, options, callback)
            if wider is None:
                return verdict
            system, selection = wider, select(wider, arguments.part(Claims))


def check_grid(
    model: str | Path,
    parameters: Mapping[str, Iterable[Any]],
    ltl: str | tuple[str, ...] = (),
    **keywords: Any,
) -> Grid:
    """Check the model in a file with every combination of values: `check_grid("mutex.py", {"N": range(2, 6)})`.

    The keywords are those of `check`. The combinations run side by side, in processes of their own; limits are those of
    each of them.
    """
    for name in keywords:
        if name not in (known := [one.name for one in fields(CheckArguments)]):
            raise TypeError(f"check_grid() has no keyword '{name}'{suggestion(name, known)}")
    if not isinstance(model, str | Path):
        raise UsageError(f"each process loads the model of its own, so it is a file, not {type(model).__name__}")
    given = CheckArguments(ltl=ltl, **keywords)
    task = GridTask(str(model), given.part(Claims), given.part(TemporalOptions), given.part(Options))
    return run_grid(task, parameters)


@_called_with(ExploreOptions)
def explore(source: Source, options: ExploreOptions) -> Exploration:
    """Visit every reachable state of a model, or of its product with its property process if it declares one.

    Limits and errors are handled as by `check`.
    """
    started = time.perf_counter()
    system = _system(source, options, started)
    with notebook_progress() as callback:
        while True:
            explored = explore_system(system, options, callback, started=started, method=options.method)
            wider = widen(system, explored, options, callback)
            if wider is None:
                return explored
            system = wider


def system_of(source: Source) -> System:
    """Return the System of a model: a file, a System or a Python `Model`."""
    return source if isinstance(source, System) else _load_system(source)


def _system(source: Source, options: Options, started: float) -> System:
    if isinstance(source, System):
        return source
    seconds, memory = options.max_seconds, options.memory_limit
    return within(seconds, started, LOADED, lambda: _load_system(source), memory)


def _load_system(source: str | Path | Model | type[Model]) -> System:
    if isinstance(source, str | Path):
        return load(source)
    # Imported lazily: models in other languages do not wait for this import.
    from strandline.languages.python import is_model, to_system

    if not is_model(source):
        raise UsageError(f"a model is a file, a System or a Model, not {type(source).__name__}")
    return to_system(source)


def graph(source: Source, *, labels: Mapping[str, str] | None = None, **limits: Any) -> StateGraph:
    """Return the reachable graph of a model: states, labels, progress, and edges with the names of their actions.

    Propositions are the labels of the model and further ones, `labels={"done": "x == 3"}`. The progress of a state is
    its value of the given measure, else of the measure that the model declares. The other keywords are `measure` and
    the limits of `explore`. Raises `ResourceError` if a limit is reached, because a part of a graph is no answer.
    """
    options = Options(**limits)
    system = _system(source, options, time.perf_counter())
    return collect_graph(graph_task(system, labels or {}, options), options)
