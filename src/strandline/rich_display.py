"""Display of results in notebooks, and as reports.

`verdict.save_report("out.html")` and the display of a verdict in a notebook are methods of the verdict implemented by
`report`, which comes later in the import order. This module is the only exception to that order: it imports `report` by
its name when something is displayed. Every package may import it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from strandline.errors import UsageError


class Shown:
    """Base class of objects with an HTML display in notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(import_module("strandline.report.notebook").html_of(self))


class Reported(Shown):
    """Base class of objects with a self-contained HTML report."""

    __slots__ = ()

    def report(self) -> Report:
        """Return the report: `.html` is the page, `.save(path)` writes it, and a notebook shows it."""
        return Report(str(import_module("strandline.report.html.page").report_page(self)))

    def explorer(self) -> Any:
        """Return the traces as a widget of notebooks, to step through; needs the extra `strandline[notebook]`.

        Its `position` is the number of the chosen state, shared with the page; `state` is that state.
        """
        if find_spec("anywidget") is None:
            install = f"{sys.executable} -m pip install anywidget (or 'strandline[notebook]')"
            raise UsageError(f"the trace explorer needs the Python package 'anywidget': {install}")
        return import_module("strandline.report.widget").TraceExplorer(self)

    def save_report(self, path: str | Path) -> None:
        """Write the report to a self-contained HTML file."""
        self.report().save(path)


class Report:
    """A self-contained HTML page."""

    __slots__ = ("html",)

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # A sandboxed frame keeps the report's scripts and styles apart from the notebook's.
        style = "width: 100%; height: 720px; border: 1px solid #8886; border-radius: 8px"
        return f'<iframe sandbox="allow-scripts" srcdoc="{escape(self.html)}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"<Report of {len(self.html):,} characters; .save(path) writes it>"


@contextmanager
def notebook_progress() -> Iterator[Any]:
    """Yield a progress callback that draws into the running notebook cell; None outside of notebooks."""
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    if running is None or not hasattr(running, "kernel"):
        yield None
        return
    callback = import_module("strandline.report.notebook").CellProgress()
    try:
        yield callback
    finally:
        callback.clear()


def interrupted_lines(result: Any) -> list[str]:
    """Return the lines that a notebook shows in place of a traceback when a search is interrupted."""
    lines: list[str] = import_module("strandline.report.notebook").interrupted_lines(result)
    return lines
