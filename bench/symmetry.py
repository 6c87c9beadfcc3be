"""Symmetry: how close the states that are left come to one for N! of them.

    python bench/symmetry.py [--only FAMILY] [--json FILE]

Three families, each searched whole for deadlocks, with and without `--symmetry`: processes that only count, processes
that take a lock, which knows its owner and who had it last, and cells of a memory that hold one of N declared values.
The number of orbits is known of the first and the last, by a formula; what is left must be that.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import comb, factorial
from pathlib import Path

from _common import MeasuringFailed, add_command_option, print_table, run_strandline


@dataclass(frozen=True, slots=True)
class Family:
    """A model with N of something that can be exchanged: its text, and the number of orbits, where it is known."""

    name: str
    size: int
    suffix: str
    text: str
    orbits: int | None


def counters(count: int, most: int) -> Family:
    step = f"{{ byte x; state a; init a; trans a -> a {{ guard x < {most}; effect x = x + 1; }}; }}"
    text = "".join(f"process C{number} {step}\n" for number in range(count)) + "system async;"
    return Family("counters", count, ".dve", text, comb(most + count, count))


def lock(count: int, most: int) -> Family:
    text = f"byte owner = {count}; byte last = {count};\n"
    for number in range(count):
        text += f"""process P{number} {{ byte had; byte before = {count}; state idle, want, cs; init idle; trans
            idle -> want {{ guard had < {most}; effect before = last; }},
            want -> cs {{ guard owner == {count}; effect owner = {number}, had = had + 1; }},
            want -> idle {{ guard owner != {count} and owner != before; }},
            cs -> idle {{ effect last = owner, owner = {count}; }}; }}\n"""
    return Family("lock with an owner", count, ".dve", text + "system async;", None)


def memory(values: int, cells: int) -> Family:
    text = f"""from strandline import Array, Model, Range, Scalar, action
class Memory(Model):
    class Value(Scalar, count={values}): ...
    cell: Array[Value, {cells}]
    @action
    def write(m, at: Range[0, {cells - 1}], value: Value): m.cell[at] = value
"""
    return Family("declared values", values, ".py", text, sum(partitions(cells, parts) for parts in range(values + 1)))


def partitions(things: int, parts: int) -> int:
    """In how many ways things make so many sets: Stirling's number of the second kind."""
    signed = ((-1) ** (parts - used) * comb(parts, used) * used**things for used in range(parts + 1))
    return int(sum(signed)) // factorial(parts)


FAMILIES: dict[str, Callable[[], list[Family]]] = {
    "counters": lambda: [counters(3, 199), counters(5, 19)],
    "lock": lambda: [lock(3, 11), lock(4, 4), lock(5, 2)],
    "memory": lambda: [memory(4, 8), memory(5, 10)],
}


@dataclass(frozen=True, slots=True)
class Measured:
    family: str
    size: int
    states: int
    seconds: float
    left: int
    seconds_left: float
    orbits: int | None


def measure(command: list[str], family: Family, folder: Path) -> Measured:
    file = folder / f"model{family.suffix}"
    file.write_text(family.text)
    ways: tuple[list[str], ...] = ([], ["--symmetry"])
    runs = [run_strandline(command, ["explore", str(file), *way], max_seconds=600) for way in ways]
    for run in runs:
        if run.failure is not None or not run.report["complete"]:
            raise MeasuringFailed(f"{family.name}, {family.size}: {run.failure or run.report.get('reason')}")
    whole, left = (run.report for run in runs)
    if family.orbits not in (None, left["states"]):
        raise MeasuringFailed(f"{family.name}, {family.size}: {left['states']} states for {family.orbits} orbits")
    return Measured(
        family.name, family.size, whole["states"], whole["seconds"], left["states"], left["seconds"], family.orbits
    )


def row(one: Measured) -> tuple[str, ...]:
    saved, most = one.states / one.left, factorial(one.size)
    orbits = "" if one.orbits is None else f"{one.orbits:,}"
    searched = (f"{one.states:,}", f"{one.seconds:.2f}", f"{one.left:,}", f"{one.seconds_left:.2f}")
    return (one.family, str(one.size), *searched, orbits, f"{saved:.2f}", str(most), f"{100 * saved / most:.0f} %")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_command_option(parser)
    parser.add_argument("--only", choices=FAMILIES)
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    found: list[Measured] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, make in FAMILIES.items():
            if arguments.only in (None, name):
                found += [measure(arguments.command, family, Path(folder)) for family in make()]
    heads = ("family", "N", "states", "s", "with --symmetry", "s", "orbits", "times fewer", "N!", "of it")
    print_table(heads, [row(one) for one in found])
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(one) for one in found], indent=1))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MeasuringFailed as failure:
        sys.exit(f"symmetry: {failure}")
