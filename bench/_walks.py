"""Walks through the program for `code_base.py`: commands that run under a profiler in this process."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import _environment
from models import peterson

PACKAGE = _environment.ROOT / "src" / "strandline"

ORDER = (
    *("model", "analysis", "transform", "languages", "properties", "compile", "engine", "symbolic", "progress"),
    *("traces", "checker", "report", "serve", "cli"),
)
"""The packages in the order in which they import each other."""
ALONE = frozenset({("languages", "properties"), ("engine", "symbolic"), ("progress", "traces")})
"""Neighbours in `ORDER` that do not import each other."""

ROOMS = (
    *("options", "limits", "checkpoints", "measures", "properties", "diagnosis", "verdicts", "reductions", "tasks"),
    *("driver", "ctl", "ltl", "strategies", "decisions"),
)
"""The rooms of `checker`, in the same order."""

WALKS = {
    "safety, breadth-first": ["check", "{model}"],
    "safety, measure auto": ["check", "{model}", "--measure", "auto"],
    "LTL by sweep": ["check", "{model}", "--ltl", "G (P.wait -> F P.critical)", "--method", "sweep", "--measure", "0"],
    "CTL, explicit": ["check", "{model}", "--ctl", "AG EF P.critical"],
    "CTL, swept": ["check", "{model}", "--ctl", "AG EF P.critical", "--method", "swept", "--measure", "0"],
    "CTL, symbolic": ["check", "{model}", "--ctl", "AG EF P.critical", "--method", "symbolic"],
    "memory limit, kept": ["check", "{model}", "--memory", "400M"],
    "memory limit, spilled to disk": ["explore", "{large}", "--memory", "{limit}"],
    "two threads": ["check", "{model}", "--threads", "2"],
}
LOOPS = frozenset({"advance", "_advance"})
LIMIT = 56 << 20
"""Bytes above those of the process with which the large model of the walks does not fit into memory."""

CALLBACKS = {
    "scope of the language": r"^(model/|transform/history).* -> languages/\w+/(\w+/)?scope:",
    "pass over expressions or formulas": r"^(model/walk|properties/ltl/formula:rebuild)",
    "atoms of a formula": r"^properties/binding:bind_atoms -> ",
    "progress": r" -> cli/console:Console\.(stage|progress|notice)$|^symbolic/space:Space.report_round -> ",
    "observer or log of a search": r"^engine/parts/search_output:JournalPart\.",
    "observer of a specification": r"^checker/driver/context:_add_observer -> ",
    "blocks of a hand-off": r"^engine/.* -> checker/driver/handoff_files:_BlockFile\.blocks$",
    "writing thread": r"^engine/runtime/writer:",
    "bytes on disk": r" -> checker/(limits/disk:DiskBudget\.__call__|driver/warm_up:_try_out\.<locals>\.<lambda>)$",
    "limits": r" -> checker/(driver/run:SearchRun\.ensure_within_limits|strategies/symbolic_run:SymbolicRun\._watch)$",
    "work under a timeout": r"^checker/limits/(timeouts:within|background:Background\.run\.<locals>\.work) -> ",
}
"""The interfaces by which a package calls one that comes later in the order of imports, as patterns of calls."""


class Walk:
    """Observes the functions of the package while a command runs."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str, int]] = set()
        self.turns: Counter[tuple[str, str]] = Counter()
        self.frames = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(str(PACKAGE)) or code.co_name == "<module>":
            return
        if "__qualname__" in code.co_names and "__module__" in code.co_names:
            return  # the body of a class
        self.functions.add((code.co_filename, code.co_qualname, code.co_firstlineno))
        if code.co_name in LOOPS and not self.frames:
            self.frames = _depth(frame)
        caller = _calling(frame)
        if caller is not None and _stands_before(caller.f_code.co_filename, code.co_filename):
            self.turns[_name(caller), _name(frame)] += 1


def _name(frame: FrameType) -> str:
    file = Path(frame.f_code.co_filename).relative_to(PACKAGE).with_suffix("").as_posix()
    return f"{file}:{frame.f_code.co_qualname}"


def _calling(frame: FrameType) -> FrameType | None:
    """Return the nearest frame of the package below a frame."""
    caller = frame.f_back
    while caller is not None and not caller.f_code.co_filename.startswith(str(PACKAGE)):
        caller = caller.f_back
    return caller


def _depth(frame: FrameType | None) -> int:
    """Return the number of frames from `main` to a frame."""
    depth = 0
    while frame is not None and frame.f_code.co_name != "main":
        frame, depth = frame.f_back, depth + 1
    return depth


def _stands_before(caller: str, called: str) -> bool:
    """Return True if the caller's package must not import the package of the function called."""
    path, other_path = (Path(name).relative_to(PACKAGE).parts for name in (caller, called))
    one, other = path[0], other_path[0]
    if one == other == "checker" and {path[1], other_path[1]} <= set(ROOMS):
        return ROOMS.index(path[1]) < ROOMS.index(other_path[1])
    if one not in ORDER or other not in ORDER or one == other:
        return False
    return ORDER.index(one) < ORDER.index(other) or (other, one) in ALONE


def print_walks(model: Path, folder: Path) -> None:
    from strandline.checker.limits.memory import resident_bytes, return_memory
    from strandline.cli.main import main

    print("| walk | exit code | files | functions | frames to the search | turns | not declared |")
    print("|---|---|---|---|---|---|---|")
    turns: Counter[tuple[str, str]] = Counter()
    large = folder / "large.dve"
    large.write_text(peterson.dve(4, 3))
    for name, words in WALKS.items():
        walk = Walk()

        def arguments(words: list[str] = words) -> list[str]:
            return_memory()
            limit = resident_bytes() + LIMIT
            return [word.format(model=model, large=large, limit=limit) for word in words]

        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            main([*arguments(), "--quiet"])  # imports and caches are not part of the walk
            given = [*arguments(), "--quiet"]
            threading.setprofile(walk)
            sys.setprofile(walk)
            try:
                code: Any = main(given)
            finally:
                sys.setprofile(None)
                threading.setprofile(None)
        files = len({file for file, _, _ in walk.functions})
        frames = walk.frames or "in a thread"
        undeclared = sum(_callback(*turn) is None for turn in walk.turns)
        print(f"| {name} | {code} | {files} | {len(walk.functions):,} | {frames} | {len(walk.turns)} | {undeclared} |")
        if errors.getvalue():
            print(errors.getvalue(), file=sys.stderr)
        turns += walk.turns
    kinds = Counter(_callback(*turn) for turn in turns)
    print("\nTurns, by the interface that declares them:")
    for kind, count in sorted((kind, count) for kind, count in kinds.items() if kind is not None):
        print(f"- {kind}: {count}")
    print("\nTurns that no interface declares:")
    for caller, called in sorted(turn for turn in turns if _callback(*turn) is None):
        print(f"- {caller} -> {called} ({turns[caller, called]})")


def _callback(caller: str, called: str) -> str | None:
    """Return the name of the interface that declares a turn; None if none does."""
    turn = f"{caller} -> {called}"
    return next((name for name, pattern in CALLBACKS.items() if re.search(pattern, turn)), None)
