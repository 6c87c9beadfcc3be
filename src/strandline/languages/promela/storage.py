"""Variables of the System for the declarations of a model, and the parts of structures and arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strandline.languages.promela.syntax import SIMPLE, Declaration, Structure
from strandline.model.system import Domain, Variable

_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part of a declaration of a simple type: its variable, and the lengths of the arrays around it."""

    declaration: Declaration
    """The innermost declaration: the variable itself, or a field."""
    lengths: tuple[int | None, ...]
    domain: Domain
    variable: Variable

    @property
    def slots(self) -> int:
        return self.variable.slots


def domain_of(declaration: Declaration, *, in_array: bool) -> Domain:
    """Return the domain of a variable of a simple type; bits in arrays have 8 bits."""
    if declaration.type == "unsigned":
        width = declaration.width or 32
        # An `unsigned` of 32 bits is used as an `int`, as C converts it.
        return Domain(0, (1 << width) - 1, wraps=True)
    low, high = SIMPLE[declaration.type]
    if in_array and declaration.type in ("bit", "bool"):
        high = 255
    return Domain(low, high, wraps=True)


def leaves(declaration: Declaration, prefix: str, owner: str | None) -> dict[tuple[str, ...], Leaf]:
    """Return the simple parts of a declaration by the names of the fields that lead to them."""
    return dict(_leaves(declaration, prefix, owner, ()))


def _leaves(
    declaration: Declaration, name: str, owner: str | None, lengths: tuple[int | None, ...]
) -> Iterator[tuple[tuple[str, ...], Leaf]]:
    lengths = (*lengths, declaration.length)
    if declaration.structure is None:
        domain = domain_of(declaration, in_array=declaration.length is not None)
        total = 1
        for one in lengths:
            total *= one or 1
        if total > _LARGEST:
            declaration.token.model_error(f"'{declaration.name}' has more than a million elements")
        length = None if all(one is None for one in lengths) else total
        initial = (0,) * (1 if length is None else length)
        variable = Variable(name, domain, length, initial, None, owner, None)
        yield (), Leaf(declaration, lengths, domain, variable)
        return
    for field in declaration.structure.fields:
        for path, leaf in _leaves(field, f"{name}.{field.name}", owner, lengths):
            yield (field.name, *path), leaf


@dataclass(frozen=True, slots=True)
class MessageField:
    """A simple part of a message, and the path to it in a structure, with indices."""

    domain: Domain
    declaration: Declaration
    path: tuple[str, ...] = ()
    indices: tuple[int, ...] = ()


def message_fields(declarations: Sequence[Declaration]) -> list[list[MessageField]]:
    """Return for each argument of a message its simple parts, in order."""
    return [list(_message_fields(one, (), ())) for one in declarations]


def _message_fields(
    declaration: Declaration, path: tuple[str, ...], indices: tuple[int, ...]
) -> Iterator[MessageField]:
    numbers = range(declaration.length or 1)
    for number in numbers:
        here = (*indices, number)
        if declaration.structure is None:
            domain = domain_of(declaration, in_array=declaration.length is not None)
            yield MessageField(domain, declaration, path, here)
        else:
            for field in declaration.structure.fields:
                yield from _message_fields(field, (*path, field.name), here)


def structure_parts(structure: Structure) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Yield the simple parts of a structure in the order of a message: names of fields, and an index for each."""
    for field in structure.fields:
        for number in range(field.length or 1):
            if field.structure is None:
                yield (field.name,), (number,)
            else:
                for path, indices in structure_parts(field.structure):
                    yield (field.name, *path), (number, *indices)
