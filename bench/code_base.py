"""How the code base reads: words, lines, import cycles, walks through a call, and samples of text to be judged.

    python bench/code_base.py words [--root FOLDER]
    python bench/code_base.py lines [--root FOLDER]
    python bench/code_base.py cycles [--root FOLDER]
    python bench/code_base.py walks [--model FILE]
    python bench/code_base.py sample KIND --seed N [--size N]

`words` counts words of the glossary, and words that it replaces, in docstrings and comments. `cycles` prints the
strongly connected components of more than one module in the graph of imports, with imports for type checkers and
inside functions. `--root` counts another checkout.

`walks` runs commands in this process under a profiler: files and functions executed (class bodies and imports
excluded), frames between `main` and the loop of the search, and *turns*: calls of a package, or a room of `checker`,
from one that stands before it in the order of imports, which need an object or a function that was handed down. A turn
is *declared* if it goes through an interface that exists for this (`CALLBACKS` in `_walks.py`); the others are printed.

`sample` draws docstrings (with the name and the signature), messages (help texts and the texts of exceptions) or
paragraphs of the documentation, for a reader who has not seen the code and says of each whether it is clear at first
reading. The seed is to be chosen after the text.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import sys
import tempfile
import textwrap
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import _environment
from _walks import print_walks

ROOT: Path = _environment.ROOT
PACKAGE = ROOT / "src" / "strandline"
MODEL = ROOT / "examples" / "peterson" / "peterson.dve"

REPLACED = {
    "what ...": r"\bwhat(?:ever)?\b",
    "tell, told": r"\b(?:tell|tells|told|telling)\b",
    "who, whoever": r"\b(?:who|whoever)\b",
}
PARTICIPLE = re.compile(
    r"_*(?:(?!need|feed|seed|exceed|proceed|embed)[a-z]+ed|found|told|met|held|drawn|chosen|kept|made|built|written|taken|given|shown|known"
    r"|begun|gone|seen|left|lost|sent|thrown|worn|spoken|broken|split|bound|met|led|brought|spent|paid)(?:_|$)"
)
"""Names of functions that begin with a participle."""
FIELD = (
    "frontier", "visited set", "state store", "hash table", "bucket", "probe", "successor", "observer", "callback",
    "checkpoint", "spill", "evict", "fallback", "hand-off", "worker", "shard", "barrier", "mailbox",
    "compare-and-swap", "acquire", "permutation", "orbit", "canonical", "scalarset", "BDD", "preimage", "fixpoint",
    "SCC", "lasso", "product", "tree compression", "bitstate", "timeout", "budget", "coverage", "estimate", "varint",
    "prefetch", "atomic", "fetch-and-add", "interval", "warm-up",
)  # fmt: skip

# Text


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Yield the module, its classes and functions with their qualified names."""

    def visit(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                yield name, child
                yield from visit(child, f"{name}.")
            else:
                yield from visit(child, prefix)

    yield "", tree
    yield from visit(tree, "")


def docstrings() -> Iterator[tuple[str, str, str]]:
    """Yield the place, the signature and the text of every docstring."""
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE).as_posix()
        for name, node in definitions(ast.parse(file.read_text())):
            text = ast.get_docstring(node)  # type: ignore[arg-type]
            if text is None:
                continue
            signature = "module"
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                result = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
                signature = f"def {name}({ast.unparse(node.args)}){result}"
            elif isinstance(node, ast.ClassDef):
                signature = f"class {name}"
            yield place, signature, text


def comments() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of every comment that is no directive for a tool."""
    for file in sorted(PACKAGE.rglob("*.py")):
        with file.open("rb") as lines:
            for token in tokenize.tokenize(lines.readline):
                text = token.string.lstrip("# ")
                if token.type == tokenize.COMMENT and not re.match(r"(type|fmt|noqa|pragma|mypy|---)", text):
                    yield f"{file.relative_to(PACKAGE).as_posix()}:{token.start[0]}", text


def messages() -> Iterator[tuple[str, str, str]]:
    """Yield the place, the kind and the text of help texts and of the texts with which exceptions are raised."""
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                name = ast.unparse(node.exc.func)
                for argument in node.exc.args[:2]:
                    if (text := _text(argument)) and name != "InternalError":
                        yield f"{place}:{node.lineno}", name, text
                        break
            elif isinstance(node, ast.Call):
                name = ast.unparse(node.func).rpartition(".")[2]
                given = [one.value for one in node.keywords if one.arg == "help"]
                given += node.args[:1] if name == "option" else []
                yield from ((f"{place}:{node.lineno}", "help", text) for one in given if (text := _text(one)))


def _text(node: ast.expr) -> str:
    """Return the text of a literal, with the expressions of an f-string in braces; empty if it is too short."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (one.value if isinstance(one, ast.Constant) else f"{{{ast.unparse(one.value)}}}" for one in node.values)  # type: ignore[attr-defined]
        text = "".join(map(str, parts))
    else:
        return ""
    return text if len(text.split()) > 2 else ""


def paragraphs() -> Iterator[tuple[str, str, str]]:
    """Yield the place, the heading and the text of paragraphs, list items and rows of tables in the documentation."""
    pages = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
    for page in sorted(pages):
        text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        heading = ""
        for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) )", text):
            line = block.strip()
            if all(one.startswith("    ") for one in block.splitlines() if one.strip()):
                continue  # code
            if line.startswith("#"):
                heading = line.lstrip("# ")
            elif len(re.findall(r"[A-Za-z]{2,}", line)) >= 8 and not line.startswith(("![", "<!--", "[", "|---")):
                yield page.relative_to(ROOT).as_posix(), heading, line


KINDS = {"docstrings": docstrings, "messages": messages, "paragraphs": paragraphs}


def print_sample(kind: str, seed: int, size: int) -> None:
    """Print texts drawn at random, each with its number, place and signature."""
    population = list(KINDS[kind]())
    print(f"{size} of {len(population):,} {kind}, seed {seed}\n")
    for number, (place, about, text) in enumerate(random.Random(seed).sample(population, size), 1):
        print(f"[{number}] {place} | {about}\n{textwrap.indent(text, '    ')}\n")


def print_words() -> None:
    texts = [text for _, _, text in docstrings()]
    whole = "\n".join(texts)
    remarks = [text for _, text in comments()]
    print(f"{len(texts):,} docstrings, {len(remarks):,} lines of comments\n")
    names = [name.rpartition(".")[2] for name in _functions()]
    matches = [match for match in map(PARTICIPLE.match, names) if match is not None]
    alone = sum(not match[0].endswith("_") for match in matches)
    print(f"{len(names):,} functions, {len(matches)} with a name that begins with a participle, {alone} that is one\n")
    print("| word | docstrings | comments |\n|---|---|---|")
    patterns = REPLACED | {word: rf"\b{re.escape(word)}" for word in FIELD}
    for word, pattern in patterns.items():
        counts = [len(re.findall(pattern, one, re.IGNORECASE)) for one in (whole, "\n".join(remarks))]
        print(f"| {word} | {counts[0]} | {counts[1]} |")


def _functions() -> Iterator[str]:
    for file in sorted(PACKAGE.rglob("*.py")):
        for name, node in definitions(ast.parse(file.read_text())):
            properties = {"property", "cached_property"}
            if isinstance(node, ast.FunctionDef) and not properties & {ast.unparse(one) for one in node.decorator_list}:
                yield name


# Structure


def print_lines() -> None:
    """Print files, lines and their kinds for each package."""
    total: Counter[str] = Counter()
    print(
        "| package | files | lines | docstring | comment | blank | import | code |\n|---|---|---|---|---|---|---|---|"
    )
    for package in sorted({file.relative_to(PACKAGE).parts[0] for file in PACKAGE.rglob("*.py")}):
        path = PACKAGE / package
        figures: Counter[str] = Counter()
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            figures += _line_kinds(file)
        total += figures
        if path.is_dir():
            _print_row(package, figures)
    _print_row("all", total)


def _print_row(name: str, figures: Counter[str]) -> None:
    kinds = ("files", "lines", "docstring", "comment", "blank", "import", "code")
    print(f"| {name} | {' | '.join(f'{figures[kind]:,}' for kind in kinds)} |")


def _line_kinds(file: Path) -> Counter[str]:
    text = file.read_text()
    lines, tree = text.splitlines(), ast.parse(text)
    kinds = dict.fromkeys(range(1, len(lines) + 1), "code")
    kinds |= {number: "blank" for number, line in enumerate(lines, 1) if not line.strip()}
    kinds |= {number: "comment" for number, line in enumerate(lines, 1) if line.lstrip().startswith("#")}
    for node in ast.walk(tree):
        text_alone = (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        kind = "import" if isinstance(node, ast.Import | ast.ImportFrom) else "docstring" if text_alone else None
        if kind is not None:
            assert isinstance(node, ast.stmt)
            kinds |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), kind)
    return Counter(kinds.values()) + Counter(files=1, lines=len(lines))


def _imports() -> dict[str, set[str]]:
    """Return the modules that each module imports, at type level and inside functions too.

    Imports of the version from the root, which loads everything else on demand, are left out.
    """
    names = {_module(file): file for file in PACKAGE.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for name, file in names.items():
        found: set[str] = set()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                members = {f"{node.module}.{one.name}" for one in node.names}
                found |= (members & set(names)) or {node.module}
        graph[name] = found & set(names) - {name, PACKAGE.name}
    return graph


def _module(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def print_cycles() -> None:
    from strandline.properties.automata.components import tarjan

    graph = _imports()
    names = sorted(graph)
    places = {name: number for number, name in enumerate(names)}
    components = tarjan(range(len(names)), lambda number: [places[one] for one in sorted(graph[names[number]])])
    knots = sorted((sorted(names[one] for one in part) for part in components if len(part) > 1), key=len, reverse=True)
    print(f"{len(names)} modules, {len(knots)} cycles of imports at type level")
    for knot in knots:
        print(f"- {len(knot)}: {', '.join(knot)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("words", "lines", "cycles"):
        commands.add_parser(name).add_argument("--root", type=Path, default=ROOT, metavar="FOLDER")
    commands.add_parser("walks").add_argument("--model", type=Path, default=MODEL)
    sample = commands.add_parser("sample")
    sample.add_argument("kind", choices=KINDS)
    sample.add_argument("--seed", type=int, required=True)
    sample.add_argument("--size", type=int, default=50)
    arguments = parser.parse_args()
    global PACKAGE
    PACKAGE = getattr(arguments, "root", ROOT).resolve() / "src" / "strandline"
    match arguments.command:
        case "words":
            print_words()
        case "lines":
            print_lines()
        case "cycles":
            print_cycles()
        case "walks":
            with tempfile.TemporaryDirectory() as folder:
                print_walks(arguments.model, Path(folder))
        case _:
            print_sample(arguments.kind, arguments.seed, arguments.size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
