"""A Module contains everything that does not depend on a machine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from kernels import ask, compare_back_ends
from strategies import Case, cases

import strandline
from strandline.compile.host import compile_module
from strandline.compile.llvm.function import Function
from strandline.compile.module import Module, emit
from strandline.compile.specification import KernelSpecification
from strandline.languages import dve
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
    module = emit(counting(), KernelSpecification([Read(X)], Measure(Const(0), Read(X), (Read(X),))))
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
    assert list(emit(counting(), KernelSpecification((), Measure(Const(0), large))).functions) == [
        "measure",
        "successors",
    ]
    observer = Observer("watch", watching, (), frozenset({1}))
    assert list(emit(counting(variables=(watching,), observer=observer)).functions) == ["observe", "successors"]
    place = Variable("P", Domain(0, 0), names=("here",), owner="P")
    together = System.create("together", Source("t", ""), (place,), (Process("P", place),), (), synchronous=True)
    assert list(emit(together).functions) == ["together0", "successors"]


@given(cases())
@settings(max_examples=40)
def test_the_same_system_gives_the_same_text_without_addresses(case: Case) -> None:
    first, second = (emit(case.system, KernelSpecification(case.predicates, case.measure)) for _ in range(2))
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


def test_an_instruction_is_written_once_on_a_way() -> None:
    """Shared parts of expressions are computed once; loads are repeated."""
    code = Function("define i64 @f(i64 %x, ptr %p)")
    first = code.value("add i64 %x, 1")
    assert code.value("add i64 %x, 1") == first
    loads = {code.value("load i64, ptr %p") for _ in range(2)}
    assert len(loads) == 2
    after, other, known = code.label(), code.label(), code.known
    code.branch(code.value(f"icmp eq i64 {first}, 0"), after, other)
    code.start(other)
    assert code.value("add i64 %x, 1") != first
    code.do("ret i64 0")
    code.start(after, known)
    assert code.value("add i64 %x, 1") == first


def test_what_one_edge_of_an_observer_loads_is_not_there_for_the_next() -> None:
    """A state of many words is loaded word by word, where it is asked for."""
    text = (
        "byte a[200], i;"
        "process P { state s; init s; trans s -> s { effect a[i] = a[i] + 1, i = (i + 67) % 200; }; }"
        "process W { state s, t; init s; accept t; trans s -> s { guard a[0] < 2 and a[67] < 2; }, "
        "s -> t { guard a[67] == 1 and a[134] == 1 and a[0] == 1; }, t -> t { guard a[134] == 1 and a[67] < 9; }; }"
        "system async property W;"
    )
    system = dve.load(Source("wide.dve", text))
    assert compare_back_ends(Case(system, (), None), 50) > 3
