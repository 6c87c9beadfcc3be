"""Random systems through every pair of ways that must agree, for as long as you like.

    python bench/differential.py [--cases N] [--seed S] [--python | --ctl]

Case number k is made from the seed S + k, so that a failure is repeated by `--cases 1 --seed <its number>`. Each case
is a random guarded-command System and a random graph:

- compiled successors against interpreted ones, state by state: records, labels, faults and their places;
- the System's states by breadth-first, depth-first search and a sweep with a random measure;
- the graph, with states of a random width, by every order against brute force, also with the smallest arrays.

With `--python` a case is a random model in Python instead, with natural bodies over all kinds of variables and
containers: plain Python, the interpreter and machine code, step by step, with its invariant and its measure.

With `--ctl` a case is a random System with a random formula of CTL, fairness and rules for dead ends: labelling and
swept CTL, by measures that regress, against brute force; and one whose formula LTL can say as well, by methods for
both.

The tests run the same comparisons on a few hundred cases. Exit code 1 when a case fails.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

TESTS = Path(__file__).resolve().parent.parent / "tests"
WILDNESS = (0.0, 0.1, 0.3, 0.6)
LIMIT = 2000
"""State spaces larger than this are cut in the comparison of back ends and left out of the searches."""


PYTHON_LIMIT = 30
"""States compared of a model in Python."""


def helpers() -> SimpleNamespace:
    """The tests' own generators and judges."""
    sys.path[:0] = [str(TESTS), *(str(TESTS / folder) for folder in ("engine", "python_models", "check"))]
    names = ("strategies", "kernels", "graph_kernel", "brute_force", "running", "programs", "test_three_ways",
             "ctl_cases", "test_ctl_random")  # fmt: skip
    return SimpleNamespace(**{name: import_module(name) for name in names})


def compare_back_ends(tools: SimpleNamespace, seed: int) -> int:
    """Interpreter and compiler; returns the number of states compared."""
    case = tools.strategies.random_case(Random(seed), wild=WILDNESS[seed % len(WILDNESS)])
    compared: int = tools.kernels.compare_back_ends(case, limit=LIMIT)
    return compared


def compare_orders(tools: SimpleNamespace, seed: int) -> int:
    """One random System without faults in three orders; returns the number of its states."""
    from strandline.compile.host import compile_system
    from strandline.compile.interpret import Fault
    from strandline.compile.specification import KernelSpecification

    case = tools.strategies.random_case(Random(seed), wild=0.0)
    plain = tools.running.Run(compile_system(case.system), "bfs")
    while (event := plain.search.advance(0.0)).name == "PAUSED" and len(plain.outcome.seen) <= LIMIT:
        pass
    if event.name != "DONE":
        return 0
    expected = plain.outcome.distinct()
    depth_first = tools.running.explore(compile_system(case.system), "dfs")
    agree("dfs", depth_first.distinct(), expected)
    if case.measure is not None:
        try:
            swept = tools.running.explore(
                compile_system(case.system, KernelSpecification(measure=case.measure)), "sweep"
            )
        except Fault:
            return len(expected)
        if swept.event.name == "DONE":
            agree("sweep", swept.distinct(), expected)
    return len(expected)


def compare_graph(tools: SimpleNamespace, seed: int) -> int:
    """A random graph, in one order chosen at random, against brute force."""
    random = Random(seed)
    kind = random.choice(("plain", "monotone", "regressing", "columns", "extreme"))
    nodes = random.randint(1, 200)
    graph = tools.graph_kernel.random_graph(random, nodes, int(nodes * random.uniform(0.5, 3)), kind=kind)
    words = random.choice((1, 2, 3, 7, 10, 33))
    kernel = tools.graph_kernel.graph_kernel(graph, words)
    order = random.choice(("bfs", "dfs")) if kind == "plain" else "sweep"
    usual = tools.running.explore(kernel, order)
    with tools.running.smallest_arrays(words):
        tiny = tools.running.explore(kernel, order)
    agree("links with tiny arrays", tiny.links, usual.links)
    agree("states with tiny arrays", tiny.seen, usual.seen)
    agree("states", {kernel.reference.nodes[state] for state in usual.distinct()}, graph.reachable())
    if order == "sweep":
        judge, figures = tools.brute_force.sweep(graph), usual.statistics
        agree("visits", figures.visited, len(judge.expanded))
        agree("persistent states", figures.persistent, judge.persistent)
        agree("sweeps", figures.sweeps, judge.sweeps)
    return len(usual.seen)


def compare_python(tools: SimpleNamespace, seed: int) -> int:
    """A random model in Python, three ways; returns the number of states compared, none where it is refused."""
    from strandline.errors import ModelError

    text = tools.programs.Writer(Random(seed)).model()
    try:
        compared: int = tools.test_three_ways.compare(text, PYTHON_LIMIT)
    except ModelError as error:
        if any(part in error.message for part in tools.test_three_ways.REFUSALS):
            return 0
        raise
    return compared


def compare_ctl(tools: SimpleNamespace, seed: int) -> int:
    """A formula of CTL by every method; returns the number of states, none where there are too many."""
    found = tools.ctl_cases.suitable_case(Random(seed))
    if found is None:
        return 0
    tools.test_ctl_random.compare(*found)
    return len(found[1].steps)


def compare_ctl_with_ltl(tools: SimpleNamespace, seed: int) -> int:
    """A formula that CTL and LTL can say, by methods for both; returns the number of states."""
    found = tools.ctl_cases.suitable_case(Random(seed), common=True)
    if found is None:
        return 0
    tools.test_ctl_random.compare_with_linear(*found)
    return len(found[1].steps)


def agree(what: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise AssertionError(f"{what}: {found!r:.300} instead of {expected!r:.300}")


Comparison = Callable[[SimpleNamespace, int], int]
COMPARISONS: dict[str, tuple[Comparison, ...]] = {
    "systems": (compare_back_ends, compare_orders, compare_graph),
    "python": (compare_python,),
    "ctl": (compare_ctl, compare_ctl_with_ltl),
}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000, help="how many (default 1000)")
    kinds = parser.add_mutually_exclusive_group()
    for kind, what in (("python", "random models in Python"), ("ctl", "random formulas of CTL")):
        kinds.add_argument(f"--{kind}", dest="kind", action="store_const", const=kind, default="systems", help=what)
    parser.add_argument("--seed", type=int, default=0, help="the first case's number (default 0)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    tools = helpers()
    failures, compared, states, started = [], 0, 0, time.monotonic()
    for number in range(options.cases):
        seed = options.seed + number
        for comparison in COMPARISONS[options.kind]:
            try:
                seen = comparison(tools, seed)
                compared, states = compared + (seen > 0), states + seen
            except Exception:  # noqa: BLE001
                # Whatever a case raises is its failure; the cases after it still count.
                failures.append(seed)
                print(f"case {seed}, {comparison.__name__}:\n{traceback.format_exc()}", flush=True)
        if (number + 1) % 100 == 0 or number + 1 == options.cases:
            elapsed = time.monotonic() - started
            counts = f"{compared} compared, {states} states, {len(failures)} failures"
            print(f"{number + 1} cases, {counts}, {elapsed:.0f} s", flush=True)
    kind = "" if options.kind == "systems" else f" --{options.kind}"
    for seed in failures:
        print(f"repeat with: python bench/differential.py --cases 1 --seed {seed}{kind}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
