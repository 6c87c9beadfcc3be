"""How LTL properties are to be checked: one frozen object, checked early, passed down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.check.ltl.methods import AUTO, SCC, known_methods
from strandline.errors import UsageError

STUTTER, IGNORE = "stutter", "ignore"
FINITE_RUNS = (STUTTER, IGNORE)
"""What a run that ends means: it stays in its last state for ever, or it does not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LtlOptions:
    """Method, fairness and what is to be shown. Build it with `LtlOptions.create`."""

    method: str = AUTO
    fair: bool = False
    """Weak fairness of every process."""
    fairness: tuple[str, ...] = ()
    """Expressions that fair runs make true infinitely often."""
    declared_fairness: bool = True
    """Whether the fairness that the model declares counts."""
    finite_runs: str = STUTTER
    shortest: bool = False
    all_cycles: bool = False
    sanity: bool = True
    """Whether to look for properties that hold for a wrong reason."""

    @classmethod
    def create(
        cls,
        *,
        method: str = AUTO,
        fair: bool = False,
        fairness: str | Sequence[str] = (),
        declared_fairness: bool = True,
        finite_runs: str = STUTTER,
        shortest: bool = False,
        all_cycles: bool = False,
        sanity: bool = True,
    ) -> LtlOptions:
        """Options from loose values; raises `UsageError` where they do not fit."""
        if method not in known_methods():
            raise UsageError(f"unknown method '{method}' (known: {', '.join(known_methods())})")
        if finite_runs not in FINITE_RUNS:
            raise UsageError(f"finite runs: '{finite_runs}' is unknown (known: {', '.join(FINITE_RUNS)})")
        if all_cycles and method not in (AUTO, SCC):
            raise UsageError(f"--all-cycles needs the components of method {SCC}; {method} stops at its first cycle")
        return cls(
            method=method,
            fair=fair,
            fairness=(fairness,) if isinstance(fairness, str) else tuple(fairness),
            declared_fairness=declared_fairness,
            finite_runs=finite_runs,
            shortest=shortest,
            all_cycles=all_cycles,
            sanity=sanity,
        )

    def refuse_without_formula(self) -> None:
        """Raises `UsageError` for what has a meaning for LTL alone; called where no such property is asked."""
        asked = {
            f"--method {self.method}": self.method != AUTO,
            "--fair": self.fair,
            "--fairness": bool(self.fairness),
            f"--finite-runs {self.finite_runs}": self.finite_runs != STUTTER,
            "--shortest": self.shortest,
            "--all-cycles": self.all_cycles,
        }
        for option, given in asked.items():
            if given:
                raise UsageError(f"{option} is for LTL properties, and none is checked: give --ltl FORMULA")
