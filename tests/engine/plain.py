"""The engine, compiled and as plain Python: a second copy of its modules, imported with Numba's compiler switched off.

Kernels are ordinary functions over arrays and records; this is how they are run under a debugger or bounds checks. From
the outside the same is had by the environment variable `NUMBA_DISABLE_JIT=1`.
"""

from __future__ import annotations

import importlib
import sys
import time
from functools import cache
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

import numba

_PREFIX = "strandline.engine"


class Engine:
    """The searches of the engine by their names, `orders` by the names of orders, and its modules."""

    def __init__(self, modules: dict[str, ModuleType], searches: dict[str, Any]) -> None:
        self.modules, self.searches = modules, searches
        self.sizes: Any = modules["runtime.sizes"]
        self.Event = modules["search"].Event
        self.StatesOnly = modules["parts.search_output"].StatesOnly
        self.CacheRule = modules["orders.cached"].CacheRule
        names = {"bfs": "BreadthFirstSearch", "dfs": "DepthFirstSearch", "sweep": "SweepSearch"}
        self.orders = {order: searches[name] for order, name in names.items()}

    def imported(self) -> _as_imported:
        """A context in which `import` finds these modules, as functions of theirs that import when they are called
        must."""
        return _as_imported(self.modules)

    def __getattr__(self, name: str) -> Any:
        if name not in self.searches:
            raise AttributeError(name)
        return self.searches[name]


def _names() -> list[str]:
    import strandline.engine as package

    folder = Path(package.__file__).parent
    paths = [path.relative_to(folder).with_suffix("") for path in sorted(folder.rglob("*.py"))]
    return [".".join(path.parts).removesuffix(".__init__") for path in paths if path.parts != ("__init__",)]


def _import_all() -> dict[str, ModuleType]:
    return {name: importlib.import_module(f"{_PREFIX}.{name}") for name in _names()}


def _searches(modules: dict[str, ModuleType]) -> dict[str, Any]:
    found = {}
    for module in modules.values():
        for name, kind in vars(module).items():
            if isinstance(kind, type) and name.endswith("Search") and hasattr(kind, "loop"):
                found[name] = kind
    return found


@cache
def compiled_engine() -> Engine:
    """What `import` gives."""
    modules = _import_all()
    return Engine(modules, _searches(modules))


@cache
def plain_engine() -> Engine:
    """The modules of `strandline.engine`, undecorated; the compiled ones stay what `import` gives."""
    import strandline
    import strandline.engine

    package = strandline.engine
    compiled = {name: module for name, module in sys.modules.items() if name.startswith(_PREFIX)}
    for name in compiled:
        del sys.modules[name]
    config: Any = numba.config
    before, config.DISABLE_JIT = config.DISABLE_JIT, 1
    try:
        modules = _import_all()
    finally:
        config.DISABLE_JIT = before
        for name in [name for name in sys.modules if name.startswith(_PREFIX)]:
            del sys.modules[name]
        sys.modules.update(compiled)
        strandline.engine = package  # type: ignore[attr-defined]
    return Engine(modules, {name: _plain(kind, modules) for name, kind in _searches(modules).items()})


def _plain(kind: Any, modules: dict[str, ModuleType]) -> Any:
    """Searches import their kernels when they run, by when the compiled modules are back: a plain one looks its kernels
    up among the plain modules."""

    class Plain(kind):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **keywords: Any) -> None:
            with _as_imported(modules):
                super().__init__(*arguments, **keywords)

        def advance(self, seconds: float = 0.05) -> Any:
            with _as_imported(modules):
                return super().advance(seconds)

    return Plain


def giving_way(lock: Lock, function: Any) -> Any:
    """An atomic step, in threads of plain Python that let others go on before and after it."""

    def called(*arguments: Any) -> Any:
        time.sleep(0)
        with lock:
            answer = function(*arguments)
        time.sleep(0)
        return answer

    return called


class _as_imported:
    """Make `from strandline.engine.x import y` find the plain modules for a while."""

    def __init__(self, modules: dict[str, ModuleType]) -> None:
        self._modules = {f"{_PREFIX}.{name}": module for name, module in modules.items()}
        self._before: dict[str, ModuleType] = {}

    def __enter__(self) -> None:
        self._before = {name: sys.modules[name] for name in self._modules if name in sys.modules}
        sys.modules.update(self._modules)

    def __exit__(self, *_: object) -> None:
        for name in self._modules:
            del sys.modules[name]
        sys.modules.update(self._before)
