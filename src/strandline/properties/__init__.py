"""Properties: temporal formulas, regular expressions, and automata.

Input: LTL, CTL and regular expressions as text; automata in HOA, never claims, the thesis's format, DVE property
processes. Output: `Formula`, `Automaton`, `FiniteAutomaton`, and `LassoWord`s as witnesses of differences. Atomic
propositions are opaque texts here; `binding` passes them to the language of the model. Must not import anything but
the modules `errors`, `rich_display`, `scanner` and `source` beside the packages.

    word.py         ultimately periodic words
    ltl/            syntax (of CTL too), normal form, simplification, syntactic classes, evaluation on lassos
    automata/       guards, the automaton, products, reductions, complement
    translation/    LTL to automata: the textbook tableau and the default translation; exact classes
    regular/        automata on finite words: bad prefixes, regular expressions
    formats/        HOA, never claims, the thesis's automaton file, DVE property processes
"""

from __future__ import annotations

from strandline.properties.automata.automaton import Automaton, Edge
from strandline.properties.binding import WithAtoms, bind_atoms
from strandline.properties.ltl.formula import Formula
from strandline.properties.ltl.lasso import holds
from strandline.properties.ltl.parser import ParsedFormula, parse_ctl, parse_ltl
from strandline.properties.translation.translate import Acceptance, Method, translate, translate_negation
from strandline.properties.word import LassoWord

__all__ = [
    "Acceptance",
    "Automaton",
    "Edge",
    "Formula",
    "LassoWord",
    "Method",
    "ParsedFormula",
    "WithAtoms",
    "bind_atoms",
    "holds",
    "parse_ctl",
    "parse_ltl",
    "translate",
    "translate_negation",
]
