"""What a DVE text says in comments, for Strandline alone: `// measure: EXPR` and `// measure: mono(EXPR)`.

Other tools read past it, so a model stays DVE.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from strandline.errors import InputError
from strandline.languages.dve.queries import parse_expression
from strandline.model.system import DeclaredMeasure, System
from strandline.source import Source, Span

_MEASURE = re.compile(r"^[ \t]*//[ \t]*measure:[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)
_MONOTONE = re.compile(r"mono[ \t]*\((.*)\)")


def declared_measures(source: Source, system: System) -> Iterator[DeclaredMeasure]:
    """The measures that the text declares, over the System made from it."""
    for pragma in _MEASURE.finditer(source.text):
        monotone = _MONOTONE.fullmatch(pragma[1])
        text = pragma[1] if monotone is None else monotone[1]
        start = pragma.start(1) + (0 if monotone is None else monotone.start(1))
        try:
            # Behind so many blanks its places are places in the file.
            expression = parse_expression(" " * start + text, system, name=source.name)
        except InputError as error:
            span = error.span
            if span is None or span.start < start:
                span = Span(start, start + max(len(text), 1))
            raise type(error)(error.message, source, span) from None
        yield DeclaredMeasure(pragma[1], expression, monotone is not None, Span(start, start + len(text)))
