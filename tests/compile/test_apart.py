"""Steps compiled once and properties compiled separately: the same results as the interpreter's."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import ask, ask_all, compare_back_ends
from strategies import Case, Generator
from support.interpreted_kernel import interpret_system

from strandline.analysis.ranges import analyse_ranges
from strandline.compile import host
from strandline.compile.host import compile_system
from strandline.compile.separate_compilation import emit_separately
from strandline.compile.specification import KernelSpecification
from strandline.model.expression import Binary, Const, Element, Expression, Read
from strandline.model.layout import make_layout
from strandline.model.measure import Measure
from strandline.model.system import Action, Assign, Domain, Move, Observer, System, Variable
from strandline.source import Source


def beside(plain: System, observer: Observer, start: int = 0) -> System:
    """The System with the observer put beside it."""
    return replace(
        plain,
        variables=(*plain.variables, observer.location),
        observer=replace(observer, beside=plain),
        initial=tuple((*state, start) for state in plain.initial),
    )


def watched_case(random: Random, wild: float) -> Case:
    generator = Generator(random, wild=wild)
    case = generator.case()
    if case.system.observer is not None:
        return case
    observer = generator.observer(len(case.system.processes))
    edges = tuple(replace(edge, effects=edge.effects[:1]) for edge in observer.edges)
    system = beside(case.system, replace(observer, edges=edges), random.randrange(observer.location.domain.size))
    standing, measure = Read(observer.location), case.measure
    if measure is not None and random.random() < 0.5:
        measure = replace(measure, layer=Binary("&", measure.layer, Binary("+", standing, Const(6))))
    return Case(system, (*case.predicates, Binary("==", standing, Const(0))), measure)


@given(st.randoms(use_true_random=False), st.sampled_from((0.0, 0.0, 0.1, 0.3)))
@settings(max_examples=70)
def test_observers_beside_random_systems(random: Random, wild: float) -> None:
    compare_back_ends(watched_case(random, wild), limit=40)


def test_most_calm_systems_are_compiled_apart() -> None:
    """The test above would say nothing if none were."""
    cases = [watched_case(Random(seed), 0.0) for seed in range(60)]
    apart = [
        case
        for case in cases
        if emit_separately(case.system, KernelSpecification(case.predicates, case.measure)) is not None
    ]
    assert len(apart) > 20
    assert sum(case.measure is not None for case in apart) > 5


def counters(*sizes: int, length: int | None = None) -> System:
    """Variables that count up, each for itself, and then stand still."""
    variables = tuple(Variable(f"v{number}", Domain(0, size, tight=True)) for number, size in enumerate(sizes))
    row = () if length is None else (Variable("row", Domain(0, 255), length, (0,) * length),)
    actions = [
        Action(f"up {one.name}", (), Binary("<", Read(one), Const(min(2, one.domain.high))), (raised(Read(one)),))
        for one in variables
    ]
    actions += [
        Action("last", (), Binary("<", Element(one, Const(one.slots - 1)), Const(2)), (raised(Element(one, Const(0))),))
        for one in row
    ]
    return System.create("counters", Source("counters", ""), (*variables, *row), (), tuple(actions))


def raised(place: Read | Element) -> Assign:
    return Assign(place, Binary("+", place, Const(1)))


def watching(plain: System, guard: Expression) -> System:
    """Beside it an observer that goes round three locations, and forks in the first."""
    location = Variable("watch", Domain(0, 2), None, (0,), ("a", "b", "c"), "watch")
    moves = [(0, 1, None), (0, 2, guard), (1, 2, guard), (2, 0, None), (2, 2, None)]
    edges = tuple(
        Action(f"{source} -> {target}", (Move(0, source, target),), test, (Assign(Read(location), Const(target)),))
        for source, target, test in moves
    )
    return beside(plain, Observer("watch", location, edges, frozenset({2})))


SIZES = {
    "one word": ((3, 3), 1),
    "the last two bits of a word": (((1 << 31) - 1, (1 << 30) - 1), 1),
    "a word more": (((1 << 32) - 1, (1 << 31) - 1), 2),
    "two words": (((1 << 32) - 1, (1 << 32) - 1, 3), 2),
    "many words": (((1 << 40) - 1,) * 6, 6),
    "many words and one more": (((1 << 32) - 1,) * 12, 7),
}


@pytest.mark.parametrize(("sizes", "words"), SIZES.values(), ids=SIZES.keys())
@pytest.mark.parametrize("kind", ["plain", "measured", "componentwise"])
def test_wherever_the_location_lies(sizes: tuple[int, ...], words: int, kind: str) -> None:
    plain = counters(*sizes)
    system = watching(plain, Binary("==", Read(plain.variables[0]), Const(1)))
    assert system.observer is not None
    layer = Binary("+", Read(plain.variables[1]), Read(system.observer.location))
    measure = None if kind == "plain" else Measure(Const(0), layer, (layer,) if kind == "componentwise" else ())
    predicates = (Binary("==", Read(plain.variables[-1]), Const(2)),)
    assert emit_separately(system, KernelSpecification(predicates, measure)) is not None
    assert make_layout(system, analyse_ranges(system).variables).words == words
    assert compare_back_ends(Case(system, predicates, measure), 30) >= 10


def test_what_may_fault_is_compiled_with_the_steps() -> None:
    """The observer's guard faults at the first step, before the second step can: so the interpreter has it."""
    plain = counters(3, length=20)
    past = Element(plain.variables[1], Binary("+", Read(plain.variables[0]), Const(18)))
    system = watching(plain, Binary("==", past, Const(0)))
    assert emit_separately(system, KernelSpecification((), None)) is None
    assert system.observer is not None
    assert system.observer.beside is not None
    assert emit_separately(system.observer.beside, KernelSpecification((), None)) is None, "it is not large"
    assert compare_back_ends(Case(system, (), None), 60) >= 20


def test_a_predicate_that_faults_has_its_place_behind_those_of_the_steps() -> None:
    plain = counters(3, length=20)
    past = Element(plain.variables[1], Binary("+", Read(plain.variables[0]), Const(18)))
    system = watching(plain, Binary("==", Read(plain.variables[0]), Const(1)))
    assert emit_separately(system, KernelSpecification((past,), None)) is not None
    assert compare_back_ends(Case(system, (past,), None), 60) >= 10


def test_an_observer_that_is_a_part_of_the_model_or_writes_more_is_not_apart() -> None:
    plain = counters(3, 3)
    system = watching(plain, Binary("==", Read(plain.variables[0]), Const(1)))
    assert system.observed_system is plain
    observer = system.observer
    assert observer is not None
    assert replace(system, observer=replace(observer, beside=None)).observed_system is None
    assert replace(system, actions=tuple(system.actions[:1])).observed_system is None
    assert replace(system, ends=Const(1)).observed_system is None
    more = replace(observer.edges[0], effects=(*observer.edges[0].effects, raised(Read(plain.variables[0]))))
    assert replace(system, observer=replace(observer, edges=(more,))).observed_system is None


def test_steps_are_compiled_once_and_marked_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = host.object_code

    def compile_and_note(text: str) -> bytes:
        compiled.append(text)
        return real(text)

    monkeypatch.setattr(host, "object_code", compile_and_note)
    plain = counters(3, 3)
    systems = [watching(plain, Binary("==", Read(plain.variables[0]), Const(number))) for number in range(3)]
    kernels = [compile_system(one) for one in systems]
    assert len(compiled) == 1
    assert len({kernel.digest for kernel in kernels}) == 3
    start = tuple(kernels[0].initial[0].tolist())
    second = ask_all(kernels[1], start).records[0]
    ask(kernels[1], second)
    assert [kernel.coverage_bits.tolist() for kernel in kernels if kernel.coverage_bits is not None] == [
        [0, 0],
        [1, 1],
        [0, 0],
    ]
    for system, kernel in zip(systems, kernels, strict=True):
        assert ask_all(kernel, start) == ask_all(interpret_system(system), start)
