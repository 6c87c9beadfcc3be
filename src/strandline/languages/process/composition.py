"""Networks of components and the operators of CSP on them: parallel by alphabets, hiding, renaming.

A network is its components and a set of *rules*. A rule says which components take part in an action, with which of
their own labels, and what the rest of the world sees of it. Operators only change rules, so a composition of any shape
stays flat: one process for each component, one step with n moves for an action with n participants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from strandline.languages.process.lts import TAU, Lts
from strandline.source import Span

MAXIMUM_RULES = 200_000
"""Most rules of a network; only renaming several labels to one can make so many."""


@dataclass(frozen=True, slots=True)
class Component:
    """A labelled transition system with its name in the network."""

    name: str
    lts: Lts
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """An action: what is seen of it (`TAU` if nothing), who takes part by which own label, what people read."""

    label: str
    parts: tuple[tuple[int, str], ...]
    title: str

    def shifted(self, by: int) -> Rule:
        return replace(self, parts=tuple((component + by, label) for component, label in self.parts))


class TooManyRules(Exception):
    """A network would have more than `MAXIMUM_RULES` rules."""


@dataclass(frozen=True)
class Network:
    """Components and rules. Its alphabet is what is seen of the rules; a label of the alphabet always has one, even
    if no component has a transition for it."""

    components: tuple[Component, ...]
    rules: tuple[Rule, ...]

    @cached_property
    def by_label(self) -> dict[str, list[Rule]]:
        """The visible rules by what is seen of them."""
        found: dict[str, list[Rule]] = {}
        for rule in self.rules:
            if rule.label != TAU:
                found.setdefault(rule.label, []).append(rule)
        return found


EMPTY = Network((), ())
"""Nothing: it takes part in no action."""


def single(name: str, lts: Lts, span: Span | None = None) -> Network:
    """A network of one component."""
    internal = any(transition.label == TAU for transition in lts.transitions)
    labels = [*sorted(lts.alphabet), *([TAU] if internal else [])]
    return Network((Component(name, lts, span),), tuple(Rule(label, ((0, label),), label) for label in labels))


def parallel(networks: Sequence[Network]) -> Network:
    """All of them together: everyone who has an action in its alphabet takes part in it."""
    components = tuple(component for network in networks for component in network.components)
    shifted: list[Network] = []
    offset = 0
    for network in networks:
        shifted.append(Network(network.components, tuple(rule.shifted(offset) for rule in network.rules)))
        offset += len(network.components)
    rules = [rule for network in shifted for rule in network.rules if rule.label == TAU]
    # A dictionary for its order: the order of declaration decides the order of steps.
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
    """The same network, in which nobody can see these actions or take part in them."""
    hidden = set(labels)
    return Network(
        network.components,
        tuple(
            replace(rule, label=TAU, title=f"{TAU} ({rule.label})") if rule.label in hidden else rule
            for rule in network.rules
        ),
    )


def rename(network: Network, names: Mapping[str, str]) -> Network:
    """The same network with other labels, all at once."""
    return Network(
        network.components,
        tuple(
            replace(rule, label=names[rule.label], title=names[rule.label]) if rule.label in names else rule
            for rule in network.rules
        ),
    )
