"""The trace explorer as a widget: a notebook executed by nbclient, and its widget rendered by Chromium.

`STRANDLINE_PICTURES=DIR` keeps a picture of it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, needs_browser, opened

import strandline
from strandline import rich_display
from strandline.errors import UsageError

ROOT = Path(__file__).parents[2]
MODEL = "examples/naive-mutex/naive-mutex.dve"
CLAIM = "not (P.critical and Q.critical)"
needs_widget = pytest.mark.skipif(
    importlib.util.find_spec("anywidget") is None, reason="anywidget is not installed: there is no widget"
)
needs_notebook = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("nbclient", "ipykernel")),
    reason="nbclient or ipykernel is not installed: no notebook is executed",
)

HOST = """<!doctype html>
<meta charset="utf-8">
<body style="margin: 16px; background: #fff"><div id="cell"></div>
<script type="module">
  // The interface of anywidget's own front end: a model with values that both sides share.
  const state = STATE;
  const listeners = {};
  window.sent = [];
  window.widget = {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; window.pending = { ...window.pending, [name]: value }; },
    save_changes: () => { window.sent.push(window.pending); window.pending = undefined; },
    on: (event, listener) => { (listeners[event] ??= new Set()).add(listener); },
    off: (event, listener) => listeners[event]?.delete(listener),
    receive: (name, value) => { state[name] = value; listeners[`change:${name}`]?.forEach((one) => one()); },
    listening: () => Object.values(listeners).reduce((sum, one) => sum + one.size, 0),
  };
  const program = new Blob([state._esm], { type: "text/javascript" });
  const { default: { render } } = await import(URL.createObjectURL(program));
  window.cleanUp = render({ model: window.widget, el: document.getElementById("cell") });
  window.cell = document.getElementById("cell").shadowRoot;
</script>
"""


def test_without_anywidget_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rich_display, "find_spec", lambda name: None)
    verdict = strandline.check(str(ROOT / MODEL), invariants=CLAIM)
    with pytest.raises(UsageError) as refused:
        verdict.explorer()
    assert f"{sys.executable} -m pip install anywidget" in str(refused.value)


@needs_widget
def test_the_chosen_state_is_a_value_of_python() -> None:
    import traitlets

    explorer = strandline.check(str(ROOT / MODEL), invariants=CLAIM).explorer()
    assert (explorer.position, explorer.state["P"]) == (0, "idle")
    seen: list[int] = []
    explorer.observe(lambda change: seen.append(change["new"]), "position")
    explorer.position = 4
    assert (seen, explorer.state["P"], explorer.state["Q"]) == ([4], "critical", "critical")
    with pytest.raises(traitlets.TraitError, match="there is no state 5: there are 5"):
        explorer.position = 5
    with pytest.raises(traitlets.TraitError, match="there is no trace 1: there are 1"):
        explorer.number = 1
    with pytest.raises(UsageError, match="there is no trace to explore"):
        strandline.check(str(ROOT / "examples/peterson/peterson.dve")).explorer()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with opened(tmp_path_factory.mktemp("profile")) as found:
        yield found


def widget_state() -> dict[str, Any]:
    """The state of the widget of a notebook that nbclient executes, as the notebook stores it."""
    import nbformat
    from nbclient import NotebookClient

    cells = [
        f"import strandline\nexplorer = strandline.check({MODEL!r}, invariants={CLAIM!r}).explorer()\nexplorer",
        "explorer.position = 2\nexplorer.state['Q']",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    assert notebook.cells[1].outputs[0]["data"]["text/plain"] == "'seen'"
    shown = notebook.cells[0].outputs[0]["data"]["application/vnd.jupyter.widget-view+json"]
    models = notebook.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    state: dict[str, Any] = models[shown["model_id"]]["state"]
    return state


@needs_widget
@needs_notebook
@needs_browser
def test_a_widget_of_a_notebook_is_rendered(tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "page.html"
    page.write_text(HOST.replace("STATE", json.dumps(widget_state()).replace("<", "\\u003c")), encoding="utf-8")
    browser.size(1000, 620)
    browser.open(page)
    browser.wait(lambda: browser.run("return window.cleanUp !== undefined"))

    def text(selector: str) -> str:
        return str(browser.run("return window.cell.querySelector(arguments[0])?.innerText ?? ''", selector))

    assert "State 2, after Q: idle -> seen" in text(".state h4"), "the state that Python has chosen"
    browser.run("window.cell.querySelector('.steps').focus()")
    browser.press("j", "j")
    assert browser.run("return window.sent") == [{"position": 3}, {"position": 4}]
    assert "State 4, after Q: seen -> critical" in text(".state h4")
    assert text("table.values tbody").splitlines() == ["flag\t[1, 0]\t[1, 1]", "Q\tseen\tcritical"]
    browser.run("window.widget.receive('position', 1)")
    assert "State 1, after P: idle -> seen" in text(".state h4")
    if folder := os.environ.get("STRANDLINE_PICTURES"):
        browser.run("window.widget.receive('position', 3)")
        browser.picture(Path(folder) / "widget.png")
    assert browser.run("return window.widget.listening()") == 2
    browser.run("window.cleanUp()")
    assert browser.run("return window.widget.listening()") == 0
    assert browser.complaints() == []
