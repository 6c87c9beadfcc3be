"""The trace explorer as a widget of notebooks; needs the extra `strandline[notebook]`.

It works where anywidget does: JupyterLab, Jupyter Notebook, VS Code, marimo. Program and style are those of reports.
"""

from __future__ import annotations

import json
from typing import Any

import anywidget
import traitlets

from strandline.checker.verdicts.verdict import Exploration, Verdict
from strandline.errors import UsageError
from strandline.report.html.data import page_data, traces_of
from strandline.report.html.page import STYLE, WIDGET_PROGRAM, program_text, static_text
from strandline.traces.trace import State, Trace

_KEPT = ("properties", "traces", "source", "places", "floors")
"""The parts of a report's data that the widget shows."""


def widget_program() -> str:
    """Return the module that the notebook runs: it exports `render`, as anywidget asks."""
    style = static_text(STYLE).replace(":root {", ":host {").replace("body {", ":host {")
    render = f"export default {{ render: (view) => strandline.widget(view, {json.dumps(style)}) }};"
    return f"{program_text(WIDGET_PROGRAM)}\n{render}\n"


class TraceExplorer(anywidget.AnyWidget):
    """The traces of a result, to step through; `position` and `number` are shared with the notebook.

    Setting `position` moves the page, and choosing a state on the page sets `position`; `observe` is told of changes.
    """

    _esm = widget_program()
    data = traitlets.Dict().tag(sync=True)
    number = traitlets.Int(0).tag(sync=True)
    """The number of the trace that is shown."""
    position = traitlets.Int(0).tag(sync=True)
    """The number of the chosen state on it; 0 is the initial one."""

    def __init__(self, result: Exploration | Verdict) -> None:
        self._traces = traces_of(result)
        if not self._traces:
            raise UsageError("there is no trace to explore: the result has neither a violation nor a witness")
        data = page_data(result)
        super().__init__(data={name: data[name] for name in _KEPT}, number=_first(data))

    @property
    def trace(self) -> Trace:
        """The trace that is shown."""
        shown: int = self.number
        return self._traces[shown]

    @property
    def state(self) -> State:
        """The chosen state: the variables with their values."""
        chosen: int = self.position
        return self.trace.initial if chosen == 0 else self.trace.steps[chosen - 1].state

    @traitlets.validate("number", "position")
    def _within(self, proposal: Any) -> int:
        """Refuse a trace or a state that does not exist."""
        value = int(proposal["value"])
        of_trace = proposal["trait"].name == "number"
        count = len(self._traces) if of_trace else len(self.trace) + 1
        if not 0 <= value < count:
            raise traitlets.TraitError(f"there is no {'trace' if of_trace else 'state'} {value}: there are {count:,}")
        return value


def _first(data: dict[str, Any]) -> int:
    """Return the number of the trace of the first violated property, else of the first property with a trace."""
    traced = [one for one in data["properties"] if one["trace"] is not None]
    found = next((one for one in traced if one["answer"] == "VIOLATED"), traced[0] if traced else None)
    return 0 if found is None else int(found["trace"])
