"""Random small Promela programs, and SPIN's own figures for a program."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from random import Random

_HEAD = """mtype = { one, two };
byte x, y; bit b; int big = 2147483640; byte a[2];
chan q = [2] of { mtype, byte };
chan r = [0] of { byte };
"""
_TRANSLATE = ("-a", "-o1", "-o2", "-o3")
_COMPILE = ("-O0", "-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=500")
_MOST_STATES = 20_000


class Programs:
    """Draws programs from a grammar; most are a few hundred states large."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def program(self) -> str:
        names = ["A", "B", "C"][: self.random.randint(2, 3)]
        parts = [_HEAD]
        child = self.random.random() < 0.4
        if child:
            parts.append("proctype K(byte n) { byte v;\n" + self.sequence(2, 1, 2) + "\n}\n")
        for name in names:
            body = self.sequence(2, 2, 4)
            if child and name == "A":
                body = f"run K({self.random.randint(0, 3)});\n{body}"
            provided = " provided (x < 3)" if self.random.random() < 0.1 else ""
            parts.append(f"active proctype {name}(){provided} {{ byte n, v;\n{body}\n}}\n")
        return "".join(parts)

    def sequence(self, depth: int, low: int, high: int) -> str:
        return ";\n".join(self.statement(depth) for _ in range(self.random.randint(low, high)))

    def statement(self, depth: int) -> str:
        random = self.random
        if depth == 0 or random.random() < 0.55:
            return self.simple()
        inner = self.sequence(depth - 1, 1, 3)
        match random.choice(["if", "if", "do", "atomic", "atomic", "d_step", "unless", "for", "block"]):
            case "if":
                return f"if\n{self.options(depth - 1)}\nfi"
            case "do":
                leave = random.choice([f":: {self.guard()} -> break", ":: else -> break", f":: {self.simple()}; break"])
                body = f":: n < 2 -> n++; {inner}"
                return f"do\n{body}\n{leave}\nod"
            case "atomic":
                return f"atomic {{ {inner} }}"
            case "d_step":
                return f"d_step {{ {self.quiet()}; if :: {self.guard()} -> {self.quiet()} :: else fi; {self.quiet()} }}"
            case "unless":
                return f"{{ {inner} }} unless {{ {self.guard()}; {self.simple()} }}"
            case "for":
                return f"for (v : 0 .. 1) {{ {inner} }}"
        return f"{{ {inner} }}"

    def options(self, depth: int) -> str:
        found = [f":: {self.sequence(depth, 1, 2)}" for _ in range(self.random.randint(1, 3))]
        if self.random.random() < 0.4:
            found.append(f":: else{self.random.choice(['', ' -> ' + self.quiet()])}")
        return "\n".join(found)

    def expression(self) -> str:
        random = self.random
        leaf = ["x", "y", "b", "n", "v", "a[b]", "a[x % 2]", "1", "2", "_pid", "len(q)"]
        first, second = random.choice(leaf), random.choice(leaf)
        return random.choice(
            [first, f"{first} + {second}", f"{first} - 1", f"({first} * {second}) % 3", f"1 - {first} % 2"]
        )

    def guard(self) -> str:
        first, second = self.expression(), self.random.choice(["0", "1", "2", "x", "y"])
        sign = self.random.choice(["==", "!=", "<", ">="])
        return self.random.choice(
            [f"({first} {sign} {second})"] * 4 + ["q?[one,_]", "nfull(q)", "(x > 0 && y < 2)", "timeout"]
        )

    def quiet(self) -> str:
        target = self.random.choice(["x", "y", "b", "v", "a[b]", "big"])
        value = "big + 3" if target == "big" else f"({self.expression()}) % 3"
        return self.random.choice([f"{target} = {value}"] * 4 + ["skip", "b = 1 - b", "x = (x + 1) % 3"])

    def simple(self) -> str:
        messages = [
            "q!one(x % 2)", "q!two(1)", "q!!one(y % 2)", "q?one(v)", "q?_,v", "q??two(v)", "q?<one,v>", "q?two,eval(b)",
            "r!1", "r!x % 2", "r?v", "r?1", "r?eval(b)",
        ]  # fmt: skip
        return (
            self.random.choice(
                [
                    self.quiet(),
                    self.quiet(),
                    self.quiet(),
                    self.guard(),
                    f"assert({self.guard()})",
                    *self.random.sample(messages, 3),
                ]
            )
            .replace("assert(timeout)", "skip")
            .replace("assert(q?[one,_])", "skip")
            .replace("assert(nfull(q))", "skip")
        )


def spin_figures(text: str, folder: Path) -> tuple[int, int, int, int] | None:
    """Return SPIN's states, edges, assertion errors and invalid ends; None if it refuses or does not finish."""
    model, program = folder / "model.pml", folder / "pan"
    model.write_text(text)
    program.unlink(missing_ok=True)
    subprocess.run(["spin", *_TRANSLATE, model.name], cwd=folder, capture_output=True, timeout=60, check=False)
    compiled = subprocess.run(
        ["gcc", *_COMPILE, "-o", "pan", "pan.c"], cwd=folder, capture_output=True, timeout=120, check=False
    )
    if compiled.returncode or not program.exists():
        return None
    whole, other, assertions, ends = (_run(folder, *flags) for flags in ((), ("-A", "-E"), ("-E",), ("-A",)))
    if whole is None or other is None or assertions is None or ends is None or other[2]:
        return None
    return whole[0], whole[1] - 1, assertions[2], ends[2]


def _run(folder: Path, *flags: str) -> tuple[int, int, int] | None:
    try:
        done = subprocess.run(
            ["./pan", "-m100000", "-n", "-c0", *flags],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    found = [
        re.search(pattern, done.stdout) for pattern in (r"(\d+) states, stored", r"(\d+) transitions", r"errors: (\d+)")
    ]
    if any(one is None for one in found) or "max search depth too small" in done.stdout or "aborting" in done.stdout:
        return None
    states, transitions, errors = (int(one[1]) for one in found if one is not None)
    return (states, transitions, errors) if states <= _MOST_STATES else None
