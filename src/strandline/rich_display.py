"""How results show themselves: in notebooks, and as reports.

`verdict.save_report("out.html")` and a verdict at the end of a cell are asked of the verdict, and made by `report`,
which comes later in the order of imports than all that can be shown. This module is the one place where that order
turns: it finds `report` by its name when something is to be shown, and nothing else does. Everything may import it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any


class Shown:
    """Has a picture of itself for notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(import_module("strandline.report.notebook").html_of(self))


class Reported(Shown):
    """Can be told as a page that stands alone."""

    __slots__ = ()

    def report(self) -> Report:
        """The whole report: `.html` is the page, `.save(path)` writes it, and a notebook shows it."""
        return Report(str(import_module("strandline.report.html.page").report_page(self)))

    def save_report(self, path: str | Path) -> None:
        """Write the report to a file that stands alone: one can send it to somebody."""
        self.report().save(path)


class Report:
    """A page that stands alone."""

    __slots__ = ("html",)

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # In a frame of its own: what it draws, and by what style, is no business of the notebook's.
        style = "width: 100%; height: 720px; border: 1px solid #8886; border-radius: 8px"
        return f'<iframe sandbox="allow-scripts" srcdoc="{escape(self.html)}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"<Report of {len(self.html):,} characters; .save(path) writes it>"


@contextmanager
def notebook_progress() -> Iterator[Any]:
    """What shows the progress of a search in the cell that runs it, as long as it runs; None where there is no
    notebook."""
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    if running is None or not hasattr(running, "kernel"):
        yield None
        return
    callback = import_module("strandline.report.notebook").CellWatcher()
    try:
        yield callback
    finally:
        callback.clear()


def interrupted_lines(result: Any) -> list[str]:
    """What a notebook shows in the place of a traceback where a search was interrupted."""
    lines: list[str] = import_module("strandline.report.notebook").interrupted_lines(result)
    return lines
