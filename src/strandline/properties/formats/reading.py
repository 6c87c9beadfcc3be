"""Reading an automaton in any format, recognised by its first words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial

from strandline.errors import UsageError
from strandline.properties.automata.automaton import Automaton
from strandline.properties.formats.dve_process import read_dve_process, write_dve_process
from strandline.properties.formats.guard_syntax import AutomatonText
from strandline.properties.formats.hoa_reader import read_hoa
from strandline.properties.formats.hoa_writer import write_hoa
from strandline.properties.formats.never_claim import read_never_claim, write_never_claim
from strandline.properties.formats.thesis import read_thesis_automaton, write_thesis_automaton
from strandline.source import Source


class AutomatonFormat(Enum):
    """The text formats of automata."""

    HOA = "hoa"
    NEVER = "never"
    THESIS = "thesis"
    DVE = "dve"


_COMMENTS = re.compile(r"\s+|/\*.*?\*/|//[^\n]*", re.DOTALL)


def detect_format(text: str) -> AutomatonFormat:
    """Return the format: HOA and never claims begin with keywords, DVE has a `process`, others are the thesis's."""
    offset = 0
    while blank := _COMMENTS.match(text, offset):
        offset = blank.end()
    if text.startswith("HOA:", offset):
        return AutomatonFormat.HOA
    if re.match(r"never\b", text[offset:]):
        return AutomatonFormat.NEVER
    return AutomatonFormat.DVE if re.search(r"\bprocess\s+\w+\s*\{", text) else AutomatonFormat.THESIS


def read_automaton(
    source: Source, format_: AutomatonFormat | None = None, *, names: Sequence[str] = ()
) -> AutomatonText:
    """Parse an automaton; raises `ParseError` with the source position of the mistake.

    `names` are known propositions, which separate the literals of the thesis's format.
    """
    readers: dict[AutomatonFormat, Callable[[Source], AutomatonText]] = {
        AutomatonFormat.HOA: read_hoa,
        AutomatonFormat.NEVER: read_never_claim,
        AutomatonFormat.THESIS: partial(read_thesis_automaton, atoms=names),
        AutomatonFormat.DVE: read_dve_process,
    }
    return readers[format_ or detect_format(source.text)](source)


def write_automaton(automaton: Automaton, format_: AutomatonFormat, *, name: str = "") -> str:
    """Return an automaton as text; raises `UsageError` if the format cannot express it."""
    match format_:
        case AutomatonFormat.HOA:
            return write_hoa(automaton, name=name)
        case AutomatonFormat.NEVER:
            return write_never_claim(automaton, name=name)
        case AutomatonFormat.THESIS:
            return write_thesis_automaton(automaton)
        case AutomatonFormat.DVE:
            return write_dve_process(automaton)
    raise UsageError(f"cannot write the format {format_}")
