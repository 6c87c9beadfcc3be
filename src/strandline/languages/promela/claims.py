"""Claims of a model: `ltl` blocks and never claims."""

from __future__ import annotations

from collections.abc import Iterator

from strandline.errors import InputError
from strandline.languages.promela.control import Automaton, Element, Transition, build
from strandline.languages.promela.expression_parser import ExpressionParser
from strandline.languages.promela.expressions import Lowerer
from strandline.languages.promela.reading import Names
from strandline.languages.promela.syntax import Assert, Condition, Else, Formula, Print, Proctype, Statement
from strandline.languages.promela.tokens import Token
from strandline.languages.promela.world import World
from strandline.languages.symbolic_execution.building import all_of, any_of, negate
from strandline.model.expression import FALSE, TRUE, Const, Expression, Read
from strandline.model.system import Action, Assign, Domain, Move, Observer, Variable

_IMPLIES = {"->": "->", "implies": "->", "<->": "<->", "equivalent": "<->"}
_UNARY = {"[]": "G", "always": "G", "<>": "F", "eventually": "F"}
_BINARY = {
    "U": "U", "until": "U", "stronguntil": "U", "W": "W", "weakuntil": "W", "V": "R", "R": "R", "release": "R",
}  # fmt: skip
_ATOM_LEVEL = 2
"""The level of `|` among the operators of expressions: atoms of formulas consist of these and stronger ones."""


def formula_text(formula: Formula, names: Names) -> str:
    """Return an `ltl` block as a formula of this tool, with atoms in braces."""
    return _FormulaParser(formula, names).formula()


class _FormulaParser(ExpressionParser):
    def __init__(self, formula: Formula, names: Names) -> None:
        super().__init__([*formula.tokens, _end(formula)], names)

    def formula(self) -> str:
        result = self._implication()
        if self.at < len(self.tokens) - 1:
            super().fail("expected an operator")
        return result

    def _sign(self) -> str:
        return self.tokens[self.at].text

    def _implication(self) -> str:
        left = self._or()
        while True:
            sign = "<->" if self._sign() == "<" and self.ahead() == "->" else self._sign()
            if sign not in _IMPLIES:
                return left
            self.at += 2 if self._sign() == "<" else 1
            left = f"({left} {_IMPLIES[sign]} {self._or()})"

    def _or(self) -> str:
        left = self._and()
        while self._sign() in ("||", "or"):
            self.at += 1
            left = f"({left} || {self._and()})"
        return left

    def _and(self) -> str:
        left = self._temporal()
        while self._sign() in ("&&", "and"):
            self.at += 1
            left = f"({left} && {self._temporal()})"
        return left

    def _temporal(self) -> str:
        sign = self._sign()
        if sign in _UNARY:
            self.at += 1
            return f"({_UNARY[sign]} {self._temporal()})"
        if sign in ("X", "next") and self.names.find(sign) is None:
            self.token.model_error("'X' is refused: SPIN checks properties that do not depend on stuttering")
        left = self._primary_formula()
        while self._sign() in _BINARY and self.token.kind == "name":
            operator = _BINARY[self._sign()]
            self.at += 1
            right = self._temporal() if self._sign() in _UNARY else self._primary_formula()
            left = f"({left} {operator} {right})"
        return left

    def _primary_formula(self) -> str:
        start = self.at
        try:
            self.expression(_ATOM_LEVEL)
            return "{" + " ".join(one.text for one in self.tokens[start : self.at]) + "}"
        except InputError:
            if self.tokens[start].text not in ("!", "("):
                raise
            self.at = start
        if self._sign() == "!":
            self.at += 1
            operand = self._temporal() if self._sign() in _UNARY else self._primary_formula()
            return f"!({operand})"
        self.expect("(")
        inner = self._implication()
        self.expect(")")
        return f"({inner})"


def _end(formula: Formula) -> Token:
    from dataclasses import replace

    return replace(formula.token, kind="end", text="the end of the formula")


def observer_of(world: World, claim: Proctype, number: int) -> Observer:
    """Return a never claim as a property process; `number` is the number of its process."""
    return _Claim(world, claim, number).observer()


class _Claim:
    def __init__(self, world: World, claim: Proctype, number: int) -> None:
        self.world, self.claim, self.number = world, claim, number
        self.lowerer = Lowerer(world, None, None)
        self.automaton: Automaton = build(claim)
        self.places = {state: place for place, state in enumerate(self.automaton.states)}

    @property
    def fails(self) -> bool:
        """True if the claim has assertions."""
        steps = (one for several in self.automaton.steps.values() for one in several)
        return any(isinstance(one.element.statement, Assert) for one in steps)

    def observer(self) -> Observer:
        states = self.automaton.states
        names = tuple(f"{number}" for number, _ in enumerate(states))
        location = Variable(self.claim.name, Domain(0, len(states) - 1), None, (0,), names, self.claim.name)
        accepting = {self.places[one] for one in self.automaton.labelled("accept") if one in self.places}
        if self.automaton.end in self.places:
            # A claim that ends has matched the run, whatever follows.
            accepting.add(self.places[self.automaton.end])
        edges = tuple(edge for state in states for edge in self._edges(state, location))
        if self.fails:
            # A violated assertion of the claim is its violation, whatever follows.
            names = (*names, "violated")
            place = len(states)
            location = Variable(self.claim.name, Domain(0, place), None, (0,), names, self.claim.name)
            edges = tuple(edge for state in states for edge in self._edges(state, location))
            edges += (Action(self.claim.name, (Move(self.number, place, place),), None, ()),)
            accepting.add(place)
        span = self.world.span(self.claim.token.span, self.claim.token.source)
        return Observer(self.claim.name, location, edges, frozenset(accepting), span)

    def _edges(self, state: Element, location: Variable) -> Iterator[Action]:
        source = self.places[state]
        earlier: list[Expression] = []
        for step in self.automaton.steps[state]:
            guard = self._guard(step, earlier)
            target = source if step.target is None else self.places[step.target]
            earlier.append(guard)
            statement = step.element.statement
            if isinstance(statement, Assert):
                failed = Move(self.number, source, len(self.places))
                violated = negate(self.lowerer.truth(statement.expression))
                effect = Assign(Read(location), Const(len(self.places)))
                yield Action(f"{self.claim.name}", (failed,), violated, (effect,))
            if step.continues and step.target is not None:
                self._refuse(step)
            if guard == FALSE:
                continue
            effects = () if source == target else (Assign(Read(location), Const(target)),)
            condition = None if guard == TRUE else guard
            yield Action(f"{self.claim.name}", (Move(self.number, source, target),), condition, effects)

    def _guard(self, step: Transition, earlier: list[Expression]) -> Expression:
        statement: Statement | None = step.element.statement
        match statement:
            case Condition(expression=expression):
                return self.lowerer.truth(expression)
            case Else():
                return all_of([negate(any_of(earlier))])
        if statement is None or isinstance(statement, Print | Assert) or step.element.kind == "goto":
            return TRUE
        return self._refuse(step)

    def _refuse(self, step: Transition) -> Expression:
        token = self.claim.token if step.element.statement is None else step.element.statement.token
        token.model_error("a never claim can only observe: this statement is not supported in it")
