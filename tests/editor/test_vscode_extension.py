"""The extension for VS Code: its package, its grammars, and the command by which it starts the server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from strandline.cli.parser import build_parser
from strandline.languages import LANGUAGES
from strandline.languages.dve.lexer import KEYWORDS as DVE
from strandline.languages.lotus.parser import KEYWORDS as LOTUS
from strandline.languages.process.lexer import KEYWORDS as PROCESSES

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"
MODULES = ROOT / ".strandline" / "npm" / "node_modules"
PACKAGE: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text("utf-8"))
GRAMMARS = {one["language"]: EXTENSION / one["path"] for one in PACKAGE["contributes"]["grammars"]}

needs_node = pytest.mark.skipif(shutil.which("npm") is None, reason="Node.js is not installed: nothing is packaged")
needs_textmate = pytest.mark.skipif(
    not (MODULES / "vscode-textmate").is_dir(), reason="vscode-textmate is not installed: grammars are not executed"
)


def node(*arguments: str, text: str = "", folder: Path = EXTENSION) -> str:
    done = subprocess.run(arguments, input=text, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_node
def test_the_package_has_all_that_the_extension_needs(tmp_path: Path) -> None:
    (packed,) = json.loads(node("npm", "pack", "--json", "--pack-destination", str(tmp_path)))
    names = {one["path"] for one in packed["files"]}
    grammars = {one.relative_to(EXTENSION).as_posix() for one in GRAMMARS.values()}
    assert names == {"package.json", "README.md", "LICENSE", "extension.js", "language-configuration.json", *grammars}
    assert (tmp_path / packed["filename"]).exists()
    assert (EXTENSION / "LICENSE").read_text("utf-8") == (ROOT / "LICENSE").read_text("utf-8")


def test_every_text_language_has_a_grammar_or_is_xml_or_generated() -> None:
    suffixes = {suffix for one in PACKAGE["contributes"]["languages"] for suffix in one["extensions"]}
    assert set(LANGUAGES) - suffixes <= {".aut", ".lola", ".pnml", ".py", ".ss"} | suffixes
    assert set(GRAMMARS) == {"dve", "psl", "lotus", "promela"}


@pytest.mark.parametrize(("language", "keywords"), [("dve", DVE), ("psl", PROCESSES), ("lotus", LOTUS)])
def test_the_grammar_knows_every_keyword_of_the_parser(language: str, keywords: frozenset[str]) -> None:
    words = set(re.findall(r"\w+", GRAMMARS[language].read_text("utf-8").replace("\\\\b", " ")))
    assert set(keywords) - words == set()


CASES = {
    "dve": (
        "// invariant: x < 3\nprocess P { state a; trans a -> a { guard not x == 12; }; }",
        {
            "invariant": "keyword.other.claim.dve",
            "P": "entity.name.type.process.dve",
            "guard": "keyword.control.dve",
            "not": "keyword.operator.word.dve",
            "12": "constant.numeric.dve",
        },
    ),
    "psl": (
        'process P = "PUT !1" -> STOP; // end\nsystem P;',
        {
            '"PUT !1"': "string.quoted.double.psl",
            "P": "entity.name.type.psl",
            "STOP": "constant.language.psl",
            "// end": "comment.line.double-slash.psl",
        },
    ),
    "lotus": (
        "DEFINE\n  Fork : none, left;\nSPEC\n  CTLSPEC AF(x=1)",
        {
            "DEFINE": "keyword.control.section.lotus",
            "Fork": "entity.name.type.lotus",
            "AF": "keyword.operator.temporal.lotus",
            "1": "constant.numeric.lotus",
        },
    ),
    "promela": (
        '#define N 3\nactive proctype P() { byte x; do :: x < N -> x++ od; /* it\nends */ printf("%d\\n", x) }',
        {
            "#define N 3": "meta.preprocessor.promela",
            "P": "entity.name.function.promela",
            "byte": "storage.type.promela",
            "::": "keyword.operator.promela",
            "printf": "support.function.promela",
            "ends ": "comment.block.promela",
        },
    ),
}


@needs_node
@needs_textmate
@pytest.mark.parametrize("language", list(CASES))
def test_texts_are_coloured(language: str) -> None:
    text, expected = CASES[language]
    script = str(Path(__file__).with_name("tokens.js"))
    arguments = ("node", script, str(MODULES), str(GRAMMARS[language]), f"source.{language}")
    found = dict(reversed(json.loads(node(*arguments, text=text))))
    assert {word: found.get(word) for word in expected} == expected


@needs_node
@pytest.mark.parametrize("trust", ["trusted", "untrusted"])
def test_the_server_is_started_by_a_command_that_exists(trust: str) -> None:
    script = str(Path(__file__).with_name("start_extension.js"))
    started = json.loads(node("node", script, str(EXTENSION / "extension.js"), trust))
    assert started["server"]["command"] == "python"
    arguments = started["server"]["args"]
    assert arguments[:2] == ["-m", "strandline"]
    parsed = build_parser().parse_args(arguments[2:])
    assert (parsed.command, parsed.max_seconds, parsed.memory) == ("lsp", 5.0, 1024)
    assert parsed.allow_python is (trust == "trusted")
    patterns = " ".join(
        one.get("pattern", "") + one.get("language", "") for one in started["client"]["documentSelector"]
    )
    assert all(suffix[1:] in patterns or suffix == ".py" for suffix in LANGUAGES)
