"""A formula of CTL over a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from strandline.checker.properties.atoms import atom_source, bound_atoms
from strandline.model.expression import FALSE, TRUE, Binary, Expression, Unary
from strandline.model.scope import Scope
from strandline.model.system import System
from strandline.properties import Formula, parse_ctl
from strandline.properties.ltl.formula import Operator, subformulas
from strandline.source import Source


@dataclass(frozen=True, eq=False)
class CtlFormula:
    """A CTL formula whose atoms are expressions of a model. It holds if it holds in all initial states."""

    formula: Formula
    atoms: Mapping[str, Expression]
    source: Source
    """The formula as it was written, for messages."""
    atom_sources: Mapping[str, Source] = field(default_factory=dict)
    """The source of each atom, for messages."""

    @property
    def text(self) -> str:
        return self.source.text

    def propositions(self) -> dict[Formula, Expression]:
        """Return the maximal subformulas without temporal operators, constants aside, as expressions."""
        return {part: self.expression(part) for part in _propositional_parts(self.formula)}

    def expression(self, part: Formula) -> Expression:
        """Return a subformula without temporal operators as an expression of the model."""
        made: dict[Formula, Expression] = {}
        for node in subformulas(part):
            made[node] = self._make(node, [made[operand] for operand in node.operands])
        return made[part]

    def _make(self, node: Formula, operands: list[Expression]) -> Expression:
        match node.operator:
            case Operator.ATOM:
                return self.atoms[node.name]
            case Operator.TRUE:
                return TRUE
            case Operator.FALSE:
                return FALSE
            case Operator.NOT:
                return Unary("not", operands[0])
            case Operator.IMPLIES:
                return Binary("or", Unary("not", operands[0]), operands[1])
            case Operator.EQUIVALENT:
                return Binary("==", Unary("not", operands[0]), Unary("not", operands[1]))
            case Operator.EXCLUSIVE_OR:
                return Binary("!=", Unary("not", operands[0]), Unary("not", operands[1]))
        joined = operands[0]
        for one in operands[1:]:
            joined = Binary("and" if node.operator is Operator.AND else "or", joined, one)
        return joined


def _propositional_parts(formula: Formula) -> Iterator[Formula]:
    """Yield each maximal subformula without temporal operators once, in the order of the text, without constants."""
    met: set[Formula] = set()
    waiting = [formula]
    while waiting:
        node = waiting.pop()
        if node in met:
            continue
        met.add(node)
        if not node.is_boolean:
            waiting.extend(reversed(node.operands))
        elif node.operator not in (Operator.TRUE, Operator.FALSE):
            yield node


def bind_ctl(text: str | Source, system: System, *, name: str = "formula", scope: Scope | None = None) -> CtlFormula:
    """Parse a CTL formula over a System, in its own language or that of `scope`.

    Raises `InputError` with the position in the formula.
    """
    words = system.scope if scope is None else scope
    parsed = parse_ctl(Source(name, text) if isinstance(text, str) else text, equality=words.equality)
    bound = bound_atoms(parsed, system, scope)
    places = {atom: atom_source(parsed, atom) for atom in bound}
    return CtlFormula(parsed.formula, bound, parsed.source, places)
