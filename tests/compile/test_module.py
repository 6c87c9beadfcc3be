"""A Module holds what no machine has a say in, and all of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from kernels import ask
from strategies import Case, cases

import strandline
from strandline.compile.host import compile_module
from strandline.compile.module import Module, emit
from strandline.model.expression import DIVISION_FAULT, Binary, Const, Read
from strandline.model.measure import Measure
from strandline.model.system import Action, Assign, Domain, Observer, Process, System, Variable
from strandline.model.validate import validate
from strandline.source import Source

SOURCE = Path(strandline.__file__).parents[1]
X = Variable("x", Domain(0, 9), None, (1,))
HALVED = Binary("//", Const(8), Read(X))


def counting(**more) -> System:  # type: ignore[no-untyped-def]
    step = Action("step", (), None, (Assign(Read(X), Binary("mod", HALVED, Const(10))),))
    return validate(System.create("counting", Source("c", ""), (X, *more.pop("variables", ())), (), (step,), **more))


def names_in(module: Module) -> list[str]:
    return re.findall(r"^define .*?@(\w+)\(", module.text, re.M)


def test_the_parts_are_the_text() -> None:
    module = emit(counting(), [Read(X)], Measure(Const(0), Read(X), (Read(X),)))
    assert list(module.functions) == names_in(module) == ["compare", "successors"]
    assert module.entry == "successors"
    assert module.text == "\n".join([*module.declarations, *module.functions.values()])
    assert (module.layout.words, module.stride) == (1, 4)
    assert [site.kind for site in module.fault_sites] == [DIVISION_FAULT]


def test_every_kind_of_function_has_its_name() -> None:
    watching = Variable("watch", Domain(0, 1), names=("off", "on"), owner="watch")
    assert list(emit(counting()).functions) == ["successors"]
    large = Read(X)
    for _ in range(40):
        large = Binary("+", large, Const(1))  # type: ignore[assignment]
    assert list(emit(counting(), (), Measure(Const(0), large)).functions) == ["measure", "successors"]
    observer = Observer("watch", watching, (), frozenset({1}))
    assert list(emit(counting(variables=(watching,), observer=observer)).functions) == ["observe", "successors"]
    place = Variable("P", Domain(0, 0), names=("here",), owner="P")
    together = System.create("together", Source("t", ""), (place,), (Process("P", place),), (), synchronous=True)
    assert list(emit(together).functions) == ["together0", "successors"]


@given(cases())
@settings(max_examples=40)
def test_the_same_system_gives_the_same_text_without_addresses(case: Case) -> None:
    first, second = (emit(case.system, case.predicates, case.measure) for _ in range(2))
    assert first.text == second.text
    assert first.fault_sites == second.fault_sites
    assert "inttoptr" not in first.text
    assert "target " not in first.text


def test_a_module_can_be_compiled_more_than_once() -> None:
    module = emit(counting())
    kernels = [compile_module(module) for _ in range(2)]
    state = tuple(kernels[0].initial[0].tolist())
    assert ask(kernels[0], state) == ask(kernels[1], state)
    assert kernels[0].successors != kernels[1].successors
    assert kernels[0].compile_seconds > module.seconds


@pytest.mark.parametrize("module", ["strandline.compile.module", "strandline.compile.callback"])
def test_writing_needs_no_compiler(module: str) -> None:
    program = f"import sys, {module}; print('llvmlite' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "False", done.stderr
