"""The rooms of the Python language import one way: what runs, what executes symbolically, what loads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import strandline.languages.python

LANGUAGE = Path(strandline.languages.python.__file__).parent
ROOMS = ("runtime", "symbolic_execution", "loading")
"""Each imports only those before it."""


def offences(folder: Path) -> Iterator[str]:
    """Imports of a room that comes later."""
    for rank, room in enumerate(ROOMS):
        for file in sorted((folder / room).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                if isinstance(node, ast.Import):
                    modules = [alias.name for alias in node.names]
                for module in modules:
                    other = module.removeprefix("strandline.languages.python").strip(".").split(".")[0]
                    if module.startswith("strandline.languages.python") and other not in ROOMS[: rank + 1]:
                        yield f"{room}/{file.name}:{node.lineno}: {room} must not import {module}"


def test_rooms_import_one_way() -> None:
    assert list(offences(LANGUAGE)) == []


def deferred(file: Path) -> Iterator[str]:
    """Imports that do not stand at the top of a file: the sign of files that import each other."""
    tree = ast.parse(file.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and node not in tree.body:
            yield f"{file.parent.name}/{file.name}:{node.lineno}"


def test_what_executes_symbolically_has_no_knot() -> None:
    folders = (LANGUAGE / "symbolic_execution", LANGUAGE / "loading", LANGUAGE.parent / "symbolic_execution")
    files = [file for folder in folders for file in folder.glob("*.py")]
    assert len(files) > 15
    assert [place for file in files for place in deferred(file)] == []


def test_the_core_of_symbolic_execution_knows_no_language() -> None:
    text = "".join(file.read_text() for file in (LANGUAGE.parent / "symbolic_execution").glob("*.py"))
    assert "import ast" not in text
    assert "languages.python" not in text


def test_every_file_lies_in_a_room() -> None:
    assert {folder.name for folder in LANGUAGE.iterdir() if folder.is_dir()} - {"__pycache__"} == set(ROOMS)
    assert [file.name for file in LANGUAGE.glob("*.py")] == ["__init__.py"]


def test_an_import_of_a_later_room_is_an_offence(tmp_path: Path) -> None:
    (tmp_path / "symbolic_execution").mkdir()
    module = "strandline.languages.python.loading.lowering"
    (tmp_path / "symbolic_execution" / "bad.py").write_text(f"def f():\n    from {module} import to_system\n")
    (tmp_path / "symbolic_execution" / "good.py").write_text(
        "from strandline.languages.python.runtime.model import Model\n"
    )
    assert list(offences(tmp_path)) == [f"symbolic_execution/bad.py:2: symbolic_execution must not import {module}"]
