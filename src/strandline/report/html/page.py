"""The HTML document of a report: data, style and script in one file, which loads nothing and sends nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from strandline.checker.verdicts.verdict import Exploration, Verdict
from strandline.errors import UsageError
from strandline.report.html.data import page_data
from strandline.report.style import Style
from strandline.report.text import exploration_text, verdict_text

_COMMON = ("elements.js", "values.js", "expressions.js", "trace.js", "sequence.js", "source.js", "sweep.js", "tree.js")
REPORT_PROGRAM = (*_COMMON, "report.js", "page.js")
"""The parts of the script of a report, in the order in which they run."""
WIDGET_PROGRAM = (*_COMMON, "report.js", "widget.js")
"""The parts of the script of the trace explorer in notebooks."""
EXPLORER_PROGRAM = (*_COMMON, "report.js", "around.js", "running.js", "explorer.js")
"""The parts of the script of the explorer, which also shows reports of its checks."""
STYLE = "page.css"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="page"></main>
<noscript><p>This page draws itself by a program that it contains. Without one, what it has to say is:</p>
<pre>{text}</pre></noscript>
<script type="application/json" id="data">{data}</script>
<script>{program}</script>
</body>
</html>
"""


def report_page(result: Exploration | Verdict) -> str:
    """Return the HTML document of a result."""
    style, program = static_text(STYLE), program_text(REPORT_PROGRAM)
    text = verdict_text(result, Style()) if isinstance(result, Verdict) else exploration_text(result, Style())
    data = page_data(result)
    return _PAGE.format(
        policy=f"default-src 'none'; style-src {digest(style)}; script-src {digest(program)}; base-uri 'none'; "
        "form-action 'none'",
        title=escape(f"{data['answer']} {data['title']}"),
        style=style,
        text=escape(text),
        data=embed_json(data),
        program=program,
    )


def write_report(path: Path, result: Exploration | Verdict) -> None:
    """Write the HTML document of a result to a file. Raises `UsageError` if that fails."""
    text = report_page(result)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: the report cannot be written: {error.strerror}") from None


@cache
def static_text(name: str) -> str:
    """Return the contents of a file in the folder `static` of this package."""
    return (files("strandline.report.html") / "static" / name).read_text(encoding="utf-8")


def program_text(names: tuple[str, ...]) -> str:
    """Return the parts with these names as one script; each adds to the object `strandline`."""
    return "\n".join(['"use strict";', "const strandline = {};", *map(static_text, names)])


def digest(text: str) -> str:
    """Return the hash of a style or script as a source expression of a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def embed_json(data: Any) -> str:
    """Return JSON that can stand inside an HTML element: no character sequence in it ends the element."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c").replace(
        "\u2028", "\\u2028").replace("\u2029", "\\u2029")  # fmt: skip
