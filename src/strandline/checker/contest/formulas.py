"""The questions of a file of formulas: one object for each formula."""

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
    """The question whether some reachable state satisfies the expression; with `always`, whether all do."""

    id: str
    expression: Expression
    always: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Largest:
    """The question for the largest value of the expression in any reachable state."""

    id: str
    expression: Expression


@dataclass(frozen=True, slots=True, eq=False)
class OfRuns:
    """The question whether all runs satisfy an LTL formula."""

    id: str
    formula: BoundFormula


@dataclass(frozen=True, slots=True, eq=False)
class OfTrees:
    """The question whether the initial states satisfy a CTL formula."""

    id: str
    formula: Formula
    atoms: Mapping[str, Expression]
    source: Source
    """The text of the formula."""


Asked: TypeAlias = Reached | Largest | OfRuns | OfTrees
