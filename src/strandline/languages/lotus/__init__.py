"""LOTUS, the language of 004: variables over small types, edges between what is the same of many states, CTL.

What comes in: a text with the sections DEFINE, MODULE, VAR, INIT, TRANS, FAIRNESS and SPEC. What goes out: a System
without processes, an action for every edge. `reading.py` has the grammar, `lowering.py` what it means, `scope.py` the
expressions.
"""

from __future__ import annotations

from strandline.languages.lotus.lowering import lower
from strandline.languages.lotus.reading import read
from strandline.model.system import System
from strandline.source import Source

__all__ = ["load"]


def load(source: Source) -> System:
    """The System that a text means; raises `InputError` with the place of the first mistake."""
    return lower(read(source))
