"""The JSON Schema of the objects that `--json` prints, published as docs/schema.json.

It is as strict as the promise of `schema_version`: keys are not removed and keep their meaning; new keys may be added.
The fields of statistics come from the same table as the objects.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from strandline.checker.expected.cases import Outcome
from strandline.checker.properties.selection import Kind
from strandline.checker.verdicts.statistics import Statistics, table
from strandline.checker.verdicts.verdict import Answer
from strandline.conformance.verdict import Conforms
from strandline.report.envelope import FIGURES, SCHEMA_VERSION, SEARCH_FIELDS
from strandline.report.exit_codes import MEANINGS

_ADDRESS = "https://strandline.github.io/strandline/schema.json"
_STRING, _BOOLEAN, _INTEGER, _NUMBER = ({"type": kind} for kind in ("string", "boolean", "integer", "number"))
_TEXTS = {"type": "array", "items": _STRING}
_RESULTS = ("check", "explore", "simulate")
_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "str": "string", "None": "null"}


def json_schema() -> dict[str, Any]:
    """Return the schema of every object that a command prints."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": _ADDRESS,
        "title": "The JSON objects of strandline",
        "description": f"Objects with schema_version {SCHEMA_VERSION}. New keys may be added at any time.",
        "oneOf": [
            {"$ref": "#/$defs/result"},
            {"$ref": "#/$defs/failure"},
            *(
                {"$ref": f"#/$defs/{name}"}
                for name in ("info", "measures", "trace_command", "conform", "grid", "test", "runs")
            ),
        ],
        "$defs": _definitions(),
    }


def schema_text() -> str:
    """Return the schema as the text of docs/schema.json."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"


def _definitions() -> dict[str, Any]:
    return {
        "exit_code": {
            "type": "integer",
            "description": "; ".join(f"{code}: {words}" for code, words in MEANINGS.items()) + "; 128 + n: signal n",
        },
        "verdict": {"enum": [one.value for one in Answer]},
        "value": {"description": "a value of the model: a number, a text, a truth value, null, a list or an object"},
        "trace": _object(
            {
                "length": _INTEGER,
                "initial": {"type": "object", "additionalProperties": _ref("value")},
                "steps": {"type": "array", "items": _ref("step")},
                "loop": _or_null(_INTEGER),
                "fault": _or_null(_ref("fault")),
            }
        ),
        "step": _object(
            {
                "action": _STRING,
                "changes": {
                    "type": "object",
                    "description": "by the name of a variable or element: the old and the new value",
                    "additionalProperties": {"type": "array", "minItems": 2, "maxItems": 2},
                },
            }
        ),
        "fault": _object({"kind": _STRING, "detail": {}, "at": _or_null(_STRING), "action": _or_null(_STRING)}),
        "property": _object(
            {
                "kind": {"enum": [one.value for one in Kind]},
                "name": _STRING,
                "verdict": _ref("verdict"),
                "reason": _or_null(_STRING),
                "trace": _or_null(_ref("trace")),
                "search": _or_null(_decision("product_states")),
                "ctl": _or_null(_decision("states")),
            }
        ),
        "error": _object(
            {
                "type": _STRING,
                "message": _STRING,
                "file": _or_null(_STRING),
                "line": _or_null(_INTEGER),
                "column": _or_null(_INTEGER),
            }
        ),
        "result": _object(_result({"enum": list(_RESULTS)}, {"type": "null"})),
        "failure": _object(_result({"type": ["string", "null"]}, _ref("error"), of_search=False)),
        "info": _command("info", {"variables": {"type": "array"}, "processes": {"type": "array"}, "bits": _INTEGER}),
        "measures": _command("measures", {"sampled": _INTEGER, "whole": _BOOLEAN, "measures": {"type": "array"}}),
        "trace_command": _command(
            "trace", {"fits": _BOOLEAN, "evaluations": {"type": "array"}, "trace": _ref("trace")}
        ),
        "grid": _command(
            "check",
            {
                "verdict": _ref("verdict"),
                "first_violated": _or_null({"type": "object"}),
                "combinations": {"type": "array", "items": {"type": "object", "required": ["parameters", "verdict"]}},
            },
        ),
        "conform": _command(
            "conform",
            {
                "verdict": {"enum": [one.value for one in Conforms]},
                "reason": _or_null(_STRING),
                "logs": _TEXTS,
                "events": _INTEGER,
                "candidates": _INTEGER,
                "deviation": _or_null({"type": "object", "required": ["event", "matched", "reasons", "trace"]}),
                "coverage": {"type": "object", "required": ["certain", "possible", "never"]},
            },
        ),
        "test": _command(
            "test",
            {
                "as_expected": _BOOLEAN,
                "outcomes": {"type": "object", "required": [one.value for one in Outcome]},
                "cases": {"type": "array", "items": _ref("case")},
            },
        ),
        "case": _object(
            {
                "file": _STRING,
                "name": _STRING,
                "outcome": {"enum": [one.value for one in Outcome]},
                "as_expected": _BOOLEAN,
                "messages": _TEXTS,
            }
        ),
        "runs": _command("runs", {"runs": {"type": "array"}}),
    }


def _result(command: dict[str, Any], error: dict[str, Any], *, of_search: bool = True) -> dict[str, Any]:
    """Return the fields of the object of a search, or of a run that ended with an error, where most are null."""
    figures = _figures() if of_search else {}
    return {
        **_head(command),
        "model": _or_null(_STRING),
        "parameters": {"type": "object"},
        "verdict": _ref("verdict"),
        "complete": _BOOLEAN,
        "reason": _or_null(_STRING),
        "notes": _TEXTS,
        **{name: figures.get(name, {} if of_search else {"type": "null"}) for name in SEARCH_FIELDS},
        "properties": {"type": "array", "items": _ref("property")},
        "trace": _or_null(_ref("trace")),
        "error": error,
    }


def _figures() -> dict[str, Any]:
    """Return the type and the meaning of each statistic."""
    # As texts: some types are imported for type checkers only.
    types = {one.name: str(one.type) for one in fields(Statistics)}
    found = {}
    for one in table():
        if one.key in FIGURES and one.key is not None:
            found[one.key] = {**_type(types.get(one.name, "")), "description": one.facts.meaning}
    return found


def _type(annotation: str) -> dict[str, Any]:
    """Return the schema of a number or a text that may be null; no restriction for other types."""
    kinds = [_TYPES.get(one, "") for one in annotation.split(" | ")]
    return {"type": kinds if len(kinds) > 1 else kinds[0]} if all(kinds) else {}


def _head(command: dict[str, Any]) -> dict[str, Any]:
    return {"schema_version": {"const": SCHEMA_VERSION}, "version": _STRING, "command": command,
            "exit_code": _ref("exit_code")}  # fmt: skip


def _command(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    return _object(_head({"const": name}) | fields)


def _decision(states: str) -> dict[str, Any]:
    return _object({"formula": _STRING, "method": _STRING, "method_reason": {}, "complete": _BOOLEAN, states: {}})


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(fields), "properties": fields}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}
