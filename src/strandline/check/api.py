"""The calls behind `strandline.load`, `strandline.check` and `strandline.explore`."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeAlias, TypeVar

from strandline import languages
from strandline.check.claims import Claims
from strandline.check.ltl.options import LtlOptions
from strandline.check.options import Options
from strandline.check.properties import Kind, Property, Selection, needs_product, select
from strandline.check.running import INTERRUPTED, Findings, run
from strandline.check.verdict import Answer, Exploration, Interrupted, PropertyVerdict, Verdict
from strandline.check.watching import Unwatched, Watcher
from strandline.errors import UsageError
from strandline.model.system import System

if TYPE_CHECKING:
    from strandline.check.ltl.deciding import LtlOutcome
    from strandline.languages.python.runtime.model import Model

Source: TypeAlias = "str | Path | System | Model | type[Model]"


def load(path: str | Path) -> System:
    """The System in a model file. Raises `InputError` with the place of the first mistake."""
    return languages.load(path)


@dataclass(frozen=True, kw_only=True)
class CheckArguments(Options, LtlOptions, Claims):
    """All keywords of `check`; what they mean together is seen when they are taken apart."""

    def __post_init__(self) -> None:
        return

    def part(self, options: type[Part]) -> Part:
        """The claims, or the options of one kind, checked."""
        return options(**{one.name: getattr(self, one.name) for one in fields(options)})


Part = TypeVar("Part", Claims, LtlOptions, Options)
Given = ParamSpec("Given")
Arguments = TypeVar("Arguments", CheckArguments, Options)
Result = TypeVar("Result")


def _called_with(
    arguments: Callable[Given, Arguments],
) -> Callable[[Callable[[Source, Arguments], Result]], Callable[Concatenate[Source, Given], Result]]:
    """Makes of a function over an object with options one that takes them as keywords, with their types: an option is
    spelled once, in its class."""

    def keywords(function: Callable[[Source, Arguments], Result]) -> Callable[Concatenate[Source, Given], Result]:
        signature = _signature(function, arguments)

        @wraps(function)
        def call(source: Source, /, *given: Given.args, **named: Given.kwargs) -> Result:
            signature.bind(source, *given, **named)
            return function(source, arguments(*given, **named))

        call.__signature__ = signature  # type: ignore[attr-defined]
        return call

    return keywords


def _signature(function: Callable[..., object], arguments: Callable[..., object]) -> inspect.Signature:
    """What the function takes first, then what makes the object with the options."""
    own, taken = inspect.signature(function), inspect.signature(arguments)
    return own.replace(parameters=[next(iter(own.parameters.values())), *taken.parameters.values()])


@_called_with(CheckArguments)
def check(source: Source, arguments: CheckArguments) -> Verdict:
    """Decide properties of a model: a file, a System or a Python `Model`.

    `ltl` are formulas of linear temporal logic, as in `check(model, "G (ask -> F answer)")`. Without any property,
    what the model declares is checked: its property process, assertions and invariants, and, where it has no
    property process, deadlocks. A run-time fault of the model is always a violation. The keywords are the fields of
    `strandline.check.claims.Claims`, of `strandline.check.ltl.options.LtlOptions`, which matter for properties of runs
    only, and of `strandline.check.options.Options`. A limit that is reached is an UNKNOWN verdict and no
    exception. Raises `InputError` for what the user can mend. Ctrl-C raises `KeyboardInterrupt`.
    """
    system = _system(source)
    temporal, options = arguments.part(LtlOptions), arguments.part(Options)
    return check_selection(system, select(system, arguments.part(Claims)), options, temporal=temporal)


@_called_with(Options)
def explore(source: Source, options: Options) -> Exploration:
    """Visit every reachable state of a model, the product with its property process where it has one. Raises
    and limits as in `check`."""
    return explore_system(_system(source), options)


def explore_system(system: System, options: Options, watcher: Watcher | None = None) -> Exploration:
    """As `explore`, with options and watcher as objects."""
    findings = run(system, (), options, watcher or Unwatched())
    exploration = _exploration(system, options, findings)
    if findings.interrupted:
        raise Interrupted(exploration)
    return exploration


def check_selection(
    system: System,
    selection: Selection,
    options: Options,
    watcher: Watcher | None = None,
    *,
    temporal: LtlOptions | None = None,
) -> Verdict:
    """As `check`, with properties, options and watcher as objects."""
    asked, watcher, started = selection.properties, watcher or Unwatched(), time.perf_counter()
    searched = [one for one in asked if one.kind is not Kind.LTL]
    if temporal is not None and len(searched) == len(asked):
        temporal.refuse_without_runs()
    all_findings: list[Findings] = []
    answers: dict[Property, PropertyVerdict] = {}
    if searched or not asked:
        findings = run(_without_observer(system, searched), searched, options, watcher)
        all_findings.append(findings)
        answers = {one: _answer(one, findings) for one in searched}
    for one in asked:
        if one.kind is Kind.LTL and any(findings.interrupted for findings in all_findings):
            answers[one] = PropertyVerdict(one.kind, one.name, Answer.UNKNOWN, INTERRUPTED)
        elif one.kind is Kind.LTL:
            outcome = _check_ltl(system, one, options, temporal or LtlOptions(), watcher, started)
            all_findings.append(outcome.findings)
            answers[one] = outcome.verdict
    fault = next((findings.fault for findings in all_findings if findings.fault is not None), None)
    told = [answers[one] for one in asked] + ([] if fault is None else [fault])
    interrupted = any(findings.interrupted for findings in all_findings)
    main = replace(all_findings[0], fault=fault, interrupted=interrupted)
    verdict = Verdict(_exploration(system, options, main), tuple(told))
    if interrupted:
        raise Interrupted(verdict)
    return verdict


def _check_ltl(
    system: System, one: Property, options: Options, temporal: LtlOptions, watcher: Watcher, started: float
) -> LtlOutcome:
    # Imported here: who asks for safety alone does not wait for temporal logic.
    from strandline.check.ltl.deciding import check_ltl

    return check_ltl(system, one, options, temporal, watcher, started=started)


def _system(source: Source) -> System:
    if isinstance(source, System):
        return source
    if isinstance(source, str | Path):
        return load(source)
    # Imported here: who checks a file of another language does not wait for this one.
    from strandline.languages.python import is_model, to_system

    if not is_model(source):
        raise UsageError(f"a model is a file, a System or a Model, not {type(source).__name__}")
    return to_system(source)


def _without_observer(system: System, properties: Sequence[Property]) -> System:
    """The system itself: a property process restricts what it watches, so its product must not decide safety.
    Only a property that speaks of the property process is asked of the product."""
    if system.observer is None or needs_product(system, properties):
        return system
    return replace(system, observer=None)


def _exploration(system: System, options: Options, findings: Findings) -> Exploration:
    return Exploration(
        system,
        options,
        findings.complete,
        findings.reason,
        findings.statistics,
        findings.fault,
        findings.interrupted,
        findings.prediction,
    )


def _answer(one: Property, findings: Findings) -> PropertyVerdict:
    found_means = Answer.HOLDS if one.kind is Kind.REACHABILITY else Answer.VIOLATED
    if one in findings.traces:
        return PropertyVerdict(one.kind, one.name, found_means, trace=findings.traces[one])
    if findings.complete:
        absent_means = Answer.VIOLATED if one.kind is Kind.REACHABILITY else Answer.HOLDS
        reason = "no reachable state satisfies it" if one.kind is Kind.REACHABILITY else None
        return PropertyVerdict(one.kind, one.name, absent_means, reason)
    return PropertyVerdict(one.kind, one.name, Answer.UNKNOWN, findings.reason)
