"""Declarations in the comments of a DVE text, which other tools ignore.

These are `// measure: EXPR` and `// measure: mono(EXPR)`, `// fair: P, Q` and `// fair: all`, `// strongly fair: P`,
`// invariant: EXPR`, `// reachable: EXPR`, `// valid end: EXPR`, `// ltl: FORMULA`, `// ctl: FORMULA`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from strandline.errors import InputError, ModelError, ParseError, suggestion
from strandline.languages.dve.comments import CommentDeclaration, declarations_in, find_near_declarations
from strandline.model.expression import Const, Expression, Read, conjunction
from strandline.model.measure import Component
from strandline.model.system import Claim, Fairness, Predicate, System
from strandline.source import Source, Span

_FAIR, _STRONGLY_FAIR = "fair", "strongly fair"
_TEMPORAL = {"ltl": re.compile(r"[(!\s]*(?:[GFX]+\b|\[\]|<>)"), "ctl": re.compile(r"[(!\s]*[AE](?:[GFX]\b|\s*\[)")}
"""How formulas of each logic begin, which distinguishes them from prose behind `ltl:` or `ctl:`."""
_NAME = re.compile(r"[^\s,]+")
_EVERYONE = "all"
_MONOTONE = re.compile(r"mono[ \t]*\((.*)\)")


def with_declarations(source: Source, system: System) -> System:
    """Add to the System all declarations in comments, and warnings about comments that resemble them."""
    notes = (*system.notes, *find_near_declarations(source, lambda kind, text: _is_understood(system, kind, text)))
    measures = tuple(_measures(source, system))
    return _with_claims(source, replace(system, measures=measures, fairness=_fairness(source, system), notes=notes))


def _is_understood(system: System, kind: str, text: str) -> bool:
    """Return True if the text makes sense as a declaration; an expression that is a single name or number does not."""
    if kind in _TEMPORAL:
        return _TEMPORAL[kind].match(text) is not None
    if kind in (_FAIR, _STRONGLY_FAIR):
        return {one.strip() for one in text.split(",")} <= {_EVERYONE, *(one.name for one in system.processes)}
    monotone = _MONOTONE.fullmatch(text) if kind == "measure" else None
    try:
        return not isinstance(system.scope.parse(text if monotone is None else monotone[1]), Read | Const)
    except InputError:
        return False


def _measures(source: Source, system: System) -> Iterator[Component]:
    """Yield the progress measures that comments declare, parsed over the System."""
    for pragma in (one for one in declarations_in(source) if one.kind == "measure"):
        monotone = _MONOTONE.fullmatch(pragma.text)
        text = pragma.text if monotone is None else monotone[1]
        start = pragma.span.start + (0 if monotone is None else monotone.start(1))
        expression, span = _expression(source, system, text, start), Span(start, start + len(text))
        yield Component(expression, monotone is not None, pragma.text, source=source, span=span)


def _expression(source: Source, system: System, text: str, start: int) -> Expression:
    """Parse the expression `text` inside a comment, at offset `start` of the file."""
    try:
        # The padding makes offsets in the expression offsets in the file.
        return system.scope.parse(" " * start + text, name=source.name)
    except InputError as error:
        span = error.span
        if span is None or span.start < start:
            span = Span(start, start + max(len(text), 1))
        raise type(error)(error.message, source, span) from None


def _with_claims(source: Source, system: System) -> System:
    """Add the claims that comments declare to the System; the name of each is its text."""
    found: dict[str, list[Predicate]] = {"invariant": [], "reachable": [], "valid end": []}
    formulas: list[Claim] = []
    for pragma in declarations_in(source):
        text, span = pragma.text, pragma.span
        if pragma.kind in found:
            found[pragma.kind].append(Predicate(text, _expression(source, system, text, span.start), span))
        elif pragma.kind in _TEMPORAL:
            formulas.append(Claim(pragma.kind, text, text, span=span))
    return replace(
        system,
        invariants=tuple(found["invariant"]),
        goals=tuple(found["reachable"]),
        ends=conjunction(*(one.expression for one in found["valid end"])),
        claims=tuple(formulas),
    )


def _fairness(source: Source, system: System) -> tuple[Fairness, ...]:
    """Return the fairness, weak and strong, that comments declare for processes, in the order of the processes.

    A rendezvous is an action of both its processes.
    """
    fair: dict[tuple[str, bool], Span] = {}
    for pragma in (one for one in declarations_in(source) if one.kind in (_FAIR, _STRONGLY_FAIR)):
        for name, span in _names(source, pragma):
            for one in _processes(source, system, name, span):
                fair.setdefault((one, pragma.kind == _STRONGLY_FAIR), span)
    found = []
    for number, process in enumerate(system.processes):
        actions = tuple(action for action in system.actions if any(move.process == number for move in action.moves))
        for strong in (False, True):
            if (process.name, strong) in fair and actions:
                found.append(Fairness(process.name, actions, span=fair[process.name, strong], strong=strong))
    return tuple(found)


def _names(source: Source, pragma: CommentDeclaration) -> Iterator[tuple[str, Span]]:
    """Yield the names in a list such as `P, Q` with their source positions."""
    position = pragma.span.start
    for part in pragma.text.split(","):
        names = [Span(position + one.start(), position + one.end()) for one in _NAME.finditer(part)]
        if len(names) != 1:
            span = names[1] if names else Span(position, position + 1)
            raise ParseError("expected processes with commas between them, or 'all'", source, span)
        yield source.text[names[0].start : names[0].end], names[0]
        position += len(part) + 1


def _processes(source: Source, system: System, name: str, span: Span) -> list[str]:
    """Return the processes that a name in a list such as `// fair: P, Q` stands for: itself, or all for `all`."""
    known = [process.name for process in system.processes]
    if system.synchronous:
        raise ModelError("in a synchronous system all processes step together: each is fair", source, span)
    if name == _EVERYONE:
        return known
    if system.observer is not None and name == system.observer.name:
        raise ModelError(
            f"'{name}' is the property process, which takes part in every step: it has no fairness",
            source,
            span,
        )
    if name not in known:
        raise ModelError(f"unknown process '{name}'" + suggestion(name, known), source, span)
    return [name]
