"""Networks of components and the operators of CSP on them: alphabetised parallel, hiding, renaming.

A network is its components and a set of synchronisation *rules*. A rule lists the components that take part in an
action, each with its own label, and the label visible outside. Operators only change rules, so any composition stays
flat: one process for each component, one step with n moves for an action with n participants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from strandline.languages.process.lts import TAU, Lts
from strandline.source import Span

MAXIMUM_RULES = 200_000
"""The most rules of a network; only renaming several labels to one can produce so many."""


@dataclass(frozen=True, slots=True)
class Component:
    """A labelled transition system with its name in the network."""

    name: str
    lts: Lts
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A synchronisation: its visible label (`TAU` if hidden), pairs of component index and label, and a title."""

    label: str
    parts: tuple[tuple[int, str], ...]
    title: str

    def shift(self, by: int) -> Rule:
        return replace(self, parts=tuple((component + by, label) for component, label in self.parts))


class TooManyRules(Exception):
    """Raised for a network with more than `MAXIMUM_RULES` rules."""


@dataclass(frozen=True)
class Network:
    """A network: its components and its synchronisation rules.

    The alphabet is the set of visible labels; every label of the alphabet has a rule, even if no component has a
    transition for it.
    """

    components: tuple[Component, ...]
    rules: tuple[Rule, ...]

    @cached_property
    def by_label(self) -> dict[str, list[Rule]]:
        """The rules of each visible label."""
        found: dict[str, list[Rule]] = {}
        for rule in self.rules:
            if rule.label != TAU:
                found.setdefault(rule.label, []).append(rule)
        return found


EMPTY = Network((), ())
"""The empty network, with an empty alphabet."""


def single(name: str, lts: Lts, span: Span | None = None) -> Network:
    """Return a network of one component."""
    internal = any(transition.label == TAU for transition in lts.transitions)
    labels = [*sorted(lts.alphabet), *([TAU] if internal else [])]
    return Network((Component(name, lts, span),), tuple(Rule(label, ((0, label),), label) for label in labels))


def parallel(networks: Sequence[Network]) -> Network:
    """Compose networks in parallel; all that have a label in their alphabets synchronise on it."""
    components = tuple(component for network in networks for component in network.components)
    shifted: list[Network] = []
    offset = 0
    for network in networks:
        shifted.append(Network(network.components, tuple(rule.shift(offset) for rule in network.rules)))
        offset += len(network.components)
    rules = [rule for network in shifted for rule in network.rules if rule.label == TAU]
    # A dictionary keeps the order of declaration, which decides the order of steps.
    for label in dict.fromkeys(label for network in shifted for label in network.by_label):
        joined = [Rule(label, (), label)]
        for network in shifted:
            if label in network.by_label:
                joined = _pairs(joined, network.by_label[label])
        rules += joined
        _check(rules)
    return Network(components, tuple(rules))


def _pairs(left: list[Rule], right: list[Rule]) -> list[Rule]:
    if len(left) * len(right) > MAXIMUM_RULES:
        raise TooManyRules
    return [replace(first, parts=first.parts + second.parts) for first in left for second in right]


def _check(rules: list[Rule]) -> None:
    if len(rules) > MAXIMUM_RULES:
        raise TooManyRules


def hide(network: Network, labels: Iterable[str]) -> Network:
    """Replace the labels by the internal action, in which components outside of the network cannot take part."""
    hidden = set(labels)
    return Network(
        network.components,
        tuple(
            replace(rule, label=TAU, title=f"{TAU} ({rule.label})") if rule.label in hidden else rule
            for rule in network.rules
        ),
    )


def rename(network: Network, names: Mapping[str, str]) -> Network:
    """Replace the visible labels that are keys of `names` by their values, all at once."""
    return Network(
        network.components,
        tuple(
            replace(rule, label=names[rule.label], title=names[rule.label]) if rule.label in names else rule
            for rule in network.rules
        ),
    )
