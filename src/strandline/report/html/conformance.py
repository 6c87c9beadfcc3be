"""The verdict on a log as an HTML page: the log beside the run of the model, each step to be opened."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from strandline.conformance.verdict import Conformance, Deviation
from strandline.errors import UsageError
from strandline.model.values import show
from strandline.report.conformance import conformance_text, coverage_lines, event_text
from strandline.report.html.page import digest
from strandline.traces.trace import State, Step

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
code, pre, td { font-family: ui-monospace, monospace; font-size: 13px; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
td, th { border-top: 1px solid #8884; padding: .3rem .5rem; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; }
summary { cursor: pointer; }
.deviates { background: #d4351c22; } .unlogged { opacity: .65; }
pre { white-space: pre-wrap; }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src {policy}; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def conformance_page(result: Conformance) -> str:
    """Return the HTML document of a verdict on logs."""
    body = "\n".join(_body(result))
    title = escape(f"{result.answer.value}  {result.system.title}")
    return _PAGE.format(policy=digest(_STYLE), title=title, style=_STYLE, body=body)


def write_conformance(path: Path, result: Conformance) -> None:
    """Write the HTML document to a file. Raises `UsageError` if that fails."""
    try:
        path.write_text(conformance_page(result), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: the report cannot be written: {error.strerror}") from None


def _body(result: Conformance) -> Iterator[str]:
    if result.reason is not None:
        yield f"<p>{escape(result.reason)}</p>"
    yield f"<p>{result.events:,} events in {escape(', '.join(result.logs))}</p>"
    if result.deviation is not None:
        yield from _deviation(result.deviation)
    yield "<h2>Coverage of the model</h2>"
    yield f"<pre>{escape(chr(10).join(coverage_lines(result.coverage)))}</pre>"
    text = escape(conformance_text(result))
    yield f"<h2>As text</h2><details><summary>the whole report</summary><pre>{text}</pre></details>"


def _deviation(deviation: Deviation) -> Iterator[str]:
    yield "<h2>Why</h2><ul>"
    for one in deviation.reasons:
        share = "" if one.of <= 1 else f" (in {one.states} of {one.of} states)"
        yield f"<li><code>{escape(one.action)}</code>: {escape(one.words + share)}</li>"
    yield "</ul>"
    if deviation.missing:
        yield f"<p>The event would match after <code>{escape(' and '.join(deviation.missing))}</code>.</p>"
    yield "<h2>The log beside the model</h2><table><tr><th>log</th><th>model</th></tr>"
    yield f"<tr><td></td><td>{_opened('begins', deviation.trace.initial)}</td></tr>"
    for step, entry in zip(deviation.trace.steps, deviation.events, strict=True):
        logged = "not logged" if entry is None else f"{escape(entry.place)}<br>{escape(event_text(entry))}"
        kind = ' class="unlogged"' if entry is None else ""
        yield f"<tr{kind}><td>{logged}</td><td>{_step(step)}</td></tr>"
    event = deviation.event
    place = f"{escape(event.place)}<br>{escape(event_text(event))}"
    yield f'<tr class="deviates"><td>{place}</td><td>no step of the model</td></tr></table>'


def _step(step: Step) -> str:
    changed = "; ".join(map(str, step.changes))
    return _opened(f"{step.action}<br>", step.state, changed)


def _opened(title: str, state: State, changed: str = "") -> str:
    """Return an element that shows the whole state when it is opened."""
    name, _, end = title.partition("<br>")
    values = "\n".join(f"{name} = {show(value)}" for name, value in state.items())
    below = f"<br>{escape(changed)}" if changed and not end else ""
    return f"<details><summary>{escape(name)}{below}</summary><pre>{escape(values)}</pre></details>"
