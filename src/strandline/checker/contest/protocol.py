"""The output format of the Model Checking Contest: a line for each formula, or for the whole examination.

FORMULA id TRUE TECHNIQUES EXPLICIT ...      for formulas, and for questions answered by TRUE or FALSE
STATE_SPACE STATES 42 TECHNIQUES ...         for the state space, four lines
CANNOT_COMPUTE                               if nothing could be answered
DO_NOT_COMPETE                               if the examination is unknown, or the net is coloured
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from strandline.checker.contest.answers import Answered, decide_formulas, decide_widening, session_of
from strandline.checker.contest.questions import STATE_SPACE, decide_question
from strandline.checker.contest.reader import read_formulas
from strandline.checker.limits.progress import ProgressCallback
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.errors import UsageError
from strandline.languages import load, read_text
from strandline.languages.petri.pnml import OtherNet
from strandline.source import Source, saturated_int

CANNOT_COMPUTE, DO_NOT_COMPETE = "CANNOT_COMPUTE", "DO_NOT_COMPETE"

QUESTIONS = {
    "ReachabilityDeadlock": "deadlock",
    "OneSafe": "one-safe",
    "QuasiLiveness": "quasi-liveness",
    "StableMarking": "stable-marking",
    "Liveness": "liveness",
    "StateSpace": STATE_SPACE,
}
FILES = (
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "UpperBounds",
    "CTLCardinality",
    "CTLFireability",
    "LTLCardinality",
    "LTLFireability",
)
EXAMINATIONS = (*QUESTIONS, *FILES)

_FIGURES = {
    "states": "STATES",
    "transitions": "TRANSITIONS",
    "max-tokens-per-marking": "MAX_TOKEN_PER_MARKING",
    "max-tokens-in-place": "MAX_TOKEN_IN_PLACE",
}
_TECHNIQUES = "EXPLICIT"
_MODEL = "model.pnml"
_SHARE_OF_TIME, _SHARE_OF_MEMORY = 0.95, 0.9
"""Shares of the contest's limits that a run uses, so that it prints its answers before it is killed."""


@dataclass(frozen=True, slots=True)
class Examination:
    """One examination of the contest: its name, the folder with the net and the formulas, and its limits."""

    name: str
    folder: Path
    seconds: float | None = None
    memory: int | None = None

    @classmethod
    def read(cls, name: str | None, environment: Mapping[str, str], folder: Path) -> Examination:
        """Read an examination from its name, if given, and from the contest's environment variables.

        Raises `UsageError` if the name is missing or a limit is not a number.
        """
        examination = name or environment.get("BK_EXAMINATION")
        if not examination:
            raise UsageError("which examination? Name one, or set BK_EXAMINATION")
        seconds = _number(environment, "BK_TIME_CONFINEMENT")
        megabytes = _number(environment, "BK_MEMORY_CONFINEMENT")
        return cls(
            examination,
            folder,
            None if seconds is None else _SHARE_OF_TIME * seconds,
            None if megabytes is None else int(_SHARE_OF_MEMORY * megabytes * (1 << 20)),
        )


def _number(environment: Mapping[str, str], name: str) -> int | None:
    written = environment.get(name, "").strip()
    if written and (not written.isdecimal() or saturated_int(written) == 0):
        raise UsageError(f"{name} must be a whole number greater than 0, not '{written}'")
    return saturated_int(written) if written else None


def examine(examination: Examination, callback: ProgressCallback | None = None) -> Iterator[str]:
    """Yield the output lines of an examination as they are found.

    Raises `InputError` for an unreadable net or formula.
    """
    if examination.name not in EXAMINATIONS:
        yield DO_NOT_COMPETE
        return
    try:
        answers = _answers(examination, callback)
        printed = False
        for answer in answers:
            line = _line(examination.name, answer)
            if line is not None:
                printed = True
                yield line
    except OtherNet:
        yield DO_NOT_COMPETE
        return
    if not printed:
        yield CANNOT_COMPUTE


def _answers(examination: Examination, callback: ProgressCallback | None) -> Iterator[Answered]:
    system = load(examination.folder / _MODEL)
    options = Options(max_seconds=examination.seconds, memory=examination.memory)
    session, temporal = session_of(options, callback), TemporalOptions()
    if examination.name in QUESTIONS:
        question = QUESTIONS[examination.name]
        return decide_widening(system, lambda one: decide_question(question, one, options, temporal, session))
    file = examination.folder / f"{examination.name}.xml"
    source = Source(str(file), read_text(file))
    read_formulas(source, system)
    return decide_widening(
        system, lambda one: decide_formulas(one, read_formulas(source, one), options, temporal, session)
    )


def _line(examination: str, answer: Answered) -> str | None:
    """Return the line of an answer; None if the answer is unknown or the contest does not ask for it."""
    if answer.value is None:
        return None
    if examination == "StateSpace":
        if answer.id not in _FIGURES:
            return None
        return f"STATE_SPACE {_FIGURES[answer.id]} {answer.text} TECHNIQUES {_TECHNIQUES}"
    name = examination if examination in QUESTIONS else answer.id
    return f"FORMULA {name} {answer.text} TECHNIQUES {_TECHNIQUES}"
