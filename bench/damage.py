"""Damaged checkpoints and caches: what a resumed run answers is right, or it is refused.

    python bench/damage.py [--count 2000] [--caches 40] [--seed N] [--kind KIND ...]

A run of each kind is ended after some checkpoints. For each damage its folder is copied; bits of a random file are
flipped, or it is cut, prolonged, emptied, replaced by another file of the run, or removed; then the run is resumed. It
must answer as the run that was left alone: verdicts, counts, lengths of traces; or be refused with a reason. Files of
the cache of machine code are damaged in the same ways, each before a run of the command. Exit code 1 if anything else
happens.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import _environment  # noqa: F401
import strandline
from _common import ROOT
from strandline.checker.checkpoints import run_folder
from strandline.checker.decisions import checks
from strandline.engine.search import Event, Search
from strandline.errors import InputError, ResourceError

CLOCK = (
    "process {name} {{ byte x; state s; init s; trans s -> s {{ guard x < 11; effect x = x + 1; }}, "
    "s -> s {{ guard x == 11; effect x = 0; }}; }}\n"
)
MODEL = "".join(CLOCK.format(name=name) for name in "PQR") + "system async;\n"
FAR = "P.x < 11 or Q.x < 11 or R.x < 11"
KINDS: dict[str, dict[str, Any]] = {
    "bfs": {"invariants": ["P.x < 9", FAR]},
    "dfs": {"order": "dfs", "invariants": ["P.x < 9", FAR]},
    "sweep": {"measure": "P.x + Q.x + R.x", "invariants": [FAR], "count_distinct": True},
    "found measure": {"measure": "auto", "invariants": ["P.x < 12"]},
    "cache": {"cache_states": 900, "cache_rule": "oldest", "max_states": 6_000, "invariants": [FAR]},
    "tree": {"store": "tree", "invariants": ["P.x < 9", FAR]},
    "ndfs": {"ltl": "G ((P.x < 40) U (Q.x < 50))", "method": "ndfs"},
    "swept cycles": {"ltl": "F G (P.x < 40)", "method": "sweep", "measure": "P.x"},
    "several": {"ltl": ["G (P.x < 40)"], "invariants": ["P.x < 9"]},
    "explicit ctl": {"ctl": ["AG EF (P.x == 7)"]},
    "swept ctl": {"ctl": "AG EF (P.x == 7)", "measure": "P.x", "method": "swept"},
}
CACHED_RUN = ("check", "--invariant", "P.x < 12", "--quiet", "--json")


class Killed(BaseException):
    """Raised in place of the end of the process."""


class DiesAfter:
    """A progress callback that ends the run after a number of reports."""

    def __init__(self, count: int) -> None:
        self._left = count

    def stage(self, text: str) -> None:
        return

    def progress(self, progress: object) -> None:
        self._left -= 1
        if self._left < 0:
            raise Killed


def essence(verdict: strandline.Verdict) -> Any:
    found, statistics = verdict.properties, verdict.statistics
    return (
        [(one.name, one.answer, None if one.trace is None else len(one.trace)) for one in found],
        (statistics.states, statistics.transitions, statistics.deadlocks, statistics.visited),
    )


# Damages: each changes the bytes of a file, given those of another one.

DAMAGES: dict[str, Callable[[Random, bytes, bytes], bytes | None]] = {
    "flip": lambda random, data, other: _flip(random, data, 1),
    "flips": lambda random, data, other: _flip(random, data, 20),
    "cut": lambda random, data, other: data[: random.randrange(len(data) + 1)],
    "prolong": lambda random, data, other: data + random.randbytes(random.randrange(1, 100)),
    "empty": lambda random, data, other: b"",
    "replace": lambda random, data, other: other,
    "zeros": lambda random, data, other: bytes(len(data)),
    "digit": lambda random, data, other: _digit(random, data),
    "remove": lambda random, data, other: None,
}


def _flip(random: Random, data: bytes, count: int) -> bytes:
    changed = bytearray(data)
    for _ in range(count if changed else 0):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _digit(random: Random, data: bytes) -> bytes:
    """Replace a digit by another one, which keeps JSON readable."""
    places = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    if not places:
        return _flip(random, data, 1)
    place = random.choice(places)
    return data[:place] + str(random.randrange(10)).encode() + data[place + 1 :]


def damage(random: Random, folder: Path) -> str:
    """Damage a random file of a folder; return the damage in words."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "pid")
    path, kind = random.choice(files), random.choice(sorted(DAMAGES))
    changed = DAMAGES[kind](random, path.read_bytes(), random.choice(files).read_bytes())
    if changed is None:
        path.unlink()
    else:
        path.write_bytes(changed)
    return f"{kind} {path.relative_to(folder)}"


# Checkpoints


def short_slices() -> None:
    """Pause searches every hundred states, save them in each pause, and do not synchronise with the disk."""
    usual = Search.advance

    def advance(search: Search, seconds: float = 0.05) -> Event:
        search._budget = 100
        return usual(search, 0.0)

    setattr(Search, "advance", advance)  # noqa: B010
    run_folder._SHARE = 0
    setattr(os, "fsync", lambda file: None)  # noqa: B010


def set_callback(reports: int) -> None:
    """End runs after this number of progress reports."""
    setattr(checks, "NullCallback", lambda: DiesAfter(reports))  # noqa: B010


def prepare(model: Path, folder: Path, keywords: dict[str, Any]) -> Any:
    """Leave a run with checkpoints in a folder; return the essence of the run that was left alone."""
    expected = essence(strandline.check(model, **keywords))
    for reports in (9, 12, 15, 18, 6, 4):
        set_callback(reports)
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(Killed):
            strandline.check(model, checkpoint=folder, every=0.0, **keywords)
        if len(list(folder.glob("search-*/checkpoint-*"))) >= 2:
            set_callback(1 << 60)
            return expected
    raise SystemExit(f"the run {keywords} left no two checkpoints")


def resume(model: Path, folder: Path, keywords: dict[str, Any], expected: Any) -> str:
    """Return the outcome of a resumed run in a word."""
    try:
        found = essence(strandline.check(model, checkpoint=folder, resume=True, **keywords))
    except (InputError, ResourceError):
        return "refused"
    except Exception:  # noqa: BLE001  this is what is looked for
        traceback.print_exc()
        return "ERROR"
    return "right" if found == expected else f"WRONG: {found} for {expected}"


def damage_checkpoints(random: Random, count: int, kinds: list[str], place: Path) -> Counter[str]:
    model, outcomes = place / "clocks.dve", Counter[str]()
    model.write_text(MODEL)
    prepared = {}
    for kind in kinds:
        saved = place / kind.replace(" ", "-")
        prepared[kind] = saved, prepare(model, saved, KINDS[kind])
    for number in range(count):
        kind = kinds[number % len(kinds)]
        saved, expected = prepared[kind]
        folder = place / "damaged"
        shutil.copytree(saved, folder)
        what = damage(random, folder)
        outcome = resume(model, folder, KINDS[kind], expected)
        outcomes[outcome.partition(":")[0]] += 1
        if outcome not in ("right", "refused"):
            print(f"{kind}: {what}: {outcome}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    return outcomes


# The cache of machine code


def run_command(model: Path, cache: Path) -> tuple[int, str]:
    command = [str(ROOT / "strandline"), CACHED_RUN[0], str(model), *CACHED_RUN[1:]]
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.partition('"states"')[2].partition("\n")[0]


def damage_caches(random: Random, count: int, place: Path) -> Counter[str]:
    model, cache, outcomes = place / "clocks.dve", place / "code", Counter[str]()
    model.write_text(MODEL)
    cache.mkdir(mode=0o700)
    expected = run_command(model, cache)
    for _ in range(count):
        copy = place / "copy"
        shutil.copytree(cache, copy)
        what = damage(random, copy)
        found = run_command(model, copy)
        outcomes["right" if found == expected else "WRONG"] += 1
        if found != expected:
            print(f"cache: {what}: {found} for {expected}", flush=True)
        shutil.rmtree(copy)
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="damaged checkpoints (default 2000)")
    parser.add_argument("--caches", type=int, default=40, help="damaged caches (default 40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="kinds of runs; repeatable (default all)")
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="strandline-damage-") as folder:
        short_slices()
        found = damage_checkpoints(random, arguments.count, arguments.kind or list(KINDS), Path(folder))
        cached = damage_caches(random, arguments.caches, Path(folder))
    print(f"checkpoints: {dict(sorted(found.items()))}; caches: {dict(sorted(cached.items()))}")
    return int(set(found) - {"right", "refused"} != set() or set(cached) - {"right"} != set())


if __name__ == "__main__":
    sys.exit(main())
