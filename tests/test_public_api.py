"""The names that users may rely on, and that they cost nothing until they are used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import strandline

REPOSITORY = Path(__file__).resolve().parent.parent


def test_public_names_are_pinned() -> None:
    assert strandline.__all__ == [
        "Answer",
        "Array",
        "Bag",
        "Conformance",
        "Conforms",
        "Enum",
        "Exploration",
        "Fifo",
        "InputError",
        "InternalError",
        "Model",
        "NotEnabled",
        "Optional",
        "OutOfRange",
        "Process",
        "PropertyVerdict",
        "Range",
        "Record",
        "ResourceError",
        "Scalar",
        "Set",
        "StateGraph",
        "Statistics",
        "StrandlineError",
        "System",
        "Trace",
        "Verdict",
        "action",
        "any_of",
        "check",
        "check_grid",
        "conform",
        "count",
        "ctl",
        "enabled",
        "explore",
        "fairness",
        "from_callables",
        "graph",
        "initial",
        "invariant",
        "label",
        "load",
        "ltl",
        "measure",
        "param",
        "reachable",
        "require",
        "valid_end",
    ]


def test_every_public_name_is_there() -> None:
    for name in strandline.__all__:
        assert getattr(strandline, name) is not None
    assert set(strandline.__all__) <= set(dir(strandline))


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(strandline, "verify")


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, strandline, strandline.cli.main, strandline.cli.parser;"
        "strandline.cli.parser.build_parser();"
        "print([name for name in ('numpy', 'numba', 'llvmlite', 'rich') if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_check_can_be_called_whatever_was_imported_before() -> None:
    code = (
        "import strandline.checker.options.search, strandline.checker.api, strandline;"
        "from strandline import check;"
        "print(strandline.check('examples/peterson/peterson.dve').answer.value,"
        " check('examples/peterson/peterson.dve').answer.value)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert answer.stdout.split() == ["HOLDS", "HOLDS"]
