"""What a strategy finds of formulas of CTL."""

from __future__ import annotations

from dataclasses import dataclass, field

from strandline.checker.driver.outcome import RunOutcome
from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.checker.verdicts.ctl import AbstractionFigures, Evidence, InitialStates


@dataclass(frozen=True, slots=True)
class CtlAnswer:
    """The value of a formula, and what shows it."""

    holds: bool
    evidence: Evidence | None
    without_evidence: str | None = None
    initial: InitialStates | None = None
    abstraction: AbstractionFigures | None = None
    warnings: tuple[str, ...] = ()
    """Why the answer may not mean what it seems to mean."""


@dataclass(slots=True)
class CtlFound:
    """What labelling found for each formula of a task; nothing where it did not come to an end."""

    method: str
    outcome: RunOutcome
    answers: dict[CtlFormula, CtlAnswer] = field(default_factory=dict)
    records: int = 0
    disk_bytes: int = 0
    blocks_read: int = 0
    seconds: float = 0.0
