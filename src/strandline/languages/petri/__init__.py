"""Place/transition nets: PNML files, and LoLA's.

`pnml` and `lola` read a net, `bounds` finds out how many tokens its places can have, `lowering` makes a System of it,
with the names of `scope`; `xml` is the tree that PNML, and the contest's files of formulas, are read from.
"""

from __future__ import annotations

from strandline.languages.petri.lowering import lower
from strandline.languages.petri.pnml import read_pnml
from strandline.model.system import System
from strandline.source import Source


def load(source: Source) -> System:
    """The System of the net in a PNML file; raises `InputError` with the place of the mistake."""
    return lower(read_pnml(source))
