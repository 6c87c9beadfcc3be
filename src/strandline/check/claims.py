"""What a check can be asked for: one frozen object, as the command line or a call gives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from strandline.check.option_fields import texts, told

_GROUP = "properties"
_WORDS = "properties are texts, as in check(model, 'G F done')"


@dataclass(frozen=True, kw_only=True)
class Claims:
    """Properties by the texts that state them. With none of them, the model decides; see
    `strandline.check.properties.select`."""

    ltl: str | Sequence[str] = field(
        default=(),
        kw_only=False,
        metadata=told("holds on every run: 'G (ask -> F answer)'", group=_GROUP, metavar="FORMULA"),
    )
    invariants: str | Sequence[str] = field(
        default=(),
        metadata=told("holds in every reachable state", group=_GROUP, metavar="EXPR", flag="--invariant"),
    )
    reach: str | Sequence[str] = field(
        default=(), metadata=told("holds in some reachable state", group=_GROUP, metavar="EXPR")
    )
    deadlock: bool | None = field(default=None, metadata=told("every reachable state has a step", group=_GROUP))
    property: str | Sequence[str] = field(
        default=(), metadata=told("a property that the model declares", group=_GROUP, metavar="NAME")
    )

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.default == ():
                object.__setattr__(self, one.name, texts(value, _WORDS))
