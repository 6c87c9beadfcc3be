"""The symbols of a model: what an editor shows about the name under the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

from strandline.analysis.ranges import analyse_ranges
from strandline.model.expression import Element, Read
from strandline.model.layout import make_layout
from strandline.model.system import Process, System, Variable
from strandline.source import Source, Span

_WORD = re.compile(r"[A-Za-z_][\w']*(?:\.[A-Za-z_][\w']*)*")
_MOST_LOCATIONS = 12


class SymbolKind(Enum):
    """The kinds of names in a model."""

    VARIABLE = "variable"
    PROCESS = "process"
    LOCATION = "location"
    ACTION = "action"
    CONDITION = "condition"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name in a model: the full one, such as `Sender.number`, and what is known about it."""

    name: str
    kind: SymbolKind
    detail: str
    span: Span | None = None
    """The declaration; None if it does not stand in the text."""
    writes: tuple[Span, ...] = ()
    """The places where a variable is assigned."""
    variable: Variable | None = None

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        return self.name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class DeclaredClaim:
    """A property that the model declares; `name` selects it in a check."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Outline:
    """The symbols and the declared claims of a text."""

    source: Source
    symbols: tuple[Symbol, ...]
    claims: tuple[DeclaredClaim, ...] = ()
    system: System | None = None
    ranges: dict[str, str] = field(default_factory=dict)
    """Proved ranges of variables by full name, computed when they are first asked for."""

    def word_at(self, text: str, offset: int) -> tuple[str, Span] | None:
        """Return the name at an offset up to the part that the offset is in, and the place of that part."""
        for found in _WORD.finditer(text):
            if found.start() <= offset <= found.end():
                end = text.find(".", offset, found.end())
                end = found.end() if end < 0 else end
                start = max(found.start(), text.rfind(".", found.start(), max(offset, found.start())) + 1)
                return text[found.start() : end], Span(start, end)
        return None

    def symbol_at(self, text: str, offset: int) -> Symbol | None:
        """Return the symbol that the name at an offset stands for; in a process, its own names come first."""
        found = self.word_at(text, offset)
        if found is None:
            return None
        name, _ = found
        candidates = [one for one in self.symbols if one.name == name or one.short == name.rpartition(".")[2]]
        exact = [one for one in candidates if one.name == name and "." in name]
        around = self._process_around(offset)
        own = [one for one in candidates if around is not None and one.owner == around and "." not in name]
        plain = [one for one in candidates if one.name == name]
        return next(iter([*exact, *own, *plain, *candidates]), None)

    def members(self, owner: str) -> Iterator[Symbol]:
        """Yield the symbols of a process; of the whole model, with full names, if `owner` is empty."""
        yield from (one for one in self.symbols if not owner or one.owner == owner)

    def range_of(self, symbol: Symbol) -> str:
        """Return the range of a variable in all reachable states, as far as it is proved; "" if it is not known."""
        if self.system is not None and not self.ranges:
            layout = make_layout(self.system, analyse_ranges(self.system).variables)
            self.ranges.update((one.variable.name, _range(one.low, one.high)) for one in layout.fields)
        return self.ranges.get(symbol.name, "")

    def _process_around(self, offset: int) -> str | None:
        """Return the name of the process whose declaration is the last one before an offset."""
        before = [one for one in self.symbols if one.kind is SymbolKind.PROCESS and one.span is not None]
        starts = [(one.span.start, one.name) for one in before if one.span is not None and one.span.start <= offset]
        return max(starts)[1] if starts else None


def outline_of(system: System) -> Outline:
    """Return the outline of a System whose language keeps the places of declarations."""
    symbols = [*_variables(system), *_processes(system), *_actions(system), *_conditions(system)]
    # Several processes of one template declare the same names: one symbol each is enough.
    kept = {(one.name, one.kind): one for one in reversed(symbols)}
    return Outline(system.source, tuple(reversed(kept.values())), tuple(_claims(system)), system)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}..{high}"


def _variables(system: System) -> Iterator[Symbol]:
    writes: dict[Variable, dict[tuple[int, int], Span]] = {}
    for action in system.actions:
        for effect in action.effects:
            if effect.span is not None and isinstance(effect.target, Read | Element):
                writes.setdefault(effect.target.variable, {})[effect.span.start, effect.span.end] = effect.span
    coded = {variable: view for view in system.scope.views() for variable in view.variables}
    for variable in system.variables:
        if variable in system.locations or variable.hidden:
            continue
        view = coded.get(variable)
        found = tuple(writes.get(variable, {}).values())
        name = variable.name if view is None else view.name
        yield Symbol(name, SymbolKind.VARIABLE, _type(variable), variable.span, found, variable)


def _type(variable: Variable) -> str:
    length = "" if variable.length is None else f"[{variable.length}]"
    values = ", ".join(variable.names[:_MOST_LOCATIONS]) if variable.names else None
    return f"{values or _range(variable.domain.low, variable.domain.high)}{length}"


def _processes(system: System) -> Iterator[Symbol]:
    spans = sorted(one.span.start for one in system.processes if one.span is not None)
    for process in system.processes:
        names = process.locations
        shown = ", ".join(names[:_MOST_LOCATIONS]) + (", ..." if len(names) > _MOST_LOCATIONS else "")
        yield Symbol(process.name, SymbolKind.PROCESS, f"locations {shown}", process.span)
        end = next((start for start in spans if process.span is not None and start > process.span.start), None)
        for name in names:
            place = _first_mention(system.source.text, name, process, end)
            yield Symbol(f"{process.name}.{name}", SymbolKind.LOCATION, f"location of {process.name}", place)


def _first_mention(text: str, name: str, process: Process, end: int | None) -> Span | None:
    """Return the first place behind the head of a process where the name of a location stands: its declaration."""
    if process.span is None or not name.isidentifier():
        return None
    found = re.compile(rf"\b{re.escape(name)}\b").search(text, process.span.end, len(text) if end is None else end)
    return None if found is None else Span(*found.span())


def _actions(system: System) -> Iterator[Symbol]:
    for action in system.actions:
        if _WORD.fullmatch(action.name) and action.span is not None:
            yield Symbol(action.name, SymbolKind.ACTION, "action", action.span)


def _conditions(system: System) -> Iterator[Symbol]:
    for word, found in (("label", system.labels), ("invariant", system.invariants), ("reachable", system.goals)):
        for one in found:
            if _WORD.fullmatch(one.name):
                yield Symbol(one.name, SymbolKind.CONDITION, word, one.span)


def _claims(system: System) -> Iterator[DeclaredClaim]:
    found = [(one.name, one.span) for one in (*system.assertions, *system.invariants, *system.goals)]
    for name, span in [*found, *((one.name, one.span) for one in system.claims)]:
        if span is not None:
            yield DeclaredClaim(name, span)


def with_ranges(outline: Outline, variables: Iterable[dict[str, object]]) -> Outline:
    """Return the outline with the ranges of `strandline info --json`; those of several processes are joined."""
    bounds: dict[str, tuple[int, int]] = {}
    for one in variables:
        match one:
            case {"name": str(name), "narrowed": [int(low), int(high)]}:
                short = re.sub(r"_\d+\.", ".", name)
                before = bounds.get(short, (low, high))
                bounds[short] = (min(low, before[0]), max(high, before[1]))
    return replace(outline, ranges={name: _range(*found) for name, found in bounds.items()})
