"""The options of random walks: one immutable object, validated early and passed down."""

from __future__ import annotations

from dataclasses import dataclass, field

from strandline.checker.options.fields import option, parse_count
from strandline.errors import Option, UsageError

_GROUP = "random walks"
_LARGEST = 1 << 40


@dataclass(frozen=True, kw_only=True)
class WalkOptions:
    """The number of walks, their length, and the seed. The same seed gives the same walks."""

    walks: int = field(
        default=1000,
        metadata=option(
            "take this many random walks and check what `check` checks; a violation is shown with its trace",
            group=_GROUP,
            metavar="N",
            parse=parse_count,
        ),
    )
    depth: int = field(
        default=1000,
        metadata=option("steps of a walk at most (default 1000)", group=_GROUP, metavar="D", parse=parse_count),
    )
    seed: int = 0

    def __post_init__(self) -> None:
        for name, most in (("walks", _LARGEST), ("depth", 1 << 24)):
            value = getattr(self, name)
            if not 0 < value <= most:
                raise UsageError(f"{{}} must be from 1 to {most:,}, not {value:,}", options=[Option(name)])
