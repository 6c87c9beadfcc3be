"""The engine as plain Python: a second copy of its modules, imported with Numba's compiler switched off.

Kernels are ordinary functions over arrays; this is how they are run under a debugger or bounds checks. From the
outside the same is had by the environment variable `NUMBA_DISABLE_JIT=1`.
"""

from __future__ import annotations

import importlib
import sys
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

import numba

_MODULES = (
    "registers", "sizes", "pool", "bucket", "layers", "explore", "depth_first", "base", "search",
    "numbered", "nested", "components", "confined", "loops", "cycles",
    "marked", "layer_components", "elimination", "sweep_cycles",
    "map_search_kernel", "map_search", "ltl_sweep_states", "ltl_sweep_layers", "ltl_sweep_values", "ltl_sweep_kernel",
    "ltl_sweep",
    "noting", "profile", "caching", "caching_search",
)  # fmt: skip
_PREFIX = "strandline.engine"


@cache
def plain_engine() -> SimpleNamespace:
    """The modules of `strandline.engine`, undecorated; the compiled ones stay what `import` gives."""
    import strandline
    import strandline.engine

    package = strandline.engine
    compiled = {name: module for name, module in sys.modules.items() if name.startswith(_PREFIX)}
    for name in compiled:
        del sys.modules[name]
    before, numba.config.DISABLE_JIT = numba.config.DISABLE_JIT, 1
    try:
        modules = {name: importlib.import_module(f"{_PREFIX}.{name}") for name in _MODULES}
    finally:
        numba.config.DISABLE_JIT = before
        for name in [name for name in sys.modules if name.startswith(_PREFIX)]:
            del sys.modules[name]
        sys.modules.update(compiled)
        strandline.engine = package  # type: ignore[attr-defined]
    _bind_lazily_imported(modules)
    return SimpleNamespace(**modules)


_KINDS = {
    "search": ("Search",),
    "cycles": ("NestedSearch", "ComponentSearch"),
    "loops": ("LoopBuilder",),
    "sweep_cycles": ("SweepCycleSearch",),
    "map_search": ("MapSearch",),
    "ltl_sweep": ("LtlSweepSearch",),
    "caching_search": ("CachingSearch",),
}


def _bind_lazily_imported(modules: dict[str, ModuleType]) -> None:
    """Searches import their kernels when they first run one, by when the compiled modules are back: each kind of
    search gets a plain one that looks its kernels up among the plain modules."""
    for module, names in _KINDS.items():
        for name in names:
            setattr(modules[module], name, _plain(getattr(modules[module], name), modules))


def _plain(kind: Any, modules: dict[str, ModuleType]) -> Any:
    class Plain(kind):  # type: ignore[misc]
        def _start(self) -> None:
            with _as_imported(modules):
                super()._start()

        def _run(self, budget):  # type: ignore[no-untyped-def]
            with _as_imported(modules):
                return super()._run(budget)

        def _next_round(self, **options):  # type: ignore[no-untyped-def]
            with _as_imported(modules):
                return super()._next_round(**options)

        def _members(self):  # type: ignore[no-untyped-def]
            with _as_imported(modules):
                return super()._members()

        def _grow_layers(self) -> None:
            with _as_imported(modules):
                super()._grow_layers()

    return Plain


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
