"""The result of a strategy for CTL formulas: answers with evidence."""

from __future__ import annotations

from dataclasses import dataclass, field

from strandline.checker.driver.outcome import RunOutcome
from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.checker.verdicts.ctl import AbstractionFigures, Evidence, InitialStates


@dataclass(frozen=True, slots=True)
class CtlAnswer:
    """The value of a formula, with its evidence or the reason why evidence is missing."""

    holds: bool
    evidence: Evidence | None
    no_evidence_reason: str | None = None
    initial: InitialStates | None = None
    abstraction: AbstractionFigures | None = None
    warnings: tuple[str, ...] = ()
    """Reasons why the answer may be vacuous."""


@dataclass(slots=True)
class CtlFound:
    """The answers to the formulas of a task; none if the values could not be computed."""

    method: str
    outcome: RunOutcome
    answers: dict[CtlFormula, CtlAnswer] = field(default_factory=dict)
    records: int = 0
    disk_bytes: int = 0
    blocks_read: int = 0
    seconds: float = 0.0
