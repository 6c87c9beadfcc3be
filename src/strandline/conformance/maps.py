"""Maps from events of a log to actions and expressions of a model: TOML, a Python file, or a dictionary.

The keys are those of `LogMap`, and those of `Rule` for each event in the table `events`. A Python file has the same
names as variables, and may define `translate(event)`, which returns the event that counts instead, or None.
"""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn

from strandline.checker.expected.toml import parse_toml
from strandline.errors import InputError, ParseError, UsageError, suggestion
from strandline.languages import NO_PYTHON, read_text
from strandline.source import Source, Span

STARTS = ("initial", "reachable")
ORDERS = ("log", "nodes", "messages", "clocks")
Translate = Callable[[dict[str, Any]], dict[str, Any] | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """The meaning of an event: the actions that it may be, and the meaning of its fields.

    Texts may contain `{field}`, which stands for the value of that field of the event. In names of actions, `*` stands
    for any text.
    """

    action: tuple[str, ...] | None = None
    """Names of actions; None for the name of the event, and no name for an observation without a step."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Fields to arguments of the action, as in `msg.kind`."""
    before: Mapping[str, str] = field(default_factory=dict)
    """Fields to expressions in the state before the step."""
    after: Mapping[str, str] = field(default_factory=dict)
    """Fields to expressions in the state after the step."""
    ignore: tuple[str, ...] = ()
    """Fields that say nothing about the model."""


@dataclass(frozen=True, slots=True)
class LogMap:
    """How a log is read as a behaviour of a model."""

    event: str = "event"
    """The field that has the name of an event."""
    node: str = "node"
    """The field that has the name of the process or machine that wrote it."""
    ignore: tuple[str, ...] = ()
    """Fields that say nothing about the model, in any event."""
    start: str = "initial"
    """Where a log may begin: in an `initial` state, or in any `reachable` one."""
    unlogged: tuple[str, ...] = ()
    """Actions that the program does not log."""
    at_most: int = 1
    """The most unlogged actions between two events."""
    order: str = "log"
    """The order of events: as in the `log`, or by `nodes`, across nodes as `messages` or vector `clocks` say."""
    message: str = "message"
    """The field with the identity of a message: the event that sends it happens before the others that have it."""
    sends: tuple[str, ...] = ()
    """The names of the events that send messages."""
    clock: str = "clock"
    """The field with the vector clock, an object from nodes to numbers."""
    events: Mapping[str, Rule] = field(default_factory=dict)
    translate: Translate | None = None
    source: Source | None = None

    def fail(self, message: str, key: str | None = None) -> NoReturn:
        """Raise the error about a text or key of the map, with its place in the file if it has one."""
        if self.source is None:
            raise UsageError(f"map: {message}")
        raise InputError(message, self.source, _find(self.source, key))


_KEYS = tuple(one.name for one in fields(LogMap) if one.name not in ("source", "translate"))
_RULE_KEYS = tuple(one.name for one in fields(Rule))


def read_map(given: LogMap | Mapping[str, Any] | str | Path | None) -> LogMap:
    """Return a map, given as such, as a dictionary or as a file; the empty one for None."""
    if given is None:
        return LogMap()
    if isinstance(given, LogMap):
        return given
    if isinstance(given, Mapping):
        return _Reader(None).log_map(given)
    path = Path(given)
    if path.suffix not in (".toml", ".py"):
        raise UsageError(f"{path}: a map is a .toml or a .py file")
    if path.suffix == ".py" and os.environ.get(NO_PYTHON, "0") not in ("", "0"):
        raise UsageError(f"{path}: a Python map is a program, and executing it is forbidden ({NO_PYTHON}, --no-python)")
    source = Source(str(path), read_text(path))
    return _Reader(source).log_map(parse_toml(source) if path.suffix == ".toml" else _execute(source))


def _execute(source: Source) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "strandline_map", "__file__": source.name}
    try:
        exec(compile(source.text, source.name, "exec"), names)
    except SyntaxError as error:
        raise ParseError(f"not Python: {error.msg}", source, _line(source, error.lineno or 1)) from None
    except Exception as error:  # noqa: BLE001  a program of the user
        lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == source.name]
        message = f"the map raises {type(error).__name__}: {error}"
        raise InputError(message, source, _line(source, (lines or [1])[-1] or 1)) from None
    known = {name: value for name, value in names.items() if name in (*_KEYS, "translate")}
    close = [name for name in names if not name.startswith("_") and name not in known and suggestion(name, _KEYS)]
    for name in close:
        if not callable(names[name]) and not isinstance(names[name], type(os)):
            known[name] = names[name]
    return known


def _line(source: Source, number: int) -> Span:
    lines = source.text.splitlines(keepends=True)
    start = sum(map(len, lines[: number - 1]))
    text = lines[number - 1].rstrip() if number <= len(lines) else ""
    return Span(start + len(text) - len(text.lstrip()), start + max(len(text), 1))


def _find(source: Source, text: str | None) -> Span:
    """Return the place of a key or a quoted text; the beginning of the file if it does not stand there verbatim."""
    if text is not None:
        word = re.escape(text)
        for pattern in (rf"""["']({word})["']""", rf"(?<![\w-])({word})(?![\w-])"):
            found = re.search(pattern, source.text)
            if found is not None:
                return Span(*found.span(1))
    return Span(0, 1)


class _Reader:
    """Turns plain data into a `LogMap`; every unknown key and wrong type is an error."""

    def __init__(self, source: Source | None) -> None:
        self._empty = LogMap(source=source)

    def log_map(self, data: Mapping[str, Any]) -> LogMap:
        known = (*_KEYS, "translate")
        self._refuse_unknown(data, known)
        given: dict[str, Any] = {}
        for key in ("event", "node", "message", "clock"):
            if key in data:
                given[key] = self._text(key, data[key])
        for key, choices in (("start", STARTS), ("order", ORDERS)):
            if key in data:
                given[key] = self._choice(key, data[key], choices)
        for key in ("ignore", "unlogged", "sends"):
            if key in data:
                given[key] = self._texts(key, data[key])
        if "at_most" in data:
            most = data["at_most"]
            if not isinstance(most, int) or isinstance(most, bool) or not 0 < most < 1 << 31:
                self._empty.fail("'at_most' must be a number from 1 on", "at_most")
            if not given.get("unlogged"):
                self._empty.fail("'at_most' limits the actions of 'unlogged', and there are none", "at_most")
            given["at_most"] = most
        if "translate" in data:
            if not callable(data["translate"]):
                self._empty.fail("'translate' must be a function", "translate")
            given["translate"] = data["translate"]
        for key, order in (("message", "messages"), ("sends", "messages"), ("clock", "clocks")):
            if key in data and given.get("order", "log") != order:
                self._empty.fail(f"'{key}' has an effect only with order = \"{order}\"", key)
        if given.get("order") == "messages" and not given.get("sends"):
            self._empty.fail("order = \"messages\" needs 'sends', the events that send messages", "messages")
        rules = self._table("events", data.get("events", {}))
        given["events"] = {name: self._rule(name, rule) for name, rule in rules.items()}
        return LogMap(source=self._empty.source, **given)

    def _rule(self, name: str, data: Any) -> Rule:
        if isinstance(data, str | list):
            return Rule(self._texts(name, data))
        table = self._table(name, data)
        self._refuse_unknown(table, _RULE_KEYS)
        return Rule(
            self._texts("action", table["action"]) if "action" in table else None,
            self._names("arguments", table.get("arguments", {})),
            self._names("before", table.get("before", {})),
            self._names("after", table.get("after", {})),
            self._texts("ignore", table.get("ignore", [])),
        )

    def _refuse_unknown(self, data: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for key in data:
            if key not in known:
                hint = suggestion(str(key), known) or f" (there are {', '.join(known)})"
                self._empty.fail(f"there is no key '{key}'{hint}", str(key))

    def _table(self, key: str, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            self._empty.fail(f"'{key}' must be a table", key)
        return value

    def _names(self, key: str, value: Any) -> dict[str, str]:
        """Read a table of texts, or a list of fields that are called as their expressions."""
        if isinstance(value, list | tuple):
            return {name: name for name in self._texts(key, value)}
        return {field: self._text(f"{key}.{field}", text) for field, text in self._table(key, value).items()}

    def _text(self, key: str, value: Any) -> str:
        if not isinstance(value, str) or not value:
            self._empty.fail(f"'{key}' must be a text", key.rpartition(".")[2])
        return value

    def _texts(self, key: str, value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            return (self._text(key, value),)
        if not isinstance(value, list | tuple):
            self._empty.fail(f"'{key}' must be a text or a list of texts", key)
        return tuple(self._text(key, one) for one in value)

    def _choice(self, key: str, value: Any, choices: tuple[str, ...]) -> str:
        if value not in choices:
            hint = suggestion(str(value), choices)
            self._empty.fail(f"'{key}' is one of {', '.join(choices)}, not {value!r}{hint}", str(value))
        return str(value)
