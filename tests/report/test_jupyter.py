"""Notebooks in a real Jupyter kernel: the one of the documentation, live progress, and an interrupted cell."""

from __future__ import annotations

import importlib.util
import json
import time
from pathlib import Path
from typing import Any

import pytest
from serving import LARGE

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs/notebook.ipynb"
pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("nbclient", "ipykernel")),
    reason="nbclient or ipykernel is not installed: no notebook is executed",
)


def test_the_notebook_of_the_documentation() -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    stored = json.loads(NOTEBOOK.read_text())
    for cell, kept in zip(notebook.cells, stored["cells"], strict=True):
        shown, before = (_kinds(one.get("outputs", [])) for one in (cell, kept))
        assert shown == before, cell["source"]
    pictures = [one for cell in notebook.cells for one in cell.get("outputs", []) if "text/html" in one.get("data", {})]
    assert len(pictures) == 5, "a verdict, statistics, a trace, a system, an automaton"


def _kinds(outputs: list[dict[str, Any]]) -> list[list[str]]:
    """What is shown, without progress, which is there only where a search takes its time."""
    return [sorted(one.get("data", {"text": ""})) for one in outputs if one["output_type"] != "display_data"]


def test_an_interrupted_cell_shows_what_was_known(tmp_path: Path) -> None:
    from jupyter_client.manager import start_new_kernel

    model = tmp_path / "large.dve"
    model.write_text(LARGE)
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(ROOT))
    try:
        client.execute(f"import strandline, sys\nstrandline.check({str(model)!r})")
        told = _until(client, lambda kind, content: kind == "display_data")
        assert " states · " in told[-1][1]["data"]["text/plain"], "progress is shown while it runs"
        manager.interrupt_kernel()
        told = _until(client, lambda kind, content: kind == "error")
        lines = told[-1][1]["traceback"]
        assert lines[0] == "interrupted; what was known by then is sys.last_value.result:"
        assert "UNKNOWN  large" in lines
        pictures = [content["data"].get("text/html", "") for kind, content in told if kind == "display_data"]
        assert any(">UNKNOWN</b>" in one for one in pictures)
        # What is asked while an error is still being told is left out.
        _until(client, lambda kind, content: kind == "status" and content["execution_state"] == "idle")
        client.execute("print(sys.last_value.result.answer.name, sys.last_value.result.statistics.visited > 1000)")
        printed = _until(client, lambda kind, content: kind == "stream" and content["name"] == "stdout")
        assert printed[-1][1]["text"] == "UNKNOWN True\n"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _until(client: Any, wanted: Any) -> list[tuple[str, dict[str, Any]]]:
    """What a kernel tells, up to what is wanted."""
    told: list[tuple[str, dict[str, Any]]] = []
    end = time.monotonic() + 60
    while not told or not wanted(*told[-1]):
        message = client.get_iopub_msg(timeout=max(0.1, end - time.monotonic()))
        told.append((message["msg_type"], message["content"]))
    return told
