"""Evaluation of expressions when the model is loaded.

Division and remainder are Python's: `-1 / 4` is -1 and `-1 % 4` is 3, so that counting modulo n works in both
directions. Results must fit 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn

from strandline.errors import ModelError, suggestion
from strandline.languages.process.syntax import Arithmetic, Asked, Binary, Binder, Label, Located, Name, Number, Unary
from strandline.source import Source, Span

LARGEST_RANGE = 1 << 16
"""The most values of an index."""

_LIMIT = 1 << 63

Values = Mapping[str, int]


class Evaluator:
    """Evaluates the expressions of one source; `where` is the current state for messages, or empty."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.where = ""

    def fail(self, message: str, span: Span) -> NoReturn:
        place = f" (in {self.where})" if self.where else ""
        raise ModelError(message + place, self.source, span)

    def value(self, expression: Arithmetic, values: Values) -> int:
        """Return the value of an expression; `values` has the values of names."""
        found = self._value(expression, values)
        if not -_LIMIT <= found < _LIMIT:
            self.fail("the result does not fit 64 bits", expression.span)
        return found

    def _value(self, expression: Arithmetic, values: Values) -> int:
        match expression:
            case Number(value=value):
                return value
            case Name(text=text, span=span):
                if text not in values:
                    self.fail(f"unknown name '{text}'" + suggestion(text, values), span)
                return values[text]
            case Unary(operator=operator, operand=operand):
                inner = self._value(operand, values)
                return int(not inner) if operator == "not" else -inner
            case Binary(operator="and", left=left, right=right):
                return int(bool(self.value(left, values)) and bool(self.value(right, values)))
            case Binary(operator="or", left=left, right=right):
                return int(bool(self.value(left, values)) or bool(self.value(right, values)))
            case Binary(left=left, right=right):
                return self._binary(expression, self.value(left, values), self.value(right, values))
            case Located(span=span):
                self.fail("the state of a component is not known when the model is loaded", span)
            case Asked(span=span):
                self.fail("enabled and taken actions are not known when the model is loaded", span)

    def _binary(self, expression: Binary, left: int, right: int) -> int:
        match expression.operator:
            case "==":
                return int(left == right)
            case "!=":
                return int(left != right)
            case "<":
                return int(left < right)
            case "<=":
                return int(left <= right)
            case ">":
                return int(left > right)
            case ">=":
                return int(left >= right)
            case "+":
                result = left + right
            case "-":
                result = left - right
            case "*":
                result = left * right
            case _:
                if right == 0:
                    self.fail("division by zero", expression.span)
                result = left // right if expression.operator == "/" else left % right
        if not -_LIMIT <= result < _LIMIT:
            self.fail("the result does not fit 64 bits", expression.span)
        return result

    # Ranges and labels

    def bounds(self, binder: Binder, values: Values) -> range:
        """Return the values of an index as a range."""
        low, high = self.value(binder.low, values), self.value(binder.high, values)
        if high - low >= LARGEST_RANGE:
            self.fail(f"the range {low}..{high} has more than {LARGEST_RANGE} values", binder.span)
        return range(low, high + 1)

    def each(self, binders: tuple[Binder, ...], values: Values) -> Iterator[Values]:
        """Yield `values` with each combination of values of the indices; a range may use earlier indices."""
        if not binders:
            yield values
            return
        first, *rest = binders
        for number in self.bounds(first, values):
            inner = values if first.name is None else {**values, first.name: number}
            yield from self.each(tuple(rest), inner)

    def labels(self, label: Label, values: Values) -> Iterator[tuple[str, Values]]:
        """Yield the labels that a label with index ranges stands for, each with the values of names in its scope."""
        found: list[tuple[str, Values]] = [(label.name, values)]
        for index in label.indices:
            further: list[tuple[str, Values]] = []
            for text, known in found:
                if isinstance(index, Binder):
                    for number in self.bounds(index, known):
                        inner = known if index.name is None else {**known, index.name: number}
                        further.append((f"{text}[{number}]", inner))
                else:
                    further.append((f"{text}[{self.value(index, known)}]", known))
            found = further
        yield from found
