"""Results as SARIF 2.1.0, which CI systems and editors show beside the lines of the model.

A violated property is a result of the kind `fail`, an undecided one of the kind `open`; a property that holds is not
mentioned. A trace is a code flow. A mistake in the model is a result, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from strandline import __version__
from strandline.checker.expected.cases import CaseResult
from strandline.checker.verdicts.verdict import Answer, Exploration, PropertyVerdict, Verdict
from strandline.errors import InputError
from strandline.model.system import System
from strandline.report.places import place_of_error, place_of_property, places_of_steps
from strandline.source import Place

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/strandline/strandline"
_MOST_STEPS = 200
"""Most steps of a code flow: of a longer trace the first and the last half of them."""
MISTAKE, EXPECTATION = "input", "expectation"
_RULES = {MISTAKE: "the model or a property cannot be read", EXPECTATION: "the verdict is as expected"}


def result_sarif(result: Exploration | Verdict) -> dict[str, Any]:
    """Return the log of a finished check, exploration or simulation."""
    exploration = result.exploration if isinstance(result, Verdict) else result
    properties = result.properties if isinstance(result, Verdict) else (result.fault,)
    told = [one for one in properties if one is not None and one.answer is not Answer.HOLDS]
    return _log(_of_property(exploration.system, one) for one in told)


def error_sarif(error: InputError) -> dict[str, Any]:
    """Return the log of a run that ended with a mistake of the user."""
    return _log([_result(MISTAKE, error.message, place_of_error(error), error.message)])


def cases_sarif(results: Sequence[CaseResult]) -> dict[str, Any]:
    """Return the log of a test run: the cases that are not as expected."""
    return _log(_of_case(one) for one in results if not one.outcome.is_as_expected)


def sarif_text(log: dict[str, Any]) -> str:
    """Return the log as the text of a file."""
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def write_sarif(path: Path, log: dict[str, Any]) -> None:
    """Write the log to a file."""
    path.write_text(sarif_text(log), encoding="utf-8")


def _log(results: Iterable[dict[str, Any]]) -> dict[str, Any]:
    found = list(results)
    rules = list(dict.fromkeys(one["ruleId"] for one in found))
    described = [{"id": rule, "shortDescription": {"text": _RULES.get(rule, f"the {rule} holds")}} for rule in rules]
    driver = {"name": "Strandline", "version": __version__, "informationUri": _HOME, "rules": described}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": found}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _of_property(system: System, one: PropertyVerdict) -> dict[str, Any]:
    steps = places_of_steps(system, one)
    violated = one.answer is Answer.VIOLATED
    length = "" if one.trace is None else f", trace of {len(one.trace)} steps"
    reason = f": {one.reason}" if one.reason else ""
    words = f"{one.kind.value} {one.name}: {one.answer.value}{reason}{length}"
    place = place_of_property(system, one, steps)
    result = _result(one.kind.value, words, place, f"{one.kind.value} {one.name}", violated=violated)
    return result | ({"codeFlows": [_flow(steps, Place(system.source.name))]} if steps else {})


def _of_case(one: CaseResult) -> dict[str, Any]:
    words = "\n".join([f"{one.name}: {one.outcome.words}", *one.judgement.messages])
    place = one.judgement.place or Place(str(one.model or one.file))
    return _result(EXPECTATION, words, place, f"{one.file}: {one.name}")


def _result(rule: str, words: str, place: Place | None, identity: str, *, violated: bool = True) -> dict[str, Any]:
    # The identity keeps a result the same one, although lines move.
    fingerprint = hashlib.sha256(identity.encode()).hexdigest()[:32]
    return {
        "ruleId": rule,
        "kind": "fail" if violated else "open",
        "level": "error" if violated else "none",
        "message": {"text": words},
        "locations": [] if place is None else [{"physicalLocation": _location(place)}],
        "partialFingerprints": {"claim/v1": fingerprint},
    }


def _location(place: Place) -> dict[str, Any]:
    path = PurePath(place.file)
    address = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    region = {"startLine": place.line, "startColumn": place.column}
    if place.end_line is not None and place.end_column is not None:
        region |= {"endLine": place.end_line, "endColumn": place.end_column}
    return {"artifactLocation": {"uri": address}, "region": region}


def _flow(steps: Sequence[tuple[str, Place | None]], model: Place) -> dict[str, Any]:
    half = _MOST_STEPS // 2
    numbered = list(enumerate(steps, 1))
    shown = numbered if len(numbered) <= _MOST_STEPS else [*numbered[:half], *numbered[-half:]]
    locations = [
        {
            "executionOrder": number,
            "location": {"physicalLocation": _location(place or model), "message": {"text": f"{number}  {action}"}},
        }
        for number, (action, place) in shown
    ]
    return {"threadFlows": [{"locations": locations}]}
