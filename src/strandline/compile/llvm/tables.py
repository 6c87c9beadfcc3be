"""Constant tables in a module, and the lookup of a number."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from strandline.compile.llvm.function import Function
from strandline.model.expression import Expression, Lookup, Table, walk

_WIDTHS = ((8, "b"), (16, "h"), (32, "i"), (64, "q"))
"""Bits of a number, and the type code of Python's arrays of such numbers."""


def table_texts(expressions: Iterable[Expression]) -> Iterator[str]:
    """Yield a constant for each table that the expressions look up.

    One more number, 0, is the result for indices out of range. Tables may be large: they are written as byte strings,
    which are fast to write and to parse.
    """
    written: set[str] = set()
    for expression in expressions:
        for node in walk(expression):
            if isinstance(node, Lookup) and node.table.symbol not in written:
                written.add(node.table.symbol)
                _, code = _width(node.table)
                data = array(code, (*node.table.values, 0)).tobytes()
                escaped = "\\" + data.hex("\\")
                yield f'@{node.table.symbol} = internal constant [{len(data)} x i8] c"{escaped}", align 8'


def emit_lookup(code: Function, table: Table, place: str) -> str:
    """Return the number at an index, both as i64 operands."""
    last, (bits, _) = len(table.values), _width(table)
    inside = code.value(f"icmp ult i64 {place}, {last}")
    safe = code.value(f"select i1 {inside}, i64 {place}, i64 {last}")
    address = code.value(f"getelementptr i{bits}, ptr @{table.symbol}, i64 {safe}")
    number = code.value(f"load i{bits}, ptr {address}")
    return number if bits == 64 else code.value(f"sext i{bits} {number} to i64")


def _width(table: Table) -> tuple[int, str]:
    """Return the narrowest type that holds the numbers of a table."""
    least, largest = table.range
    return next(one for one in _WIDTHS if -(1 << one[0] - 1) <= least and largest < 1 << one[0] - 1)
