"""Constant tables: where they stand in a module, and how a number is looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from strandline.compile.llvm.function import Function
from strandline.model.expression import Expression, Lookup, Table, walk


def table_texts(expressions: Iterable[Expression]) -> Iterator[str]:
    """A constant for each table that is looked up in the expressions. One more number, 0, is what places have that are
    not in the table."""
    written: set[str] = set()
    for expression in expressions:
        for node in walk(expression):
            if isinstance(node, Lookup) and node.table.symbol not in written:
                written.add(node.table.symbol)
                numbers = ", ".join(f"i64 {number}" for number in (*node.table.values, 0))
                yield f"@{node.table.symbol} = internal constant [{len(node.table.values) + 1} x i64] [{numbers}]"


def looked_up(code: Function, table: Table, place: str) -> str:
    """The number at a place, both as i64 operands."""
    last = len(table.values)
    inside = code.value(f"icmp ult i64 {place}, {last}")
    safe = code.value(f"select i1 {inside}, i64 {place}, i64 {last}")
    address = code.value(f"getelementptr i64, ptr @{table.symbol}, i64 {safe}")
    return code.value(f"load i64, ptr {address}")
