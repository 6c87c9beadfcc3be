"""The claims of a check: one immutable object, made from a command line or a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from strandline.checker.options.fields import option, texts
from strandline.errors import Option, UsageError

BAD, GOOD = "bad", "good"
ACCEPTS = (BAD, GOOD)
"""The kinds of runs that an automaton can accept: bad or good ones."""
INFINITE, FINITE = "infinite", "finite"
WORDS = (INFINITE, FINITE)
"""The kinds of words that an automaton can read: infinite or finite ones."""

_GROUP = "properties"
_WORDS = "properties are texts, as in check(model, 'G F done')"


@dataclass(frozen=True, kw_only=True)
class Claims:
    """The properties to check, as texts. Without any, the properties that the model declares are checked.

    See `strandline.checker.properties.selection.select`.
    """

    ltl: str | Sequence[str] = field(
        default=(),
        kw_only=False,
        metadata=option("every run satisfies the LTL formula: 'G (ask -> F answer)'", group=_GROUP, metavar="FORMULA"),
    )
    ctl: str | Sequence[str] = field(
        default=(),
        metadata=option(
            "every initial state satisfies the CTL formula: 'AG EF ready'", group=_GROUP, metavar="FORMULA"
        ),
    )
    invariants: str | Sequence[str] = field(
        default=(),
        metadata=option(
            "the condition is true in every reachable state", group=_GROUP, metavar="EXPR", flag="--invariant"
        ),
    )
    reach: str | Sequence[str] = field(
        default=(), metadata=option("the condition is true in some reachable state", group=_GROUP, metavar="EXPR")
    )
    never: str | Sequence[str] = field(
        default=(),
        metadata=option(
            "no path matches the regular expression: '.* {ask} (!answer)* {ask}'; a letter is a condition on a state",
            group=_GROUP,
            metavar="REGEX",
        ),
    )
    automaton: str | Path | Sequence[str | Path] = field(
        default=(),
        metadata=option(
            "no run is accepted by the automaton in this file (HOA, never claim, DVE process, the thesis's form): it "
            "describes what must NOT happen, as a never claim does",
            group=_GROUP,
            metavar="FILE",
        ),
    )
    automaton_accepts: str = field(
        default=BAD,
        metadata=option(
            "the automaton accepts the violating runs (bad, the default), or all allowed runs (good)",
            group=_GROUP,
            choices=ACCEPTS,
        ),
    )
    automaton_words: str = field(
        default=INFINITE,
        metadata=option(
            "the automaton reads infinite runs (infinite, the default), or finite paths, none of which may "
            "reach an accepting state (finite)",
            group=_GROUP,
            choices=WORDS,
        ),
    )
    non_progress: bool = field(
        default=False,
        metadata=option("no run passes progress labels only finitely often (models in Promela)", group=_GROUP),
    )
    accept_labels: bool = field(
        default=False,
        metadata=option("no run passes accept labels infinitely often (models in Promela)", group=_GROUP),
    )
    deadlock: bool | None = field(default=None, metadata=option("every reachable state has a step", group=_GROUP))
    property: str | Sequence[str] = field(
        default=(), metadata=option("check this property of the model, given by its name", group=_GROUP, metavar="NAME")
    )

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.default == ():
                object.__setattr__(self, one.name, texts(value, _WORDS))
        self._check_automata()

    def automaton_files(self) -> tuple[str, ...]:
        """Return the names of the automata files."""
        return texts(self.automaton, _WORDS)

    def _check_automata(self) -> None:
        accepts, words = Option("automaton_accepts", self.automaton_accepts), Option("automaton_words", FINITE)
        for given, known, what in (
            (self.automaton_accepts, ACCEPTS, "an automaton accepts what is"),
            (self.automaton_words, WORDS, "an automaton's words are"),
        ):
            if given not in known:
                raise UsageError(f"{what} {' or '.join(known)}, not '{given}'")
        if self.automaton_accepts == GOOD and self.automaton_words == FINITE:
            raise UsageError("{} is for automata on infinite words, not with {}", options=[accepts, words])
        for flag, asked in ((accepts, self.automaton_accepts == GOOD), (words, self.automaton_words == FINITE)):
            if asked and not self.automaton:
                raise UsageError(
                    "{} says how an automaton is read, and there is none: give {}",
                    options=[flag, Option("automaton", "FILE")],
                )
