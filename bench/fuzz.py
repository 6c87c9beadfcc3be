"""Random texts for every reader: each is read, or refused with a message, within its limits.

    python bench/fuzz.py [--count 200000] [--seconds 5] [--seed N] [--reader NAME ...] [--memory 512]

The inputs are examples and claims, changed in ways that know tokens and brackets (dropped, doubled, exchanged, nested,
large numbers) and in ways that know bytes alone. Everything happens in this process. An exception that is no
`InputError` or `ResourceError` is a finding, as is an input that cannot be interrupted after its time, or takes more
memory than allowed. A finding is shrunk as long as it ends in the same way, and printed once for each place in the
code. Exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import _environment  # noqa: F401
import strandline
from _common import MEBIBYTE, ROOT, resident_bytes
from strandline import languages
from strandline.checker.contest.reader import read_formulas
from strandline.checker.expected.reader import read_expected
from strandline.checker.measures.notation import parse_measures
from strandline.cli.main import main as command_line
from strandline.errors import InputError, ResourceError
from strandline.model.system import System
from strandline.properties import parse_ctl, parse_ltl
from strandline.properties.formats.reading import read_automaton
from strandline.properties.regular.expression import parse_regular
from strandline.source import Source

EXAMPLES = ROOT / "examples"
LONGEST = 20_000
"""Bytes of the longest example that is changed."""
TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|[0-9]+|\s+|.", re.DOTALL)
NUMBERS = ("0", "1", "-1", "255", "256", "65536", f"{2**32}", f"{2**63 - 1}", f"{2**64}", "9" * 5000)
ODD = (*"\x00\u2028\ufeff\u00e9\U0001f600\ud7ff'\"\\{]%", "\x1b[2J", "/*", "//", "<!--")
FORMULAS = (
    "G (x == 1 -> F x == 0)", "(F G {x < 2}) U !(x == 3 && X x == 1)", "x != 2 W (x == 1 M x == 0) R true",
    "<>[] x > 1", "GF enabled(P) -> GF taken(P)", "p xor q <-> ! r",
)  # fmt: skip
TREES = ("AG (x == 1 -> EF x == 0)", "E [x < 2 U A [x == 1 R x == 2]]", "AG EF !(EX x == 1 && AX x == 0)")
WORDS = (".* {x==1} .* {x==0}", "(!p)* ; (p | q)[2,4] r+", "({x<2} | p?)* q[3]")
CLAIMS = ("x < 3 and P.s", "flag[0] == 1 or not (turn > 2)", "x + 2 * (y - 1) % 3 >= -4", "P.critical and Q.critical")
MEASURES = ("mono(x + 1)", "x; y", "P.s + Q.s", "-x * 2")
NEVER = """never { /* G F p */
T0_init: if :: (!p && x == 1) -> goto accept_S1 :: (1) -> goto T0_init fi;
accept_S1: if :: (!p) -> goto accept_S1 fi }
"""
ALDEBARAN = 'des (0, 3, 2)\n(0, "a !1", 1)\n(1, i, 0)\n(1, "b", 1)\n'
SPACE = "\n0\n0 0 0 1\n1 1 a 0\n"
EXPECTED = 'model = "model.dve"\nstates = 4\n[[check]]\ninvariants = ["x < 3"]\nverdict = "violated"\ntrace = 3\n'
XML = """<?xml version="1.0"?><property-set xmlns="http://mcc.lip6.fr/"><property><id>a</id><description>b</description>
<formula><all-paths><globally><integer-le><tokens-count><place>p</place></tokens-count><integer-constant>3</integer-constant>
</integer-le></globally></all-paths></formula></property></property-set>
"""
MODEL = "byte x;\nprocess P { state s; init s; trans s -> s { guard x < 3; effect x = x + 1; }; }\nsystem async;\n"


TIMED_OUT, MOMENT = "timed out", 2.0
"""The outcome of an input that the limit of time ended, and the seconds within which it must have an effect."""


FOR_ALL_READERS = 3 << 30
"""Bytes of address space that the program takes without any input."""


class Slow(BaseException):
    """Raised in a reader when its time is over."""


@dataclass
class Reader:
    """A reader, and texts that it accepts."""

    name: str
    read: Callable[[bytes], object]
    seeds: list[bytes]
    words: list[str] = field(default_factory=list)
    """Tokens of the texts."""

    def __post_init__(self) -> None:
        texts = "\n".join(seed.decode("utf-8", "replace") for seed in self.seeds)
        self.words = [*sorted(set(TOKEN.findall(texts))), *NUMBERS, *ODD]


# Readers


def all_readers(folder: Path) -> Iterator[Reader]:
    """Yield every reader; files are written to `folder`."""
    (folder / "model.dve").write_text(MODEL)
    system = strandline.load(folder / "model.dve")
    for suffix in languages.LANGUAGES:
        if suffix != ".py":
            yield Reader(suffix, read_file(folder / f"input{suffix}", strandline.load), examples(suffix))
    yield Reader("ltl", of_text(parse_ltl), encoded(FORMULAS))
    yield Reader("ctl", of_text(parse_ctl), encoded(TREES))
    yield Reader("never", of_text(parse_regular), encoded(WORDS))
    yield Reader("claim", of_text(system.scope.condition), encoded(CLAIMS))
    yield Reader("measure", of_text(lambda text: parse_measures([text], system)), encoded(MEASURES))
    automata = [path.read_bytes() for path in EXAMPLES.rglob("*.hoa")] + encoded((NEVER,))
    yield Reader("automaton", of_text(lambda text: read_automaton(Source("input", text))), automata)
    yield Reader("expected", read_file(folder / "expected.toml", read_expected), encoded((EXPECTED,)))
    net = strandline.load(next(EXAMPLES.rglob("*.pnml")))
    yield Reader("contest", of_text(lambda text: read_formulas(Source("input.xml", text), net)), encoded((XML,)))
    yield from traces(folder, system)


def examples(suffix: str) -> list[bytes]:
    found = [path.read_bytes() for path in sorted(EXAMPLES.rglob(f"*{suffix}"))]
    found += encoded((ALDEBARAN,)) if suffix == ".aut" else encoded((SPACE,)) if suffix == ".ss" else []
    return [text for text in found if len(text) <= LONGEST]


def encoded(texts: Sequence[str]) -> list[bytes]:
    return [text.encode() for text in texts]


def of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def read_file(path: Path, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def reading(data: bytes) -> object:
        path.write_bytes(data)
        return read(path)

    return reading


def traces(folder: Path, system: System) -> Iterator[Reader]:
    """Yield the readers of traces, by the command that replays them."""
    for suffix in (".json", ".itf.json"):
        path = folder / f"trace{suffix}"
        model = str(folder / "model.dve")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            command_line(["check", model, "--reach", "x == 3", "--trace", str(path), "--quiet"])

        def replay(data: bytes, path: Path = path, model: str = model) -> None:
            path.write_bytes(data)
            output = io.StringIO()
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(output):
                code = command_line(["trace", str(path), "--model", model])
            if code == 4:
                raise AssertionError(output.getvalue().strip().rpartition("This is a bug")[0][-600:])

        yield Reader(f"trace{suffix}", replay, [path.read_bytes()])


# Changes


def change(random: Random, reader: Reader) -> bytes:
    """Return a changed seed of a reader."""
    data = random.choice(reader.seeds)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        data = change_tokens(random, reader, data) if random.random() < 0.7 else change_bytes(random, reader, data)
    return data[: 4 * LONGEST]


def change_tokens(random: Random, reader: Reader, data: bytes) -> bytes:
    tokens = TOKEN.findall(data.decode("utf-8", "replace"))
    place, kind = random.randrange(len(tokens) + 1), random.randrange(9)
    end = min(len(tokens), place + random.choice((1, 1, 2, 5, 20)))
    if kind == 0:
        del tokens[place:end]
    elif kind == 1:
        tokens[place:place] = tokens[place:end] * random.choice((1, 2, 50))
    elif kind == 2:
        tokens[place:end] = [random.choice(reader.words)]
    elif kind == 3:
        tokens.insert(place, random.choice(reader.words))
    elif kind == 4:
        tokens[place:end] = tokens[place:end][::-1]
    elif kind == 5:
        numbers = [at for at, token in enumerate(tokens) if token.isdigit()]
        if numbers:
            tokens[random.choice(numbers)] = random.choice(NUMBERS)
    elif kind == 6:
        opening, closing = random.choice(("()", "[]", "{}", "!\x20", "-\x20", ("not ", " "), ("X ", " "), ("AX ", " ")))
        count = random.choice((1, 3, 300, 3000))
        tokens[place:end] = [opening * count, *tokens[place:end], closing * count]
    elif kind == 7:
        names = [at for at, token in enumerate(tokens) if token.isidentifier()]
        if len(names) > 1:
            one, other = random.sample(names, 2)
            tokens[one], tokens[other] = tokens[other], tokens[one]
    else:
        donor = TOKEN.findall(random.choice(reader.seeds).decode("utf-8", "replace"))
        start = random.randrange(len(donor) + 1)
        tokens[place:end] = donor[start : start + random.choice((1, 5, 50))]
    return "".join(tokens).encode("utf-8", "replace")


def change_bytes(random: Random, reader: Reader, data: bytes) -> bytes:
    changed, kind = bytearray(data), random.randrange(6)
    place = random.randrange(len(changed) + 1)
    if kind == 0 and place < len(changed):
        changed[place] ^= 1 << random.randrange(8)
    elif kind == 1:
        del changed[place : place + random.choice((1, 4, 100))]
    elif kind == 2:
        changed[place:place] = random.randbytes(random.choice((1, 3, 20)))
    elif kind == 3:
        del changed[place:]
    elif kind == 4:
        changed[place:place] = changed[place : place + 50] * random.choice((1, 100))
    else:
        other = random.choice(reader.seeds)
        changed[place:] = other[random.randrange(len(other) + 1) :]
    return bytes(changed)


# Outcomes


def attempt(reader: Reader, data: bytes, seconds: float, megabytes: float) -> str | None:
    """Return the finding in a word and its place; None if the input was read or refused."""
    try:
        return _attempt(reader, data, seconds, megabytes)
    except Slow:
        # The timer went off while the outcome was being found.
        return TIMED_OUT


def _attempt(reader: Reader, data: bytes, seconds: float, megabytes: float) -> str | None:
    before, began = resident_bytes_now(), time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        reader.read(data)
    except (InputError, ResourceError):
        pass
    except Slow:
        if time.monotonic() - began < seconds + MOMENT:
            return TIMED_OUT
        return "not interruptible"
    except BaseException as error:  # noqa: BLE001  this is what is looked for
        return place_of(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if resident_bytes_now() - before > megabytes * MEBIBYTE:
        return "memory"
    return None


def resident_bytes_now() -> int:
    import os

    return resident_bytes(os.getpid())


def place_of(error: BaseException) -> str:
    if isinstance(error, AssertionError) and error.args:
        return f"code 4: {str(error).splitlines()[-1][:100]}"
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, RecursionError):
        return "RecursionError"
    return f"{type(error).__name__} at {Path(frames[-1].filename).name}:{frames[-1].lineno}"


def shrink(reader: Reader, data: bytes, finding: str, seconds: float, megabytes: float) -> bytes:
    """Return a smaller input with the same finding."""
    size, until = len(data) // 2, time.monotonic() + 60
    while size and time.monotonic() < until:
        place = 0
        while place < len(data) and time.monotonic() < until:
            smaller = data[:place] + data[place + size :]
            if attempt(reader, smaller, seconds, megabytes) == finding:
                data = smaller
            else:
                place += size
        size //= 2
    return data


def raise_slow(number: int, frame: object) -> None:
    raise Slow


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200_000, help="inputs (default 200,000)")
    parser.add_argument("--seconds", type=float, default=5.0, help="seconds for an input (default 5)")
    parser.add_argument("--memory", type=float, default=512.0, help="megabytes for an input (default 512)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", action="append", help="only this reader; repeatable")
    arguments = parser.parse_args()
    signal.signal(signal.SIGALRM, raise_slow)
    # Memory that is taken at once, and may be returned before anybody looks, is a MemoryError.
    address_space = FOR_ALL_READERS + 2 * int(arguments.memory * MEBIBYTE)
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    random, found, known = Random(arguments.seed), Counter[str](), set[tuple[str, str]]()
    limits, timed_out = (arguments.seconds, arguments.memory), 0
    with tempfile.TemporaryDirectory(prefix="strandline-fuzz-") as folder:
        readers = [one for one in all_readers(Path(folder)) if arguments.reader in (None, [])
                   or one.name in arguments.reader]  # fmt: skip
        for number in range(arguments.count):
            reader = readers[number % len(readers)]
            data = change(random, reader)
            finding = attempt(reader, data, *limits)
            found[reader.name] += 1
            timed_out += finding == TIMED_OUT
            if finding not in (None, TIMED_OUT) and (reader.name, finding) not in known:
                known.add((reader.name, finding))
                print(f"{reader.name}: {finding}: {shrink(reader, data, finding, *limits)[:2000]!r}", flush=True)
    print(f"{sum(found.values()):,} inputs, {len(readers)} readers, {timed_out} timed out, {len(known)} findings")
    return int(bool(known))


if __name__ == "__main__":
    sys.exit(main())
