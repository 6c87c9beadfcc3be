"""Traces as the text of files."""

from __future__ import annotations

from strandline.source import Source
from strandline.traces.trace import Trace
from strandline.traces.trace_files import itf_text_pieces, json_text_pieces


def json_text(trace: Trace, source: Source) -> str:
    """Return the trace as text in our own format."""
    return "".join(json_text_pieces(trace, source))


def itf_text(trace: Trace, source: Source) -> str:
    """Return the trace as text in ITF."""
    return "".join(itf_text_pieces(trace, source))
