"""The one direction: a package imports only packages before it, and heavy libraries only where they belong."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "strandline"

ORDER = (
    ("model",),
    ("analysis",),
    ("transform",),
    ("languages", "properties"),
    ("compile",),
    ("engine", "symbolic"),
    ("progress", "traces"),
    ("checker",),
    ("conformance",),
    ("report",),
    ("serve", "agents"),
    ("editor",),
    ("cli", "distributed"),
)
"""Packages of one line do not import each other."""
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
FOR_ALL = {"errors", "rich_display", "scanner", "source"}
LIBRARIES = {
    "numba": {"engine"},
    "cuda": {"engine/device/linking.py"},
    "llvmlite": {"compile/jit.py", "compile/ptx.py", "engine/runtime/intrinsics.py", "engine/runtime/jit.py"},
    "numpy": {"compile", "engine", "progress", "traces", "checker"},
    "oxidd": {"symbolic/diagrams.py"},
    "dd": {"symbolic/diagrams.py"},
    "starlette": {"serve/app.py", "cli/serve.py"},
    "mcp": {"agents/server.py"},
    "pygls": {"editor/server.py"},
    "lsprotocol": {"editor/server.py"},
    "uvicorn": {"serve/server.py", "cli/serve.py"},
    "shtab": {"cli/completion.py"},
    "anywidget": {"report/widget.py"},
    "traitlets": {"report/widget.py"},
    "rich": {"cli", "report"},
}
"""Who may import a library: packages, or single files of them."""
LIGHT = ("strandline", "strandline.cli.main", "strandline.errors", "strandline.model.system", "strandline.languages")

FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


def imported(file: Path) -> Iterator[tuple[int, str]]:
    """Every module the file imports anywhere in it, with its line; names taken from `strandline` itself count as
    its modules."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)}:{node.lineno}: relative imports hide the direction"
            module = node.module or ""
            names = [alias.name for alias in node.names] if module == "strandline" else []
            yield from ((node.lineno, f"{module}.{name}") for name in names)
            if not names:
                yield node.lineno, module


def offences(file: Path) -> Iterator[str]:
    own = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for line, module in imported(file):
        parts = module.split(".")
        if parts[0] != "strandline" or len(parts) == 1 or own in ("__init__", "__main__"):
            continue
        other = parts[1]
        if other == own or other in FOR_ALL or other == "__version__":
            continue
        if own in FOR_ALL or other not in RANK or RANK[other] >= RANK[own]:
            yield f"{name_of(file)}:{line}: {own} must not import {module}"


def test_imports_go_one_way() -> None:
    assert [offence for file in FILES for offence in offences(file)] == []


def test_every_package_has_its_place() -> None:
    found = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()}
    assert found <= set(RANK)
    assert {"model", "languages", "compile", "engine", "checker", "cli"} <= found


ROOMS = (
    "options",
    "limits",
    "checkpoints",
    "measures",
    "properties",
    "diagnosis",
    "verdicts",
    "reductions",
    "tasks",
    "driver",
    "ctl",
    "ltl",
    "strategies",
    "decisions",
)
"""The rooms of `checker`, in the order of their imports. Its single modules come after all of them."""


def room_offences(file: Path) -> Iterator[str]:
    folder = file.relative_to(PACKAGE / "checker").parts[0]
    if folder not in ROOMS:
        return
    for line, module in imported(file):
        parts = module.split(".")
        if parts[:2] != ["strandline", "checker"] or len(parts) == 2 or parts[2] == folder:
            continue
        if parts[2] not in ROOMS or ROOMS.index(parts[2]) > ROOMS.index(folder):
            yield f"{name_of(file)}:{line}: {folder} must not import {module}"


def test_no_room_of_the_checker_imports_one_that_comes_later() -> None:
    """Imports for type checkers alone are counted as well."""
    assert [one for file in FILES if name_of(file).startswith("checker/") for one in room_offences(file)] == []


def test_every_folder_of_the_checker_has_its_place() -> None:
    folders = {path.name for path in (PACKAGE / "checker").iterdir() if (path / "__init__.py").exists()}
    assert folders - set(ROOMS) == {"contest", "expected"}


def test_an_import_against_the_direction_is_an_offence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "bad.py").write_text("def f():\n    from strandline.engine.search import Search\n")
    (folder / "good.py").write_text("from strandline.errors import ModelError\nimport strandline.model.system\n")
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    assert list(offences(folder / "bad.py")) == ["model/bad.py:2: model must not import strandline.engine.search"]
    assert list(offences(folder / "good.py")) == []


def test_libraries_stay_where_they_belong() -> None:
    def belongs(file: Path, module: str) -> bool:
        allowed = LIBRARIES.get(module.split(".")[0])
        return allowed is None or file.relative_to(PACKAGE).parts[0] in allowed or name_of(file) in allowed

    strangers = [
        f"{name_of(file)}:{line} imports {module}"
        for file in FILES
        for line, module in imported(file)
        if not belongs(file, module)
    ]
    assert strangers == []


@pytest.mark.parametrize("module", LIGHT)
def test_importing_costs_no_heavy_library(module: str) -> None:
    program = f"import sys, {module}; print([m for m in ('numba', 'llvmlite', 'numpy') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr


def test_every_module_says_what_it_is() -> None:
    texts = {name_of(file): ast.get_docstring(ast.parse(file.read_text())) for file in FILES}
    assert [name for name, text in texts.items() if not text or text == "placeholder"] == []
