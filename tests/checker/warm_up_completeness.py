"""Whether a child process makes all the machine code that its parent needs; run as a script, by a number of bytes.

A stand-in of a model's shape is loaded first, then the model itself: nothing may be compiled any more. Needs a process
of its own, in which nothing else was compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from strandline.checker.driver import warm_up
from strandline.checker.driver.compilation import compile_for_search
from strandline.checker.driver.searches import CycleSearches, SearchMaker, StateSearches, WalkSearches
from strandline.checker.driver.trial_kernel import KernelShape
from strandline.checker.measures import prediction
from strandline.checker.measures.notation import parse_measures
from strandline.checker.options.cycle_methods import METHODS
from strandline.checker.options.search import Options
from strandline.compile.kernel import ACCEPTING_BIT, DEADLOCK_BIT
from strandline.engine.search import Search
from strandline.languages import load
from strandline.model.system import System
from strandline.progress.finding import find_measures

SEARCHES: tuple[dict[str, object], ...] = (
    {},
    {"order": "dfs"},
    {"order": "cache", "cache_states": 5},
    {"store": "tree"},
    {"store": "compact"},
    {"store": "bitstate"},
    {"threads": 2},
    {"por": True},
    {"order": "dfs", "por": True},
    {"measure": ["b0"]},
    {"measure": ["b0"], "por": True},
    {"measure": ["b0"], "threads": 2},
    {"measure": ["b0", "Q.x"], "componentwise": True},
)


def model(size: int, folder: Path) -> System:
    """A model of so many bytes, with two processes that are independent."""
    names = [f"b{number}" for number in range(size)]
    file = folder / "model.dve"
    file.write_text(
        "".join(f"byte {name} = 0;\n" for name in names)
        + "process P { state a, b; init a; trans a -> b { guard b0 < 250; effect "
        + ", ".join(f"{name} = {name} + 1" for name in names)
        + "; }, b -> a {}; }\nprocess Q { byte x = 0; state a, b; init a; trans a -> b { guard x < 9; "
        "effect x = x + 1; }, b -> a {}; }\nsystem async;\n"
    )
    return load(file)


def signatures() -> set[tuple[str, str, str]]:
    """All kernels that are loaded, with the types of their arguments."""
    found = set()
    for name, module in list(sys.modules.items()):
        for one in list(vars(module).values()) if name.startswith("strandline.") else ():
            if hasattr(one, "py_func") and hasattr(one, "signatures"):
                found |= {(one.py_func.__module__, one.py_func.__name__, str(types)) for types in one.signatures}
    return found


def compare(what: object, stand_in: Callable[[], object], real: Callable[[], object]) -> None:
    """Fail if the stand-in does not load what the real one loads."""
    stand_in()
    made = signatures()
    assert made
    real()
    further = signatures() - made
    assert not further, f"{what}: {sorted(further)[:3]}"


def compare_searches(system: System, searches: SearchMaker, options: Options, *, edges: bool = False) -> None:
    measure = None
    if options.measures:
        measure = parse_measures(options.measures, system, componentwise=options.componentwise)
    kernel = compile_for_search(system, (), measure, options, visible=(), for_device=False).kernel
    shape = KernelShape.of(kernel)

    def load_real() -> None:
        trial = warm_up._make_trial(searches, kernel, edges)
        assert isinstance(trial, Search)
        warm_up._load_all(trial)
        trial.close()

    stored = warm_up._without_limits(searches)
    compare((searches, edges), lambda: warm_up._load_for_shape(shape, stored, edges), load_real)
    if isinstance(searches, StateSearches) and searches.can_spill(kernel):
        spilling = lambda: warm_up._try_out_for_shape(shape, stored, True)  # noqa: E731
        compare((searches, "on disk"), spilling, lambda: warm_up._try_out(searches, kernel, True))


def main(size: int, folder: Path) -> None:
    system = model(size, folder)
    for given in SEARCHES:
        options = Options(**given, max_states=1000)  # type: ignore[arg-type]
        searches = StateSearches(options, 1 << DEADLOCK_BIT)
        compare_searches(system, searches, options)
        if options.order in ("bfs", "sweep") and options.store == "auto" and options.threads == 1 and not options.por:
            compare_searches(system, searches, options, edges=True)
    compare_searches(system, WalkSearches(2, 10, 1, 1 << DEADLOCK_BIT), Options())
    for method in METHODS.values():
        options = Options(measure=["b0"]) if method.measured else Options()
        compare_searches(system, CycleSearches(method, 1 << ACCEPTING_BIT, None), options)
    words = min(compile_for_search(system, (), None, Options(), visible=(), for_device=False).kernel.words, 3)
    compare("measures", lambda: prediction._load_for_width(words), lambda: find_measures(system))
    print(words)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
