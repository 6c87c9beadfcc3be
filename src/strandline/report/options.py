"""The options of calls as a table for the documentation."""

from __future__ import annotations

from collections.abc import Iterator

from strandline.checker.options.claims import Claims
from strandline.checker.options.fields import options_in
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions


def options_table() -> str:
    """Return the keywords of `strandline.check` in Markdown: name, default, meaning."""
    return "\n".join(["| keyword | default | meaning |", "|---|---|---|", *_rows()])


def _rows() -> Iterator[str]:
    for options in (Claims, TemporalOptions, Options):
        for field, facts in options_in(options):
            default = "" if callable(field.default_factory) else repr(field.default)
            choices = f" ({', '.join(facts.choices)})" if facts.choices else ""
            meaning = f"{facts.help}{choices}".replace("|", "\\|")
            yield f"| `{field.name}` | {f'`{default}`' if default else ''} | {meaning} |"
