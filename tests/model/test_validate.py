"""The rules for Systems: each one broken once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from strandline.errors import ModelError
from strandline.model.expression import Binary, Const, Element, Expression, Read, Unary
from strandline.model.system import Action, Assign, Domain, Fairness, Move, Predicate, Process, System, Variable
from strandline.model.validate import MAXIMUM_ARRAY, validate
from strandline.source import Source, Span

TEXT = "first line\nsecond line\n"
HERE = Span(11, 17)
X = Variable("x", Domain(0, 9), span=HERE)
A = Variable("a", Domain(0, 9), 2, (0, 0), span=HERE)
STEP = Action("step", (), None, ())
P = Variable("P", Domain(0, 1), None, (0,), ("p0", "p1"), "P")


def system(*actions: Action, variables: tuple[Variable, ...] = (P, X, A), **more) -> System:  # type: ignore[no-untyped-def]
    return System.create("m", Source("m.dve", TEXT), variables, (Process("P", P),), actions, **more)


def guarded(guard: Expression) -> System:
    return system(Action("a", (), guard, (), span=HERE))


def test_a_fine_system_comes_back_itself() -> None:
    effects = (Assign(Read(P), Const(1)), Assign(Element(A, Const(1)), Read(X)))
    fine = system(Action("a", (Move(0, 0, 1),), Read(X), effects))
    assert validate(fine) is fine


BROKEN = {
    "the name 'x' is declared twice": system(variables=(P, X, A, replace(A, name="x"))),
    f"array 'a' needs a length from 1 to {MAXIMUM_ARRAY}, not 0": system(
        variables=(P, X, replace(A, length=0, initial=()))
    ),
    f"array 'a' needs a length from 1 to {MAXIMUM_ARRAY}, not {MAXIMUM_ARRAY + 1}": system(
        variables=(P, X, replace(A, length=MAXIMUM_ARRAY + 1))
    ),
    "the range of 'x' is empty": system(variables=(P, replace(X, domain=Domain(3, 2)), A)),
    "the range of 'x' does not fit 64 bits": system(variables=(P, replace(X, domain=Domain(0, 2**63)), A)),
    "'a' has 1 initial values for 2 places": system(variables=(P, X, replace(A, initial=(0,)))),
    "initial value 10 of 'x' is outside 0..9": system(variables=(P, replace(X, initial=(10,)), A)),
    "the model has no initial state": system(initial=()),
    "'y' does not belong to this model": guarded(Read(Variable("y", Domain(0, 1)), HERE)),
    "'x' is not an array": guarded(Element(X, Const(0), HERE)),
    "array 'a' needs an index": guarded(Read(A, HERE)),
    "unknown operator '**'": guarded(Binary("**", Const(1), Const(2), HERE)),
    "unknown operator '+'": guarded(Unary("+", Const(1), HERE)),
    f"the number {2**63} does not fit 64 bits": guarded(Const(2**63)),
    f"the number {-(2**63) - 1} does not fit 64 bits": guarded(Unary("-", Const(-(2**63) - 1))),
    "action 'twice' moves one process twice": system(
        Action("twice", (Move(0, 0, 1), Move(0, 1, 0)), None, (), span=HERE)
    ),
    "in a synchronous system every action moves exactly one process": system(
        Action("free", (), None, (), span=HERE), synchronous=True
    ),
    "the first effect of 'at once' has none in front of it": system(
        Action("at once", (), None, (Assign(Read(X), Const(1), HERE, together=True),))
    ),
    "action 'still' does not move 'P' as it says": system(Action("still", (Move(0, 0, 1),), None, (), span=HERE)),
    "action 'astray' does not move 'P' as it says": system(
        Action("astray", (Move(0, 0, 1),), None, (Assign(Read(P), Read(X)),), span=HERE)
    ),
    "action 'leap' assigns the location of 'P', which does not jump": system(
        Action("leap", (), None, (Assign(Read(P), Const(1)),), span=HERE)
    ),
    "the location of 'P' is no variable of this model": system(variables=(X, A)),
    "the location of 'Q' needs one value for each of its names": replace(
        system(), processes=(Process("P", P), Process("Q", X, span=HERE))
    ),
    "the location of 'Q' is that of another process too": replace(
        system(), processes=(Process("P", P), Process("Q", P, span=HERE))
    ),
    "fairness 'f' needs either actions or a condition": system(fairness=(Fairness("f", span=HERE),)),
    "fairness 'g' needs either actions or a condition": system(
        STEP, fairness=(Fairness("g", (STEP,), Read(X), span=HERE),)
    ),
    "fairness 'h' speaks of actions that the system does not have": system(
        STEP, fairness=(Fairness("h", (replace(STEP),), span=HERE),)
    ),
}


@pytest.mark.parametrize("message", BROKEN)
def test_each_rule(message: str) -> None:
    with pytest.raises(ModelError) as caught:
        validate(BROKEN[message])
    assert caught.value.message == message
    if caught.value.span is not None:
        assert str(caught.value) == f"m.dve:2:1: {message}\n  second line\n  ^^^^^^"


def test_predicates_are_looked_at_too() -> None:
    stranger = Read(Variable("y", Domain(0, 1)))
    for place in ("assertions", "labels"):
        stated: dict[str, Any] = {place: (Predicate("p", stranger, HERE),)}
        with pytest.raises(ModelError, match="'y' does not belong to this model"):
            validate(system(**stated))
    with pytest.raises(ModelError, match="'y' does not belong to this model"):
        validate(system(fairness=(Fairness("f", condition=stranger, span=HERE),)))


def test_a_synchronous_system_without_processes() -> None:
    with pytest.raises(ModelError, match="needs at least one process"):
        validate(System.create("m", Source("m", ""), (X,), (), (), synchronous=True))


@pytest.mark.parametrize("moves", [(Move(1, 0, 0),), (Move(-1, 0, 0),), (Move(0, 2, 0),), (Move(0, 0, 2),)])
def test_moves_name_processes_and_locations_that_exist(moves: tuple[Move, ...]) -> None:
    with pytest.raises(ModelError, match="does not exist"):
        validate(system(Action("a", moves, None, (), span=HERE)))


def test_initial_valuations_have_a_value_for_every_place() -> None:
    with pytest.raises(ModelError, match="3 values"):
        validate(system(initial=((0, 0, 0),)))
