"""DVE, the language of DiVinE and of the BEEM benchmark set: text in, System out.

Imports no later package. In the order of work: `lexer` (tokens), `parser` (the outline in `syntax`), `declarations`
(the symbol tables in `names`), `transitions` and `expressions` (guards and effects), `actions` (synchronisation),
`lowering` (the System). `scope` parses and renders expressions over a finished System; `comments` and `pragmas` read
declarations in comments. The language is described in docs/dve.md.
"""

from __future__ import annotations

from strandline.languages.dve.lexer import Tokens
from strandline.languages.dve.lowering import lower
from strandline.languages.dve.parser import Parser
from strandline.languages.dve.pragmas import with_declarations
from strandline.languages.parameters import Given
from strandline.model.system import System
from strandline.model.validate import validate
from strandline.source import Source

__all__ = ["load", "load_with"]


def load(source: Source) -> System:
    """Load the System of a DVE text.

    Raises `ParseError` or `ModelError` with the source position of the first mistake.
    """
    return load_with(source, {})


def load_with(source: Source, given: Given) -> System:
    """Load the System of a DVE text; `given` replaces the values of global constants."""
    tokens = Tokens(source)
    system = lower(tokens, Parser(tokens).model(), given)
    return validate(with_declarations(source, system))
