"""The questions of a file of formulas, one object for each formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from strandline.checker.properties.specification import BoundFormula
from strandline.model.expression import Expression
from strandline.properties import Formula
from strandline.source import Source


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """Asks whether some reachable state satisfies the expression; with `always`, whether all do."""

    id: str
    expression: Expression
    always: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Largest:
    """The largest value of the expression in any reachable state."""

    id: str
    expression: Expression


@dataclass(frozen=True, slots=True, eq=False)
class OfRuns:
    """Asks whether all runs satisfy a formula of LTL."""

    id: str
    formula: BoundFormula


@dataclass(frozen=True, slots=True, eq=False)
class OfTrees:
    """Asks whether the initial states satisfy a formula of CTL."""

    id: str
    formula: Formula
    atoms: Mapping[str, Expression]
    source: Source
    """Its text."""


Asked: TypeAlias = Reached | Largest | OfRuns | OfTrees
