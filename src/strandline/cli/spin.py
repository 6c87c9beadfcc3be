"""`strandline spin`: command lines of SPIN and of its verifiers (pan), translated to `check`.

`strandline.cli.main` translates before it parses, because flags of SPIN are not in the form that the parser knows.
"""

from __future__ import annotations

import argparse
import re
from typing import Any

from strandline.errors import UsageError

_SILENT = re.compile(
    r"-(a|run|search|bfs|o[1-6]|O[0-3s]?|m\d*|w\d+|n|c\d*|e|i|I|s|v|x|X|b|DNOREDUCE|DSAFETY|DNP|DBFS|DREACH"
    r"|DVECTORSZ=\d+|DNFAIR=\d+|DMEMCNT=\d+|DNOBOUNDCHECK|DXUSAFE|DNOCOMP|DPRINTF)"
)
"""Flags that change nothing here: they are the default, or speak of SPIN's own tables, stacks and trails."""
_MEANINGS = {
    "-f": ["--fair"],
    "-l": ["--non-progress"],
    "-E": ["--no-deadlock"],
    "-DBITSTATE": ["--store", "bitstate"],
    "-DHC": ["--store", "compact"],
    "-DHC4": ["--store", "compact"],
    "-DCOLLAPSE": ["--store", "tree"],
}
_REFUSED = {
    "-A": "assertions are always checked, unless other properties are named by -N",
    "-noclaim": "name the properties to check by -N",
    "-DNOCLAIM": "name the properties to check by -N",
    "-t": "trails of SPIN are not read; write a trace by 'strandline check MODEL --trace FILE'",
    "-k": "trails of SPIN are not read; write a trace by 'strandline check MODEL --trace FILE'",
    "-p": "walk through a model by 'strandline simulate MODEL'",
}


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "spin",
        help="check a Promela model by a command line of SPIN",
        description="Translate a command line of SPIN or of its verifier (pan) to one of 'check', print it, run it: "
        "strandline spin -run -f -N liveness -DN=3 model.pml. Flags about SPIN's own tables and stacks are ignored.",
    )
    parser.add_argument("arguments", metavar="ARGS", nargs=argparse.REMAINDER, help="flags and a model")


def translate(arguments: list[str]) -> list[str]:
    """Return the arguments of `strandline` for those of `spin`. Raises `UsageError` for a flag without counterpart."""
    models = [one for one in arguments if one.endswith((".pml", ".prom", ".promela"))]
    if len(models) != 1:
        raise UsageError("a command line of SPIN needs one model, whose name ends in .pml, .prom or .promela")
    found = ["check", models[0]]
    waiting = [one for one in arguments if one != models[0]]
    while waiting:
        flag = waiting.pop(0)
        if flag in ("-N", "-ltl"):
            if not waiting:
                raise UsageError(f"{flag} needs the name of a claim")
            found += ["--property", waiting.pop(0)]
        else:
            found += _translated(flag)
    return found


def _translated(flag: str) -> list[str]:
    if flag in _REFUSED:
        raise UsageError(f"{flag}: {_REFUSED[flag]}")
    if flag in _MEANINGS:
        return _MEANINGS[flag]
    if _SILENT.fullmatch(flag):
        return []
    memory = re.fullmatch(r"-DMEMLIM=(\d+)", flag)
    if memory is not None:
        return ["--memory", f"{memory[1]}M"]
    macro = re.fullmatch(r"-D([A-Za-z_]\w*)(?:=(.*))?", flag)
    if macro is not None:
        return ["-D", f"{macro[1]}={'1' if macro[2] is None else macro[2]}"]
    raise UsageError(f"the flag '{flag}' of SPIN has no counterpart: see 'strandline check --help'")
