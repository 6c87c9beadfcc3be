"""Refuse options that support only properties of states, in a check that has other properties too.

The message names the properties of states, which could be checked by themselves.
"""

from __future__ import annotations

from strandline.checker.options.search import GPU, Options
from strandline.checker.properties.selection import Kind, Property, Selection
from strandline.checker.reductions.symmetry import STATES_ONLY
from strandline.errors import Option, UsageError

_MOST_NAMED = 6


def refuse_mixture(selection: Selection, options: Options) -> None:
    """Raise `UsageError` for symmetry, merging or a GPU in a check of both properties of states and others."""
    others = [one for one in selection.properties if not one.is_of_states]
    alone = [one for one in selection.properties if one.is_of_states]
    reducing = [Option(name, True) for name in ("symmetry", "merge") if getattr(options, name)]
    asked = [*reducing, *([Option("device", GPU)] if options.device == GPU else [])]
    if not asked or not others or not alone:
        return
    named = [_option_for(one) for one in alone[:_MOST_NAMED]] if selection.picked else []
    instead = f"choose {' '.join('{}' for _ in named)}" if named else "ask for them by themselves"
    kind, name = others[0].kind.value, others[0].name
    raise UsageError(f"{{}}: {STATES_ONLY}; {instead}: {kind} '{name}' is none", options=[asked[0], *named])


def _option_for(one: Property) -> Option:
    """Return the option that selects this property of states, which the model declares."""
    return Option("deadlock", True) if one.kind is Kind.DEADLOCK else Option("property", one.name)
