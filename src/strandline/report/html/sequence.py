"""Render a trace as a message sequence chart: a lifeline per process, an arrow per message.

A step in which several processes move together is an arrow from the acting one to the others. A step that adds a value
to a channel sends it, a later step that removes the value receives it: from a queue in order, from a bag the oldest
equal one. Channels are variables that hold a queue or a bag. A trace of a model without processes has no chart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from strandline.model.system import Action, System
from strandline.model.values import Multiset, Queue, parts, show
from strandline.traces.trace import Step, Trace

_MOST_LIFELINES = 40
_MOST_STEPS = 2_000
"""Most steps of a trace that is drawn as a chart."""
_NOBODY = -1
_OWNER = re.compile(r"([A-Za-z_]\w*)\.")
"""Matches the name of an action that begins with the name of its process."""


def sequence_data(system: System, trace: Trace, taken: Sequence[tuple[Action, ...]] | None) -> dict[str, Any]:
    """Return the chart of a trace; if there is none, only the reason as `why`.

    `lifelines` are names, `steps` has the indices of the lifelines that take part in each step; in `messages`, `from`
    and `to` are pairs of a step's and a lifeline's index, or null. `taken` are the actions of each step, if they are
    known.
    """
    lifelines = _lifelines(system)
    if not lifelines:
        return {"why": "the model has no processes"}
    if len(lifelines) > _MOST_LIFELINES:
        return {"why": f"the model has {len(lifelines):,} processes"}
    if not 0 < len(trace) <= _MOST_STEPS:
        return {"why": f"the trace has {len(trace):,} steps"}
    acting = [
        _acting(system, lifelines, step, () if taken is None else taken[number])
        for number, step in enumerate(trace.steps)
    ]
    used = sorted({one for actors in acting for one in actors})
    if not used:
        return {"why": "no step of the trace belongs to a process"}
    place = {one: number for number, one in enumerate(used)}
    messages = _Messages(trace, acting).list_messages()
    for one in messages:
        for end in ("from", "to"):
            if one[end] is not None:
                one[end][1] = place.get(one[end][1], _NOBODY)
    return {
        "lifelines": [lifelines[one] for one in used],
        "steps": [[place[one] for one in actors] for actors in acting],
        "messages": messages,
        "why": None,
    }


def _lifelines(system: System) -> list[str]:
    """Return the names of the processes, without the property process.

    These are the processes with locations, the owners of variables and, if there are any of both, the processes that
    only the names of actions show.
    """
    owners = [one.owner for one in system.variables if one.owner is not None]
    watching = None if system.observer is None else system.observer.name
    names = dict.fromkeys([*(one.name for one in system.processes), *owners])
    if names:
        acting = [_OWNER.match(action.name) for action in system.actions]
        names.update(dict.fromkeys(found[1] for found in acting if found is not None))
    return [name for name in names if name != watching]


def _acting(system: System, lifelines: Sequence[str], step: Step, actions: Sequence[Action]) -> list[int]:
    """Return the indices of the lifelines that take part in a step, the acting one first.

    They are determined by the moves of `actions`, else by the name of the step's action, else by the owners of the
    variables that it changes.
    """
    moving = [system.processes[move.process].name for action in actions for move in action.moves]
    if not moving:
        moving = [name for name in lifelines if re.match(rf"{re.escape(name)}\b", step.action)][:1]
    if not moving:
        owned = [re.split(r"[.\[]", change.name)[0] for change in step.changes]
        moving = [name for name in owned if name in lifelines]
    return [lifelines.index(name) for name in dict.fromkeys(moving) if name in lifelines]


@dataclass(slots=True)
class _Messages:
    """The messages sent and received along a trace."""

    trace: Trace
    acting: Sequence[Sequence[int]]
    _waiting: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def list_messages(self) -> list[dict[str, Any]]:
        before, messages = _contents(self.trace.initial), list[dict[str, Any]]()
        for name, held in before.items():
            self._waiting[name] = [{"from": None, "to": None, "text": show(one), "channel": name} for one in held]
            messages += self._waiting[name]
        for number, step in enumerate(self.trace.steps):
            after = _contents(step.state)
            actors = self.acting[number]
            actor = actors[0] if actors else _NOBODY
            channels = 0
            for name, held in after.items():
                old = before.get(name, ())
                if held == old:
                    continue
                channels += 1
                for one in Multiset(old).without(held):
                    self._take(name, show(one), [number, actor])
                for one in Multiset(held).without(old):
                    message = {"from": [number, actor], "to": None, "text": show(one), "channel": name}
                    self._waiting.setdefault(name, []).append(message)
                    messages.append(message)
            if not channels and len(actors) > 1:
                messages += [
                    {"from": [number, actor], "to": [number, other], "text": "", "channel": None}
                    for other in actors[1:]
                ]
            before = after
        return messages

    def _take(self, channel: str, text: str, receiver: list[int]) -> None:
        waiting = self._waiting.get(channel, [])
        for place, one in enumerate(waiting):
            if one["text"] == text:
                one["to"] = receiver
                del waiting[place]
                return


def _contents(state: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return the contents of the channels in a state by name, the oldest message first."""
    found: dict[str, tuple[Any, ...]] = {}
    for name, value in state.items():
        for path, inner in parts(value):
            if isinstance(inner, Queue | Multiset):
                found[name + path] = tuple(inner)
    return found
