"""Parse `expected.toml` to cases. Unknown keys are errors: a misspelt expectation must not pass."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from strandline.checker.api import CheckArguments
from strandline.checker.expected.cases import Case, Expectation, PropertyExpectation
from strandline.checker.expected.toml import parse_toml
from strandline.checker.options.fields import options_in
from strandline.checker.options.search import Options
from strandline.checker.verdicts.statistics import table
from strandline.checker.verdicts.verdict import Answer
from strandline.errors import InputError, UsageError, suggestion
from strandline.languages import LANGUAGES
from strandline.source import Source, Span

FILE_NAME = "expected.toml"
FIGURES = tuple(one.name for one in table() if one.facts.expected)
"""The statistics that may be expected, because they are the same on every machine."""
_VERDICTS = tuple(answer.value for answer in Answer)
_COUNTS = {"exit_code", "trace_length", *FIGURES}
_TOP = {"model", "fault", "description", "check", "explore", *FIGURES}
_SECTION = {"name", "description", "model", "verdict", "fault", *_COUNTS}


def find_expected(places: Iterable[Path]) -> list[Path]:
    """Find the `expected.toml` files in folders, recursively, without hidden folders and virtual environments.

    A path to a file stands for that file, which may also be a model. Raises `UsageError` for a path that does not exist
    or a folder that contains none.
    """
    found: dict[Path, None] = {}
    for place in places:
        if place.is_file() and place.suffix not in (".toml", *LANGUAGES):
            known = ", ".join(LANGUAGES)
            raise UsageError(f"{place}: this is no {FILE_NAME}, and no model either (known suffixes: {known})")
        if place.is_file():
            found[place] = None
            continue
        if not place.is_dir():
            raise UsageError(f"{place}: no such file or folder")
        files = sorted(_expected_below(place))
        if not files:
            raise UsageError(f"{place}: there is no {FILE_NAME} in this folder")
        found.update(dict.fromkeys(files))
    return list(found)


def _expected_below(place: Path) -> Iterator[Path]:
    """Yield the files below a folder, without those in hidden folders and in virtual environments."""
    for folder, below, names in os.walk(place):
        here = Path(folder)
        below[:] = [one for one in below if not one.startswith(".") and not (here / one / "pyvenv.cfg").exists()]
        if FILE_NAME in names:
            yield here / FILE_NAME


def read_expected(file: Path) -> tuple[Case, ...]:
    """Read the cases of one file in their order, the counts at its top first.

    The only case of a model is that all that it declares holds. Raises `InputError` with the position of the first
    mistake.
    """
    if file.suffix in LANGUAGES:
        return (Case(file, file.name, "check", file, {}, Expectation("HOLDS")),)
    source = _read(file)
    top = _Section(source, "", 0, parse_toml(source))
    top.refuse_unknown(_TOP)
    top.check_values()
    fault = top.text("fault")
    cases = []
    figures = top.figures()
    if figures or fault is not None:
        expected = Expectation(_read_counts(fault), fault=fault, figures=figures)
        cases.append(Case(file, "counts", "explore", top.model(file, None), {}, expected))
    for kind in ("check", "explore"):
        for section in top.sections(kind):
            case = _case(file, top, section, fault)
            if any(case.name == other.name for other in cases):
                raise section.error("name", f"there is another case called '{case.name}'")
            cases.append(case)
    if not cases:
        raise InputError("nothing is expected: write counts, [[check]] or [[explore]]", top.source)
    return tuple(cases)


def _read(file: Path) -> Source:
    try:
        return Source(str(file), file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from None


def _case(file: Path, top: _Section, section: _Section, fault: str | None) -> Case:
    keywords = section.keywords()
    section.refuse_unknown(_SECTION | set(keywords) | ({"properties"} if section.kind == "check" else set()))
    section.check_values()
    asked = {key: section.data[key] for key in section.data if key in keywords}
    for key, value in asked.items():
        if not _fits(keywords[key], value):
            raise section.error(key, f"'{key}' cannot be {value!r}")
        if key in _files():
            asked[key] = [str(file.parent / name) for name in ([value] if isinstance(value, str) else value)]
    own_fault = section.text("fault")
    verdict = section.text("verdict")
    if verdict is None and section.kind == "explore":
        verdict = _read_counts(own_fault)
    expected = Expectation(
        verdict,
        section.data.get("exit_code"),
        section.data.get("trace_length"),
        own_fault,
        section.figures(),
        section.properties(),
    )
    if expected == Expectation():
        raise section.error(None, f'{section.title} expects nothing: write for example verdict = "HOLDS"')
    name = section.text("name") or section.title
    return Case(file, name, section.kind, section.model(file, top), asked, expected, own_fault or fault)


def _read_counts(fault: str | None) -> str:
    return "HOLDS" if fault is None else "VIOLATED"


@dataclass(frozen=True, slots=True)
class _Section:
    """A TOML table of the file: its top level, or one `[[check]]` or `[[explore]]`."""

    source: Source
    kind: str
    number: int
    data: Mapping[str, Any]

    @property
    def title(self) -> str:
        return f"{self.kind} {self.number}"

    def sections(self, kind: str) -> list[_Section]:
        tables = self.data.get(kind, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self.error(kind, f"write [[{kind}]] with two brackets, one for each run")
        return [_Section(self.source, kind, number, table) for number, table in enumerate(tables, 1)]

    def keywords(self) -> Mapping[str, Any]:
        return _keywords(CheckArguments if self.kind == "check" else Options)

    def refuse_unknown(self, known: Iterable[str]) -> None:
        names = sorted(known)
        for key in self.data:
            if key not in names:
                hint = suggestion(key, names) or f" (known: {', '.join(names)})"
                raise self.error(key, f"'{key}' is unknown here{hint}")

    def check_values(self) -> None:
        for key in ("name", "description", "model", "verdict", "fault"):
            if not isinstance(self.data.get(key, ""), str):
                raise self.error(key, f"'{key}' must be a text")
        for key in _COUNTS & set(self.data):
            self._check_count(key, self.data[key], key)
        self._check_verdict("verdict", self.data.get("verdict", _VERDICTS[0]))

    def _check_count(self, key: str, value: Any, shown: str) -> None:
        if type(value) is not int or value < 0:
            raise self.error(key, f"'{shown}' must be a whole number, 0 or more")

    def _check_verdict(self, key: str, value: Any) -> None:
        if value not in _VERDICTS:
            raise self.error(key, f"the verdict must be {', '.join(_VERDICTS[:-1])} or {_VERDICTS[-1]}")

    def text(self, key: str) -> str | None:
        value: str | None = self.data.get(key)
        return value

    def figures(self) -> dict[str, int]:
        return {key: self.data[key] for key in FIGURES if key in self.data}

    def model(self, file: Path, top: _Section | None) -> Path:
        name = self.text("model") or (None if top is None else top.text("model"))
        if name is None:
            raise self.error(None, 'which model? write model = "FILE" at the top')
        return file.parent / name

    def properties(self) -> tuple[PropertyExpectation, ...]:
        table = self.data.get("properties", {})
        if not isinstance(table, dict):
            raise self.error("properties", "'properties' must be a table of names and verdicts")
        return tuple(self._property(name, value) for name, value in table.items())

    def _property(self, name: str, value: Any) -> PropertyExpectation:
        given = value if isinstance(value, dict) else {"verdict": value}
        if "verdict" not in given or not set(given) <= {"verdict", "trace_length"}:
            raise self.error(name, f"of '{name}', 'verdict' and 'trace_length' can be expected")
        self._check_verdict(name, given["verdict"])
        if "trace_length" in given:
            self._check_count(name, given["trace_length"], "trace_length")
        return PropertyExpectation(name, given["verdict"], given.get("trace_length"))

    def error(self, key: str | None, message: str) -> InputError:
        """Return an error that points at a key of this section, or at its header if `key` is None."""
        return InputError(message, self.source, _place(self.source.text, self.kind, self.number, key))


_HEADER = re.compile(r"\s*\[\[?\s*(\w+)(.*)")
_KEY = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*=""")


def _place(text: str, kind: str, number: int, key: str | None) -> Span | None:
    """Return the span of `key` in the section with this kind and number.

    If it is not found, or None, the span of the section's header is returned; None if there is no header either.
    """
    here, start, offset, header = ("", 0), 0, 0, None
    for line in text.splitlines(keepends=True):
        opening, start, offset = _HEADER.match(line), offset, offset + len(line)
        if opening is not None:
            if line.lstrip().startswith("[["):
                here = (opening[1], here[1] + 1 if here[0] == opening[1] else 1)
            if here == (kind, number) and (header is None or (key is not None and key in opening[2])):
                header = Span(start, start + len(line.rstrip()))
            continue
        match = _KEY.match(line) if here == (kind, number) else None
        if match is not None and key is not None and key in match.groups():
            return Span(start + match.start(), start + match.end() - 1)
    return header


# Keywords and the types of their values


_FILES_OF_RUNS = ("work_dir", "checkpoint", "every", "resume")


@cache
def _keywords(arguments: type[CheckArguments] | type[Options]) -> Mapping[str, Any]:
    """Return the keyword arguments with their types, except those that name folders of the run."""
    hints = get_type_hints(arguments)
    return {one.name: hints[one.name] for one in fields(arguments) if one.name not in _FILES_OF_RUNS}


@cache
def _files() -> frozenset[str]:
    """Return the keywords that name files; in an `expected.toml` they are relative to its folder."""
    return frozenset(one.name for one, facts in options_in(CheckArguments) if facts.metavar == "FILE")


def _fits(hint: Any, value: Any) -> bool:
    """Return True if a value read from a file has the annotated type `hint`."""
    if get_origin(hint) is UnionType:
        return any(_fits(part, value) for part in get_args(hint))
    if get_origin(hint) is Sequence:
        return isinstance(value, list) and all(_fits(get_args(hint)[0], one) for one in value)
    if get_origin(hint) is Mapping:
        return isinstance(value, dict)
    if hint is float:
        return type(value) in (int, float)
    return type(value) is hint
