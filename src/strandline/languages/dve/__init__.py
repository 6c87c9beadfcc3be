"""DVE, the language of DiVinE and of the BEEM benchmark set: text in, System out.

Imports `strandline.model` and nothing further down. The order of work: `lexer` (text to tokens), `parser`
(tokens to the outline of `syntax`), `declarations` (`names`), `transitions` and `expressions`
(what each transition says), `actions` (who takes part in a step together), `lowering` (all of it, the
System). `scope` reads and writes expressions over a finished System, `comments` and `pragmas` what comments declare.
The language is described in docs/dve.md.
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
    """The System that a DVE text means. Raises `ParseError` or `ModelError` with the place of the first
    mistake."""
    return load_with(source, {})


def load_with(source: Source, given: Given) -> System:
    """The same with other values for some of its global constants."""
    tokens = Tokens(source)
    system = lower(tokens, Parser(tokens).model(), given)
    return validate(with_declarations(source, system))
