"""Read the formula files of the Model Checking Contest, over the variables and actions of a System.

A file is a `property-set` of properties, each with an id and a formula. The operators determine the logic: a formula is
CTL if each quantifier stands over one temporal operator, and LTL if its only quantifier stands in front of everything.
A formula of both forms has the same meaning in both logics, except for a `next` in a state without steps: there it is
read as LTL if its id contains `LTL`, else as CTL. Each part without temporal operators becomes one proposition, so that
automata and searches need not know its atoms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from strandline.checker.contest.formulas import Asked, Largest, OfRuns, OfTrees, Reached
from strandline.checker.properties.specification import BoundFormula
from strandline.languages.petri.xml import Element, read_xml
from strandline.model.expression import Binary, Const, Expression, Read, Unary, deep_recursion, row
from strandline.model.system import Action, System
from strandline.properties import Formula, ParsedFormula
from strandline.properties.ltl.formula import Operator, atom, make
from strandline.source import Source, Span
from strandline.transform.fairness import some_enabled

_QUANTIFIERS = {"all-paths": Operator.ALL, "exists-path": Operator.EXISTS}
_UNARY = {"globally": Operator.ALWAYS, "finally": Operator.EVENTUALLY, "next": Operator.NEXT}
_JOINED = {"conjunction": ("and", Operator.AND), "disjunction": ("or", Operator.OR)}
_LARGEST = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class _Proposition:
    """A part of a formula without temporal operators: its text, and its expression over the System."""

    text: str
    expression: Expression


_Part = _Proposition | Formula


def read_formulas(source: Source, system: System) -> list[Asked]:
    """Read the questions of a file, in their order.

    Raises `ParseError` and `ModelError` with the line of the first mistake; unknown operators are refused.
    """
    root = read_xml(source, ignored=("description", "tags"))
    if root.tag != "property-set":
        root.refuse(f"a file of formulas begins with 'property-set', not with '{root.tag}'")
    reader = _Reader(source, system)
    with deep_recursion():
        return [reader.parse_question(one) for one in root.children]


class _Reader:
    def __init__(self, source: Source, system: System) -> None:
        self.source, self.system = source, system
        self.actions: dict[str, list[Action]] = {}
        for action in system.actions:
            self.actions.setdefault(action.name, []).append(action)
        self._enabled: dict[str, Expression] = {}

    def parse_question(self, stated: Element) -> Asked:
        if stated.tag != "property":
            stated.refuse(f"unknown element '{stated.tag}' in a set of properties")
        named, formula = stated.child("id"), stated.child("formula")
        if named is None or formula is None:
            stated.refuse("a property has an 'id' and a 'formula'")
        content = _only(formula)
        return _Formula(self, named.text.strip(), content).parse_question()

    # --- atoms ------------------------------------------------------------------------------------------------

    def comparison(self, element: Element) -> _Proposition:
        first, second = (self._number(one) for one in _exactly(element, 2))
        return _Proposition(f"{first.text} <= {second.text}", Binary("<=", first.expression, second.expression))

    def _number(self, element: Element) -> _Proposition:
        match element.tag:
            case "tokens-count":
                return self.tokens(element)
            case "integer-constant":
                written = element.text.strip()
                if not re.fullmatch(r"[0-9]{1,20}", written) or int(written) > _LARGEST:
                    element.refuse(f"a natural number of at most {_LARGEST} is wanted, not '{written[:40]}'")
                return _Proposition(written, Const(int(written)))
        element.refuse(f"'{element.tag}' is not a supported number")

    def tokens(self, element: Element) -> _Proposition:
        """Return the sum of the variables for the places that the element names, with its text."""
        names = [self._name_in(one, "place") for one in _some(element)]
        known = self.system.by_name
        for name, one in zip(names, element.children, strict=True):
            if name not in known or known[name].length is not None:
                one.refuse(f"the model has no place '{name}'")
        return _Proposition(f"tokens({', '.join(names)})", row("+", [Read(known[name]) for name in names]))

    def fireable(self, element: Element) -> _Proposition:
        """Return the proposition that one of the transitions that the element names is enabled."""
        names = [self._name_in(one, "transition") for one in _some(element)]
        for name, one in zip(names, element.children, strict=True):
            if name not in self.actions:
                one.refuse(f"the model has no transition '{name}'")
        return _Proposition(f"fireable({', '.join(names)})", row("or", [self._enabled_by(name) for name in names]))

    def _name_in(self, element: Element, what: str) -> str:
        if element.tag != what:
            element.refuse(f"expected a '{what}', found '{element.tag}'")
        return element.text.strip()

    def _enabled_by(self, name: str) -> Expression:
        if name not in self._enabled:
            self._enabled[name] = some_enabled(self.system, self.actions[name])
        return self._enabled[name]


@dataclass(slots=True, eq=False)
class _Formula:
    """A formula that is being read; `atoms` has the expressions of its propositions by their texts."""

    reader: _Reader
    id: str
    content: Element
    atoms: dict[str, Expression] = field(default_factory=dict)

    def parse_question(self) -> Asked:
        if self.content.tag == "place-bound":
            return Largest(self.id, self.reader.tokens(self.content).expression)
        plain = self._reachability()
        if plain is not None:
            return plain
        formula = self._formula(self._part(self.content))
        source = Source(self.id, str(formula))
        linear = formula.operator is Operator.ALL and not any(map(_has_quantifier, formula.operands))
        if linear and ("LTL" in self.id or not _branches(formula)):
            spans = dict.fromkeys(self.atoms, Span(0, len(source.text)))
            return OfRuns(self.id, BoundFormula(ParsedFormula(formula.operands[0], source, spans), self.atoms))
        if not _branches(formula):
            self.content.refuse("the formula is neither in LTL nor in CTL")
        return OfTrees(self.id, formula, self.atoms, source)

    def _reachability(self) -> Reached | None:
        """Return the formula as a question about single states, if it is EF or AG of a proposition; else None."""
        for quantifier, operator in (("exists-path", "finally"), ("all-paths", "globally")):
            if self.content.tag == quantifier and [one.tag for one in self.content.children] == [operator]:
                inner = self._part(_only(self.content.children[0]))
                if isinstance(inner, _Proposition):
                    return Reached(self.id, inner.expression, always=quantifier == "all-paths")
        return None

    def _formula(self, part: _Part) -> Formula:
        if isinstance(part, Formula):
            return part
        self.atoms[part.text] = part.expression
        return atom(part.text)

    def _part(self, element: Element) -> _Part:
        match element.tag:
            case "integer-le":
                return self.reader.comparison(element)
            case "is-fireable":
                return self.reader.fireable(element)
            case "negation":
                return self._negate(self._part(_only(element)))
            case "conjunction" | "disjunction":
                return self._join(element)
            case "until":
                before, reach = _exactly(element, 2)
                if (before.tag, reach.tag) != ("before", "reach"):
                    element.refuse("'until' has a 'before' and a 'reach'")
                operands = [self._formula(self._part(_only(one))) for one in (before, reach)]
                return make(Operator.UNTIL, *operands)
            case tag if tag in _UNARY:
                return make(_UNARY[tag], self._formula(self._part(_only(element))))
            case tag if tag in _QUANTIFIERS:
                return make(_QUANTIFIERS[tag], self._formula(self._part(_only(element))))
        element.refuse(f"'{element.tag}' is not a supported operator")

    def _negate(self, part: _Part) -> _Part:
        if isinstance(part, Formula):
            return make(Operator.NOT, part)
        return _Proposition(f"not ({part.text})", Unary("not", part.expression))

    def _join(self, element: Element) -> _Part:
        word, operator = _JOINED[element.tag]
        parts = [self._part(one) for one in _some(element)]
        propositions = [one for one in parts if isinstance(one, _Proposition)]
        if len(propositions) == len(parts):
            text = f" {word} ".join(f"({one.text})" for one in propositions)
            return _Proposition(text, row(word, [one.expression for one in propositions]))
        return make(operator, *map(self._formula, parts)) if len(parts) > 1 else parts[0]


def _has_quantifier(formula: Formula) -> bool:
    return any(one.operator in (Operator.ALL, Operator.EXISTS) for one in _walk(formula))


def _branches(formula: Formula) -> bool:
    """Return True if the formula is in CTL: temporal operators stand right below quantifiers, and only those do."""
    temporal = {*_UNARY.values(), Operator.UNTIL}
    waiting = [formula]
    while waiting:
        node = waiting.pop()
        if node.operator in temporal:
            return False
        if node.operator in (Operator.ALL, Operator.EXISTS):
            if node.operands[0].operator not in temporal:
                return False
            waiting += node.operands[0].operands
        else:
            waiting += node.operands
    return True


def _walk(formula: Formula) -> Iterator[Formula]:
    waiting = [formula]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.operands


def _only(element: Element) -> Element:
    return _exactly(element, 1)[0]


def _exactly(element: Element, count: int) -> Sequence[Element]:
    if len(element.children) != count:
        wanted = "1 element" if count == 1 else f"{count} elements"
        element.refuse(f"'{element.tag}' must contain {wanted}, not {len(element.children)}")
    return element.children


def _some(element: Element) -> Sequence[Element]:
    if not element.children:
        element.refuse(f"'{element.tag}' must contain elements")
    return element.children
