"""The options for properties of runs: one immutable object, validated early and passed down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from strandline.checker.options.ctl_methods import CTL_METHODS, STATE_METHODS
from strandline.checker.options.cycle_methods import AUTO, SCC, known_methods
from strandline.checker.options.fields import option, options_in, parse_count, texts
from strandline.errors import Option, UsageError
from strandline.symbolic.abstraction.splitting import SPLITTINGS

STUTTER, IGNORE, MAXIMAL = "stutter", "ignore", "maximal"
FINITE_RUNS = (STUTTER, IGNORE, MAXIMAL)
"""The meanings of a run that ends.

`STUTTER`: it repeats its last state for ever. `IGNORE`: it does not count. `MAXIMAL`, for CTL only: it is a path whose
last state has no successor.
"""

ALL_METHODS = tuple(dict.fromkeys((*known_methods(), *CTL_METHODS, *STATE_METHODS)))
"""The names that the option `method` accepts."""

_GROUP = "temporal logic"
MOST_REFINEMENTS = 200
"""The largest number of refinements that `--refinements` accepts; each may add a pair of bits to the BDDs."""


@dataclass(frozen=True, kw_only=True)
class LogicOptions:
    """Options of both temporal logics: method, fairness, the meaning of finite runs.

    Raises `UsageError` for combinations that make no sense.
    """

    method: str = field(
        default=AUTO,
        metadata=option(
            "how to search for a violating run, or to decide CTL (explicit, swept, components, symbolic, "
            "abstraction); symbolic is for states, too (default: auto, which reports its choice and the "
            "reason)",
            group=_GROUP,
            choices=ALL_METHODS,
        ),
    )
    fair: bool = field(
        default=False, metadata=option("consider only runs that are weakly fair to every process", group=_GROUP)
    )
    fairness: str | Sequence[str] = field(
        default=(),
        metadata=option(
            "consider only runs on which this is true infinitely often; repeatable", group=_GROUP, metavar="EXPR"
        ),
    )
    declared_fairness: bool = field(
        default=True,
        metadata=option("apply the fairness conditions that the model declares (default: yes)", group=_GROUP),
    )
    finite_runs: str | None = field(
        default=None,
        metadata=option(
            "the meaning of finite runs: stutter, the last state repeats for ever (default); ignore, they do not "
            "count; in CTL also maximal, the last state has no next one (default for Petri nets)",
            group=_GROUP,
            choices=FINITE_RUNS,
        ),
    )
    sanity: bool = field(
        default=True, metadata=option("warn when a formula holds for a trivial reason (default: yes)", group=_GROUP)
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "fairness", texts(self.fairness, "fairness is given as texts"))
        if self.method not in ALL_METHODS:
            raise UsageError(f"unknown method '{self.method}' (known: {', '.join(ALL_METHODS)})")
        if self.finite_runs not in (None, *FINITE_RUNS):
            raise UsageError(f"finite runs: '{self.finite_runs}' is unknown (known: {', '.join(FINITE_RUNS)})")


@dataclass(frozen=True, kw_only=True)
class RunOptions(LogicOptions):
    """Options for LTL and automata. Raises `UsageError` for combinations that make no sense."""

    shortest: bool = field(
        default=False, metadata=option("search for a shortest lasso, which takes longer", group=_GROUP)
    )
    all_cycles: bool = field(default=False, metadata=option("report every accepting component", group=_GROUP))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.all_cycles and self.method not in (AUTO, SCC):
            raise UsageError(
                f"{{}} needs the components of method {SCC}; {self.method} stops at its first cycle",
                options=[Option("all_cycles", True)],
            )

    @property
    def finite_runs_of_ltl(self) -> str:
        """The meaning of finite runs for LTL. Raises `UsageError` if it is `MAXIMAL`, which is for CTL."""
        if self.finite_runs == MAXIMAL:
            raise UsageError("{} is for CTL", options=[Option("finite_runs", MAXIMAL)])
        return self.finite_runs or STUTTER


@dataclass(frozen=True, kw_only=True)
class TreeOptions(LogicOptions):
    """Options for CTL. Raises `UsageError` for values that make no sense."""

    reachable_first: bool = field(
        default=True,
        metadata=option(
            "methods symbolic, abstraction: compute the reachable states first (default: yes)", group=_GROUP
        ),
    )

    refinements: int = field(
        default=15,
        metadata=option(
            "method abstraction: number of refinements before the model itself is checked (default 15)",
            group=_GROUP,
            metavar="N",
            parse=parse_count,
        ),
    )
    splitting: str = field(
        default=SPLITTINGS[0],
        metadata=option(
            "method abstraction: how an abstract state is split (default edge)", group=_GROUP, choices=SPLITTINGS
        ),
    )
    explain: bool = field(default=False, metadata=option("method abstraction: report every refinement", group=_GROUP))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.splitting not in SPLITTINGS:
            raise UsageError(f"unknown splitting '{self.splitting}' (known: {', '.join(SPLITTINGS)})")
        if not 0 <= self.refinements <= MOST_REFINEMENTS:
            message = f"{{}} is a number from 0 to {MOST_REFINEMENTS}, not {self.refinements}"
            raise UsageError(message, options=[Option("refinements")])


@dataclass(frozen=True, kw_only=True)
class TemporalOptions(TreeOptions, RunOptions):
    """The options for LTL, automata and CTL, as they are given for one check.

    A task holds the part for its logic (`RunOptions`, `TreeOptions`).
    """

    def refuse_without_runs(self) -> None:
        """Raise `UsageError` for a given option of temporal logic; called if no temporal property is checked.

        Options that turn off a feature which would not be used anyway are accepted.
        """
        for one, _ in options_in(TemporalOptions):
            value = getattr(self, one.name)
            if one.name == "method" and value in STATE_METHODS:
                continue
            if value != one.default and one.default is not True:
                option = Option(one.name, None if isinstance(value, tuple) else value)
                raise UsageError(
                    "{} is for temporal properties, and none is checked: give {} or {}",
                    options=[option, Option("ltl", "FORMULA"), Option("ctl", "FORMULA")],
                )
