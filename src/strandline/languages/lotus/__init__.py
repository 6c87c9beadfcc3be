"""LOTUS: variables of small types, transitions between sets of states, and CTL formulas.

It is the language of Wang's thesis (docs/papers.md, 004).

Input: a text with the sections DEFINE, MODULE, VAR, INIT, TRANS, FAIRNESS and SPEC. Output: a System without processes,
with one action for each edge. `parser.py` has the grammar, `lowering.py` the semantics, `scope.py` the expressions.
"""

from __future__ import annotations

from strandline.languages.lotus.lowering import lower
from strandline.languages.lotus.parser import read
from strandline.model.system import System
from strandline.source import Source

__all__ = ["load"]


def load(source: Source) -> System:
    """Load the System of a text; raises `InputError` with the source position of the first mistake."""
    return lower(read(source))
