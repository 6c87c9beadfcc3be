"""What a DVE text says in comments, for Strandline alone: `// measure: EXPR` and `// measure: mono(EXPR)`,
`// fair: P, Q` and `// fair: all`, `// strongly fair: P`, `// invariant: EXPR`, `// reachable: EXPR`,
`// valid end: EXPR`, `// ltl: FORMULA`, `// ctl: FORMULA`.

Other tools read past it, so a model stays DVE.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from strandline.errors import InputError, ModelError, ParseError, suggestion
from strandline.model.expression import Expression, conjunction
from strandline.model.measure import Component
from strandline.model.system import Claim, Fairness, Predicate, System
from strandline.source import Source, Span

_MEASURE = re.compile(r"^[ \t]*//[ \t]*measure:[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)
_FAIR = re.compile(r"^[ \t]*//[ \t]*(?:(?P<strong>strongly)[ \t]+)?fair:[ \t]*(?P<who>.*?)[ \t\r]*$", re.MULTILINE)
_CLAIM = re.compile(
    r"^[ \t]*//[ \t]*(?P<kind>invariant|reachable|valid end|ltl|ctl):[ \t]*(?P<text>.*?)[ \t\r]*$", re.MULTILINE
)
_NAME = re.compile(r"[^\s,]+")
_EVERYONE = "all"
_MONOTONE = re.compile(r"mono[ \t]*\((.*)\)")


def declared_measures(source: Source, system: System) -> Iterator[Component]:
    """The measures that the text declares, over the System made from it."""
    for pragma in _MEASURE.finditer(source.text):
        monotone = _MONOTONE.fullmatch(pragma[1])
        text = pragma[1] if monotone is None else monotone[1]
        start = pragma.start(1) + (0 if monotone is None else monotone.start(1))
        expression, span = _expression(source, system, text, start), Span(start, start + len(text))
        yield Component(expression, monotone is not None, pragma[1], source=source, span=span)


def _expression(source: Source, system: System, text: str, start: int) -> Expression:
    """An expression that stands in a comment."""
    try:
        # Behind so many blanks its places are places in the file.
        return system.scope.parse(" " * start + text, name=source.name)
    except InputError as error:
        span = error.span
        if span is None or span.start < start:
            span = Span(start, start + max(len(text), 1))
        raise type(error)(error.message, source, span) from None


def with_claims(source: Source, system: System) -> System:
    """The System with the claims that the text declares; each is known by its text."""
    found: dict[str, list[Predicate]] = {"invariant": [], "reachable": [], "valid end": []}
    formulas: list[Claim] = []
    for pragma in _CLAIM.finditer(source.text):
        kind, text, span = pragma["kind"], pragma["text"], Span(*pragma.span("text"))
        if kind in found:
            found[kind].append(Predicate(text, _expression(source, system, text, span.start), span))
        else:
            formulas.append(Claim(kind, text, text, span=span))
    return replace(
        system,
        invariants=tuple(found["invariant"]),
        goals=tuple(found["reachable"]),
        ends=conjunction(*(one.expression for one in found["valid end"])),
        claims=tuple(formulas),
    )


def declared_fairness(source: Source, system: System) -> tuple[Fairness, ...]:
    """Weak and strong fairness of the processes that the text names, in the order of the processes. A rendezvous is an
    action of both sides."""
    fair: dict[tuple[str, bool], Span] = {}
    for pragma in _FAIR.finditer(source.text):
        for name, span in _names(source, pragma):
            for one in _processes(source, system, name, span):
                fair.setdefault((one, pragma["strong"] is not None), span)
    found = []
    for number, process in enumerate(system.processes):
        actions = tuple(action for action in system.actions if any(move.process == number for move in action.moves))
        for strong in (False, True):
            if (process.name, strong) in fair and actions:
                found.append(Fairness(process.name, actions, span=fair[process.name, strong], strong=strong))
    return tuple(found)


def _names(source: Source, pragma: re.Match[str]) -> Iterator[tuple[str, Span]]:
    """The names of a list, each with its place."""
    position = pragma.start("who")
    for part in pragma["who"].split(","):
        names = [Span(position + one.start(), position + one.end()) for one in _NAME.finditer(part)]
        if len(names) != 1:
            span = names[1] if names else Span(position, position + 1)
            raise ParseError("expected processes with commas between them, or 'all'", source, span)
        yield source.text[names[0].start : names[0].end], names[0]
        position += len(part) + 1


def _processes(source: Source, system: System, name: str, span: Span) -> list[str]:
    """The processes that a name in the list means."""
    known = [process.name for process in system.processes]
    if system.synchronous:
        raise ModelError("in a synchronous system all processes step together: each is fair", source, span)
    if name == _EVERYONE:
        return known
    if system.observer is not None and name == system.observer.name:
        raise ModelError(f"'{name}' is the property process: it steps with every step", source, span)
    if name not in known:
        raise ModelError(f"unknown process '{name}'" + suggestion(name, known), source, span)
    return [name]
