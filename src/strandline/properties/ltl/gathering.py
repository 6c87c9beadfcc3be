"""Simplification of conjunctions and disjunctions of many formulas.

The rules are written once, for conjunction; the table `_SIDES` has the dual operators for disjunction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from strandline.properties.automata import guard as guards
from strandline.properties.ltl import build
from strandline.properties.ltl.formula import (
    FALSE,
    TRUE,
    Formula,
    Operator,
    atom,
    atoms_of,
    make,
    rebuild,
    subformulas,
)
from strandline.properties.ltl.implication import (
    boolean_guard,
    contradicts,
    covers,
    implies,
    memoised_negation,
)

MAXIMUM_BOOLEAN_ATOMS = 8
"""The most propositions of a Boolean formula that is made canonical."""


@dataclass(frozen=True, slots=True)
class _Side:
    """The operators and constants of conjunction, or their duals of disjunction."""

    operator: Operator
    neutral: Formula
    absorbing: Formula
    lasting: Operator
    """The temporal operator that distributes: G over conjunction, F over disjunction."""
    merged_right: tuple[Operator, ...]
    """Binary operators that distribute over `operator` on the right: a R b && a R c is a R (b && c)."""
    merged_left: tuple[Operator, ...]
    """Binary operators that distribute over `operator` on the left: a U c && b U c is (a && b) U c."""


_SIDES = {
    Operator.AND: _Side(
        Operator.AND,
        TRUE,
        FALSE,
        Operator.ALWAYS,
        (Operator.RELEASE,),
        (Operator.UNTIL, Operator.WEAK_UNTIL),
    ),
    Operator.OR: _Side(
        Operator.OR,
        FALSE,
        TRUE,
        Operator.EVENTUALLY,
        (Operator.UNTIL,),
        (Operator.RELEASE, Operator.STRONG_RELEASE),
    ),
}
_MOST_COMPARED = 60
"""The most operands that are compared with each other."""
_DUAL_SIDE = {Operator.AND: Operator.OR, Operator.OR: Operator.AND}


def gather(operator: Operator, operands: Iterable[Formula]) -> Formula:
    """Return the conjunction (AND) or disjunction (OR) of simplified formulas, simplified."""
    side = _SIDES[operator]
    parts = _flatten(side, operands)
    while True:
        if side.absorbing in parts:
            return side.absorbing
        parts = [part for part in parts if part is not side.neutral]
        merged = _merge(side, _unite_boolean(side, parts))
        merged = _flatten(side, _propagate(side, merged))
        if merged == parts:
            break
        parts = merged
    kept = _without_implied(side, parts)
    if kept is None:
        return side.absorbing
    if not kept:
        return side.neutral
    if len(kept) == 1:
        return kept[0]
    return make(operator, *sorted(kept, key=build.order))


def _flatten(side: _Side, operands: Iterable[Formula]) -> list[Formula]:
    flat: dict[Formula, None] = {}
    for operand in operands:
        if operand.operator is side.operator:
            flat.update(dict.fromkeys(operand.operands))
        else:
            flat[operand] = None
    return sorted(flat, key=build.order)


def _unite_boolean(side: _Side, parts: list[Formula]) -> list[Formula]:
    """Combine the parts without temporal operators to one canonical Boolean formula."""
    boolean = [part for part in parts if part.is_boolean]
    if len(boolean) < 2:
        return parts
    united = canonical_boolean(make(side.operator, *boolean))
    rest = [part for part in parts if not part.is_boolean]
    return rest + (list(united.operands) if united.operator is side.operator else [united])


def canonical_boolean(formula: Formula) -> Formula:
    """Return the canonical sum of cubes of a small Boolean formula; large formulas are unchanged."""
    atoms = atoms_of(formula)
    if len(atoms) > MAXIMUM_BOOLEAN_ATOMS:
        return formula
    function = boolean_guard(formula, atoms)
    positive, complement = function.cubes(), (~function).cubes()
    if len(positive) <= len(complement) + 1:
        return _sum_of_cubes(Operator.OR, Operator.AND, positive, atoms, False)
    return _sum_of_cubes(Operator.AND, Operator.OR, complement, atoms, True)


def _sum_of_cubes(
    outer: Operator, inner: Operator, cubes: list[guards.Cube], atoms: tuple[str, ...], negate: bool
) -> Formula:
    terms = []
    for positive, negative in cubes:
        literals = [
            atom(name) if (positive >> place & 1) != negate else make(Operator.NOT, atom(name))
            for place, name in enumerate(atoms)
            if (positive | negative) >> place & 1
        ]
        terms.append(_plain(inner, literals))
    return _plain(outer, terms)


def _plain(operator: Operator, operands: list[Formula]) -> Formula:
    side = _SIDES[operator]
    if side.absorbing in operands:
        return side.absorbing
    operands = [operand for operand in operands if operand is not side.neutral]
    if len(operands) < 2:
        return operands[0] if operands else side.neutral
    return make(operator, *sorted(operands, key=build.order))


def _merge(side: _Side, parts: list[Formula]) -> list[Formula]:
    """Join operands of operators that distribute: G a && G b to G (a && b), F G a && F G b to F G (a && b)."""
    groups: dict[tuple[Operator, Formula | None, Formula | None], list[Formula]] = {}
    rest: list[Formula] = []
    dual_lasting = _SIDES[_DUAL_SIDE[side.operator]].lasting
    for part in parts:
        # G F a and F G a do not depend on the beginning of a word, and distribute over one of the two operators only.
        if part.is_eventual and part.is_universal:
            if part.operator is dual_lasting and part.operands[0].operator is side.lasting:
                groups.setdefault((part.operator, None, None), []).append(part)
            else:
                rest.append(part)
        elif part.operator in (side.lasting, Operator.NEXT):
            groups.setdefault((part.operator, None, None), []).append(part)
        elif part.operator in side.merged_right:
            groups.setdefault((part.operator, part.operands[0], None), []).append(part)
        elif part.operator in side.merged_left:
            groups.setdefault((part.operator, None, part.operands[1]), []).append(part)
        else:
            rest.append(part)
    for (operator, left, right), members in groups.items():
        if len(members) == 1:
            rest += members
        elif operator is dual_lasting:
            joined = gather(side.operator, [part.operands[0].operands[0] for part in members])
            rest.append(build.MAKERS[operator](build.MAKERS[side.lasting](joined)))
        elif operator in (side.lasting, Operator.NEXT):
            rest.append(build.MAKERS[operator](gather(side.operator, [part.operands[0] for part in members])))
        elif left is not None:
            joined = gather(side.operator, [part.operands[1] for part in members])
            rest.append(build.MAKERS[operator](left, joined))
        else:
            joined = gather(side.operator, [part.operands[0] for part in members])
            rest.append(build.MAKERS[operator](joined, right))
    return rest


def _propagate(side: _Side, parts: list[Formula]) -> list[Formula]:
    """Simplify operands by literals that are operands themselves, or that hold always by another operand.

    In a conjunction with p, p is true in the other operands outside of temporal operators; with G p, everywhere in
    them.
    """
    now = {part for part in parts if _is_literal(part)}
    lasting: set[Formula] = set()
    for part in parts:
        if part.operator is side.lasting:
            body = part.operands[0]
            lasting |= {piece for piece in _members(side, body) if _is_literal(piece)}
    if not now and not lasting:
        return parts
    return [_assume(side, part, now, lasting) for part in parts]


def _members(side: _Side, body: Formula) -> tuple[Formula, ...]:
    return body.operands if body.operator is side.operator else (body,)


def _is_literal(formula: Formula) -> bool:
    return formula.operator is Operator.ATOM or (
        formula.operator is Operator.NOT and formula.operands[0].operator is Operator.ATOM
    )


def _assume(side: _Side, part: Formula, now: set[Formula], lasting: set[Formula]) -> Formula:
    if part.operator is side.lasting or part in now:
        return _assume_now(side, part, lasting) if part in now else part
    if lasting:
        part = _assume_everywhere(side, part, lasting)
    return _assume_now(side, part, now) if now else part


def _replacement(side: _Side, node: Formula, known: set[Formula]) -> Formula | None:
    if node in known:
        return side.neutral
    return side.absorbing if _is_literal(node) and memoised_negation(node) in known else None


def _assume_everywhere(side: _Side, part: Formula, known: set[Formula]) -> Formula:
    if not any(_replacement(side, node, known) for node in subformulas(part)):
        return part

    def step(node: Formula, operands: tuple[Formula, ...]) -> Formula:
        return _replacement(side, node, known) or build.rebuilt(node, operands)

    return rebuild(part, step)


def _assume_now(side: _Side, part: Formula, known: set[Formula]) -> Formula:
    """Replace known literals in the part, under boolean operators only."""
    replaced = _replacement(side, part, known)
    if replaced is not None:
        return replaced
    if part.operator not in (Operator.AND, Operator.OR) or part.is_boolean:
        return part
    operands = [_assume_now(side, operand, known) for operand in part.operands]
    return part if operands == list(part.operands) else gather(part.operator, operands)


def _without_implied(side: _Side, parts: list[Formula]) -> list[Formula] | None:
    """Return the operands without redundant ones; None if two of them decide the whole, as p && !p.

    More than `_MOST_COMPARED` operands are returned unchanged.
    """
    if len(parts) > _MOST_COMPARED:
        return parts
    conjunction = side.operator is Operator.AND
    kept: list[Formula] = []
    for place, part in enumerate(parts):
        for other in parts[place + 1 :]:
            if (contradicts if conjunction else covers)(part, other):
                return None
        others = kept + parts[place + 1 :]
        if not any((implies(other, part) if conjunction else implies(part, other)) for other in others):
            kept.append(part)
    return kept
