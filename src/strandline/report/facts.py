"""Render facts about a model that need no search: its variables, the layout of states, processes, properties."""

from __future__ import annotations

from typing import Any

from strandline.analysis.ranges import analyse_ranges
from strandline.model.layout import Field, Layout, make_layout
from strandline.model.notation import LONGEST
from strandline.model.system import Fairness, System
from strandline.report.envelope import head
from strandline.report.style import Style, table, with_noun

_MOST_LOCATIONS = 12
_LONGEST_TEXT = 100
"""Most characters of an expression that are shown."""
_FAIRNESS = {"weak": "weak", "strong": "strong", "condition": "infinitely often"}


def facts_data(system: System) -> dict[str, Any]:
    """Return the facts about a model as plain data, the JSON object of `strandline info --json`."""
    layout = make_layout(system, analyse_ranges(system).variables)
    return {
        **head("info", 0),
        "model": system.source.name,
        "name": system.name,
        "parameters": dict(system.parameters),
        "adjustable": dict(system.adjustable),
        "synchronous": system.synchronous,
        "words": layout.words,
        "bits": layout.bits,
        "initial_states": len(system.initial),
        "variables": [_variable(field) for field in layout.fields],
        "processes": [
            {
                "name": process.name,
                "locations": list(process.locations),
                "committed": [process.locations[number] for number in sorted(process.committed)],
            }
            for process in system.processes
        ]
        + [{"name": name, "locations": [], "committed": []} for name in _without_locations(system)],
        "actions": len(system.actions),
        "property_process": None if system.observer is None else system.observer.name,
        "assertions": [one.name for one in system.assertions],
        "labels": [one.name for one in system.labels],
        "invariants": [one.name for one in system.invariants],
        "reachable": [one.name for one in system.goals],
        "formulas": [{"name": one.name, "logic": one.logic, "text": one.text} for one in system.claims],
        "valid_ends": system.ends is not None,
        "measures": [{"name": one.name, "monotone": one.monotone} for one in system.measures],
        "fairness": [{"name": one.name, "kind": _fairness_kind(one)} for one in system.fairness],
        "error": None,
    }


def facts_text(system: System, style: Style) -> str:
    """Return the facts about a model as text."""
    layout = make_layout(system, analyse_ranges(system).variables)
    lines = [style.paint(system.title, "bold") + (", synchronous" if system.synchronous else "")]
    processes = [(process.name, _locations(process.locations)) for process in system.processes]
    processes += [(name, "has no locations") for name in _without_locations(system)]
    lines.append(
        f"  {with_noun(len(processes), 'process', 'processes')}, "
        f"{with_noun(len(system.actions), 'action')}, {with_noun(len(system.initial), 'initial state')}"
    )
    lines.append(f"  a state takes {with_noun(layout.bits, 'bit')} in {with_noun(layout.words, 'word')}")
    if system.adjustable:
        given = [(name, f"{value}", f"-D {name}=...") for name, value in system.adjustable]
        lines += ["", style.paint("parameters", "bold"), *table(given)]
    lines += ["", style.paint("variables", "bold"), *_variable_lines(layout, system)]
    if processes:
        lines += ["", style.paint("processes", "bold"), *table(processes)]
    lines += ["", style.paint("properties", "bold"), *_property_lines(system)]
    return "\n".join(lines)


def _without_locations(system: System) -> list[str]:
    """Return the names of processes without locations, which only own variables or actions."""
    owners = dict.fromkeys([*system.actors, *(variable.owner for variable in system.variables)])
    located = {process.name for process in system.locations.values()}
    return [owner for owner in owners if owner is not None and owner not in located]


def _variable(field: Field) -> dict[str, Any]:
    variable = field.variable
    return {
        "name": variable.name,
        "owner": variable.owner,
        "length": variable.length,
        "declared": [variable.domain.low, variable.domain.high],
        "wraps": variable.domain.wraps,
        "narrowed": [field.low, field.high],
        "bits": field.width * variable.slots,
    }


def _variable_lines(layout: Layout, system: System) -> list[str]:
    rows = [("name", "declared", "reachable at most", "bits")]
    views = {variable: view for view in system.scope.views() if view.declared for variable in view.variables}
    for view in dict.fromkeys(views.get(field.variable, field) for field in layout.fields):
        if isinstance(view, Field):
            rows += [] if view.variable in system.locations else [_plain_row(view)]
        elif not any(variable in system.locations for variable in view.variables):
            bits = sum(layout.by_variable[one].width * one.slots for one in view.variables)
            rows.append((view.name, view.declared or "", "", _bits(bits)))
    return table(rows) if len(rows) > 1 else ["  none but the locations of processes"]


def _plain_row(field: Field) -> tuple[str, str, str, str]:
    """Return the row of a numeric variable in the table of variables: name, declared range, proved range, bits."""
    variable = field.variable
    length = "" if variable.length is None else f"[{variable.length}]"
    narrowed = str(field.low) if field.low == field.high else f"{field.low}..{field.high}"
    declared = f"{variable.domain.low}..{variable.domain.high}"
    return variable.name + length, declared, narrowed, _bits(field.width * variable.slots)


def _bits(bits: int) -> str:
    return str(bits) if bits else "0 (constant)"


def _locations(names: tuple[str, ...]) -> str:
    if len(names) <= _MOST_LOCATIONS:
        return ", ".join(names)
    return f"{', '.join(names[:_MOST_LOCATIONS])}, ... ({len(names)} locations)"


def _property_lines(system: System) -> list[str]:
    rows = [] if system.observer is None else [("property process", system.observer.name)]
    rows += [("assertion", one.name) for one in system.assertions]
    rows += [("invariant", one.name) for one in system.invariants]
    rows += [("reachable", one.name) for one in system.goals]
    rows += [(one.logic, _named_formula(one.name, " ".join(one.text.split()))) for one in system.claims]
    rows += [] if system.ends is None else [("valid end", _shorten(system.scope.render(system.ends, longest=LONGEST)))]
    rows += [("label", one.name) for one in system.labels]
    rows += [("measure", f"{one.name}{', monotone' if one.monotone else ''}") for one in system.measures]
    rows += [("fairness", f"{one.name}, {_FAIRNESS[_fairness_kind(one)]}") for one in system.fairness]
    return table(rows) or ["  none declared"]


def _named_formula(name: str, text: str) -> str:
    return text if name == text else f"{name}: {text}"


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]} ..."


def _fairness_kind(fairness: Fairness) -> str:
    return "condition" if fairness.condition is not None else "strong" if fairness.strong else "weak"
