"""Make the JSON objects of commands small: an agent reads every character of an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MOST_STEPS = 40
_MOST_NAMES = 200
_MOST_ITEMS = 20
_SUGGESTION = re.compile(r"did you mean '([^']*)'\?")

_FIGURES = ("states", "transitions", "deadlocks", "visited", "peak_states", "seconds", "depth")


def search_answer(data: Mapping[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer of `check`, `explore` and `simulate`: the verdict, the shortest trace, what was never reached.

    `paths` are paths that must not be shown, with the names that stand in their place.
    """
    if data.get("error") is not None:
        return error_answer(data["error"], paths)
    coverage = data.get("coverage") or {}
    answer = {
        "verdict": data["verdict"],
        "complete": data["complete"],
        "reason": data["reason"],
        "properties": [_property(one) for one in data["properties"]],
        **{name: data[name] for name in _FIGURES},
        "measure": data["measure"],
        "trace": None if data["trace"] is None else trace_answer(data["trace"]),
        **{name: _first(coverage.get(name, [])) for name in ("never_taken", "never_reached", "full")},
        "walks": data.get("walks"),
        "notes": data["notes"],
    }
    return _without_empty(_with_names(answer, paths), keep=("verdict", "complete", "properties"))


def error_answer(error: Mapping[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer for a mistake: the message, its place and, if there is one, the suggestion."""
    message = str(error["message"])
    found = _SUGGESTION.search(message)
    place = {name: error.get(name) for name in ("file", "line", "column")}
    described = {"message": message, **place, "suggestion": None if found is None else found[1]}
    return {"error": _without_empty(_with_names(described, paths), keep=("message",))}


def refusal(message: str) -> dict[str, Any]:
    """Return the answer for a call that cannot be carried out."""
    return error_answer({"message": message}, {})


def measures_answer(data: Mapping[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer of `measures`: measures by rank, with what they cost as shares of the state space."""
    if data.get("error") is not None:
        return error_answer(data["error"], paths)
    kept = ("measure", "reason", "peak", "visits", "exact")
    found = [{name: one[name] for name in kept} for one in data["measures"]]
    return _with_names({"sampled": data["sampled"], "whole": data["whole"], "measures": found}, paths)


def trace_answer(trace: Mapping[str, Any], first: int = 0, most: int = MOST_STEPS) -> dict[str, Any]:
    """Return the part of a trace that begins with step `first`, counted from 0, with `most` steps at most."""
    steps = [{"number": number, **step} for number, step in enumerate(trace["steps"], 1)]
    shown = steps[first : first + most]
    answer = {
        "length": trace["length"],
        "initial": dict(list(trace["initial"].items())[:_MOST_NAMES]) if first == 0 else None,
        "steps": shown,
        "omitted_steps": len(steps) - len(shown),
        "loop": trace["loop"],
        "fault": trace["fault"],
    }
    return _without_empty(answer, keep=("length", "steps"))


def explained(data: Mapping[str, Any], first: int, most: int, paths: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer of `explain_trace`: each step with the values of the expressions before and after it."""
    if data.get("error") is not None:
        return error_answer(data["error"], paths)
    answer = trace_answer(data["trace"], first, most)
    values = {one["expression"]: one["values"] for one in data["evaluations"]}
    for step in answer["steps"]:
        number = step["number"]
        if values:
            step["before"] = {text: found[number - 1] for text, found in values.items() if number <= len(found)}
            step["after"] = {text: found[number] for text, found in values.items() if number < len(found)}
    return _with_names(answer, paths)


def _property(one: Mapping[str, Any]) -> dict[str, Any]:
    return _without_empty({name: one[name] for name in ("kind", "name", "verdict", "reason")}, keep=())


def _first(items: list[Any]) -> list[Any]:
    rest = len(items) - _MOST_ITEMS
    return [*items[:_MOST_ITEMS], f"and {rest} more"] if rest > 0 else items


def _without_empty(data: Mapping[str, Any], *, keep: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name in keep or value not in (None, [], {}, 0)}


def _with_names(data: dict[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    """Return the data with paths replaced by names in all texts."""

    def replaced(value: Any) -> Any:
        if isinstance(value, str):
            for path, name in paths.items():
                value = value.replace(path, name)
            return value
        if isinstance(value, dict):
            return {key: replaced(one) for key, one in value.items()}
        return [replaced(one) for one in value] if isinstance(value, list) else value

    return {name: replaced(value) for name, value in data.items()}
