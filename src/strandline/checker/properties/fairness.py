"""The fairness conditions of a check, from the model and from the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.model.expression import Expression
from strandline.model.system import Fairness, System
from strandline.source import Source
from strandline.transform.fairness import process_fairness

NO_INFINITE_RUN = "every run of the model ends: there is no infinite run"
NO_FAIR_RUN = "no run of the model is fair"


@dataclass(frozen=True, slots=True, eq=False)
class FairnessConditions:
    """The fairness conditions of a check; `stated` are those that the user gave as expressions."""

    conditions: tuple[Fairness, ...] = ()
    stated: tuple[tuple[Source, Expression], ...] = ()

    def descriptions(self) -> tuple[str, ...]:
        """Return a description of each condition, such as `weak fairness of P`."""
        return tuple(map(_describe, self.conditions))


def fairness_of(system: System, *, fair: bool, declared: bool, texts: Sequence[str]) -> FairnessConditions:
    """Return the conditions of a check: declared by the model, weak fairness of all processes if `fair`, and `texts`.

    Each of the `texts` is an expression that must be true infinitely often.
    """
    found = list(system.fairness) if declared else []
    if fair:
        known = [_identity(one) for one in found]
        found += [one for one in process_fairness(system) if _identity(one) not in known]
    stated = []
    for number, text in enumerate(texts, 1):
        title = "fairness" if len(texts) == 1 else f"fairness {number}"
        expression = system.scope.condition(text, name=title)
        stated.append((Source(title, text), expression))
        found.append(Fairness(text, condition=expression))
    return FairnessConditions(tuple(found), tuple(stated))


def _describe(one: Fairness) -> str:
    if one.condition is not None:
        return f"infinitely often {one.name}"
    return f"{'strong' if one.strong else 'weak'} fairness of {one.name}"


def _identity(one: Fairness) -> frozenset[int] | None:
    return None if one.condition is not None else frozenset(id(action) for action in one.actions)
