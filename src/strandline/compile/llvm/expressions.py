"""Emit expressions as LLVM IR.

Every value is an i64, every truth value an i1. Checks that cannot fail according to the intervals are omitted; the
others branch to a fault. An operand that may fault is evaluated only where the interpreter evaluates it.
"""

# The type checker does not know the results that walks get by `yield`.
# mypy: no-warn-return-any

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from strandline.compile.llvm.faults import FaultTable, assuming, may_fault
from strandline.compile.llvm.function import CHECKED, COMPARE, Function, floor_division
from strandline.compile.llvm.masks import MaskTests, mask_test
from strandline.compile.llvm.packed_state import PackedState
from strandline.compile.llvm.speculation import Speculation, is_tangled
from strandline.compile.llvm.tables import emit_lookup
from strandline.errors import InternalError
from strandline.model.expression import (
    DIVISION_FAULT,
    INDEX_FAULT,
    OVERFLOW_FAULT,
    RANGE_FAULT,
    SHIFT_FAULT,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Lookup,
    Read,
    Unary,
    Undefined,
    conjuncts,
)
from strandline.model.intervals import (
    INT64,
    Environment,
    within,
)
from strandline.model.system import Assign, Domain, rows
from strandline.model.walk import Walk, immediate_walk, walk_down
from strandline.source import Span

_MODEST = (-(1 << 62) + 1, (1 << 62) - 1)
"""Bounds of numbers such that the sum of two of them fits 64 bits."""
_PLAIN = {"+": "add nsw", "-": "sub nsw", "*": "mul nsw", "&": "and", "|": "or", "^": "xor"}


class Evaluator:
    """Emits code that evaluates expressions in `state`, using the intervals of `environment`.

    Faults leave the function at once by returning their code.
    """

    def __init__(self, code: Function, state: PackedState, environment: Environment, faults: FaultTable) -> None:
        self.code = code
        self.state = state
        self.environment = environment
        self.faults = faults
        self._speculation: Speculation | None = None

    def at(self, state: PackedState, environment: Environment) -> Evaluator:
        """Return this evaluator for another state."""
        return Evaluator(self.code, state, environment, self.faults)

    def value(self, expression: Expression) -> str:
        """Return the expression's value as an i64 operand."""
        return self._speculate("value", expression) if is_tangled(expression) else walk_down(self._value(expression))

    def truth(self, expression: Expression) -> str:
        """Return whether the expression is non-zero, as an i1 operand."""
        return self._speculate("truth", expression) if is_tangled(expression) else walk_down(self._truth(expression))

    def _speculate(self, wanted: str, expression: Expression) -> str:
        if self._speculation is None:
            self._speculation = Speculation(self.code, self.state, self.environment, self.faults)
        compute = self._speculation.value if wanted == "value" else self._speculation.truth
        result, fault = compute(expression)
        if fault != "0":
            fine, faulty = self.code.label(), self.code.label()
            self.code.branch(self.code.value(f"icmp eq i64 {fault}, 0"), fine, faulty)
            known = self.code.known
            self.code.start(faulty)
            self.code.do(f"ret i64 {fault}")
            self.code.start(fine, known)
        return result

    def _operand(self, expression: Expression) -> Walk[str]:
        """Return the value of an operand; a heavily shared one is emitted as straight-line code."""
        return (
            immediate_walk(self._speculate("value", expression)) if is_tangled(expression) else self._value(expression)
        )

    def _value(self, expression: Expression) -> Walk[str]:
        match expression:
            case Const(value=value):
                return str(value)
            case Read(variable=variable):
                return self.state.read(self.state.layout.by_variable[variable])
            case Element(variable=variable):
                return self.state.read(self.state.layout.by_variable[variable], (yield self._index(expression)))
            case Binary(operator=operator) if operator in COMPARE or operator in ("and", "or", "imply"):
                return self._widen((yield self._truth(expression)))
            case Unary(operator="not"):
                return self._widen((yield self._truth(expression)))
            case Unary(operator=operator, operand=operand):
                return self._unary(expression, operator, (yield self._value(operand)))
            case Binary(left=left, right=right):
                first = yield self._value(left)
                return self._arithmetic(expression, first, (yield self._value(right)))
            case Choice(condition=condition, then=then, otherwise=otherwise):
                emission = self._emit_choice(
                    condition,
                    lambda inner: inner._value(then),
                    lambda inner: inner._value(otherwise),
                    "i64",
                    self._may_fault(then) or self._may_fault(otherwise),
                )
                return (yield emission)
            case Lookup(table=table, index=index):
                return emit_lookup(self.code, table, (yield self._value(index)))
            case Undefined(reason=reason, span=span):
                self.check("false", reason, span)
                return "0"

    def _truth(self, expression: Expression) -> Walk[str]:
        match expression:
            case Const(value=value):
                return "true" if value else "false"
            case Unary(operator="not", operand=operand):
                return self.code.value(f"xor i1 {(yield self._truth(operand))}, true")
            case Binary(operator=operator, left=left, right=right) if operator in COMPARE:
                first = yield self._value(left)
                second = yield self._value(right)
                return self.code.value(f"icmp {COMPARE[operator]} i64 {first}, {second}")
            case Binary(operator="and", left=left, right=right):
                return (yield self._short_circuit(left, True, right, "false"))
            case Binary(operator="or", left=left, right=right):
                return (yield self._short_circuit(left, False, right, "true"))
            case Binary(operator="imply", left=left, right=right):
                return (yield self._short_circuit(left, True, right, "true"))
            case _:
                return self.code.value(f"icmp ne i64 {(yield self._value(expression))}, 0")

    def require(self, guard: Expression, otherwise: str) -> None:
        """Emit a test of the guard that jumps to the label where it is false; refine the environment behind it."""
        self.require_all(conjuncts(guard), otherwise)

    def require_all(self, parts: Iterable[Expression], otherwise: str) -> None:
        """Emit tests of all parts, in order, that jump to the label where one is false; refine the environment."""

        def branch(truth: str) -> None:
            proceed = self.code.label()
            self.code.branch(truth, proceed, otherwise)
            self.code.start(proceed, self.code.known)

        together = MaskTests()
        for part in parts:
            test = mask_test(part, self.state.layout, self.environment)
            if test is not None:
                together.add(test)
            else:
                # The environment already assumes the pending tests: emit them before the next one.
                together.write(self.state, branch)
                branch(self.truth(part))
            self.environment.assume(part)
        together.write(self.state, branch)

    def run(self, effects: Sequence[Assign]) -> None:
        """Emit the effects of an action on the state."""
        for row in rows(effects):
            if _are_shifts(row):
                self._shift_row(row)
                continue
            writes = [(effect.target.variable, *self._evaluate_write(effect)) for effect in row]
            for variable, index, value in writes:
                self.state.write(self.state.layout.by_variable[variable], value, index)
            self._speculation = None
            self.environment.assign_row(row)

    def _shift_row(self, row: Sequence[Assign]) -> None:
        """Add constants to variables, by one addition per word, since no sum leaves its field."""
        self._check_shifts(row)
        amounts: dict[int, int] = {}
        for effect in row:
            word, shift = self.state.layout.by_variable[effect.target.variable].place(0)
            amounts[word] = amounts.get(word, 0) + (_shift_of(effect) << shift)
        self.state.add_to_words(amounts)
        self._speculation = None
        self.environment.assign_row(row)

    def _check_shifts(self, row: Sequence[Assign]) -> None:
        """Emit a fault if a sum is out of its variable's range; sums with the same fault are tested together."""
        together, place = MaskTests(), row[0].span

        def branch(truth: str) -> None:
            self.check(truth, RANGE_FAULT, place)

        for effect in row:
            variable = effect.target.variable
            amount, domain = _shift_of(effect), variable.domain
            if within(self.environment.checked_interval(effect.value), (domain.low, domain.high)):
                continue
            if effect.span != place:
                together.write(self.state, branch)
                place = effect.span
            bound = domain.high - amount if amount > 0 else domain.low - amount
            fits = Binary("<=" if amount > 0 else ">=", Read(variable), Const(bound))
            test = mask_test(fits, self.state.layout, self.environment)
            if test is None:
                branch(self.truth(fits))
            else:
                together.add(test)
            self.environment.assume(fits)
        together.write(self.state, branch)

    def _evaluate_write(self, effect: Assign) -> tuple[int | str, str]:
        """Return the index and the value of an assignment."""
        variable = effect.target.variable
        index = walk_down(self._index(effect.target)) if isinstance(effect.target, Element) else 0
        value = self.value(effect.value)
        interval = self.environment.checked_interval(effect.value)
        domain = variable.domain
        if not within(interval, (domain.low, domain.high)):
            value = self._wrap(value, domain) if domain.wraps else self._check_range(value, domain, effect.span)
        return index, value

    def _index(self, element: Element) -> Walk[int | str]:
        """Return an element's index: a number if it is constant, else an operand that was checked."""
        low, high = self.environment.checked_interval(element.index)
        last = element.variable.slots - 1
        if low == high and 0 <= low <= last and not self._may_fault(element.index):
            return low
        value: str = yield self._operand(element.index)
        if not within((low, high), (0, last)):
            # One unsigned comparison catches negative indices as well.
            inside = self.code.value(f"icmp ule i64 {value}, {last}")
            self.check(inside, INDEX_FAULT, element.span)
        return value

    def _may_fault(self, expression: Expression) -> bool:
        return not self.faults.cannot_fault(expression) and may_fault(expression, self.environment)

    def check(self, condition: str, kind: str, span: Span | None) -> None:
        """Emit a fault, which leaves the function, unless the condition holds."""
        fine, faulty, known = self.code.label(), self.code.label(), self.code.known
        self.code.branch(condition, fine, faulty)
        self.code.start(faulty)
        self.code.do(f"ret i64 {self.faults.code(kind, span)}")
        self.code.start(fine, known)

    def _wrap(self, value: str, domain: Domain) -> str:
        """Return the member of the domain congruent to the value; no intermediate result leaves 64 bits."""
        code, size = self.code, domain.size
        # Two's complement: masking is right for negative numbers too.
        if size & (size - 1) == 0:
            shifted = code.value(f"sub i64 {value}, {domain.low}") if domain.low else value
            rest = code.value(f"and i64 {shifted}, {size - 1}")
        elif size > INT64[1]:
            return self._wrap_once(value, domain)
        else:
            rest = self._make_non_negative(code.value(f"srem i64 {value}, {size}"), size)
            if domain.low % size:
                # The difference of two residues, not of the values: that one might overflow.
                rest = self._make_non_negative(code.value(f"sub i64 {rest}, {domain.low % size}"), size)
        return code.value(f"add i64 {rest}, {domain.low}") if domain.low else rest

    def _make_non_negative(self, rest: str, size: int) -> str:
        """Make a residue between -size and size non-negative."""
        negative = self.code.value(f"icmp slt i64 {rest}, 0")
        raised = self.code.value(f"add i64 {rest}, {size}")
        return self.code.value(f"select i1 {negative}, i64 {raised}, i64 {rest}")

    def _wrap_once(self, value: str, domain: Domain) -> str:
        """Wrap into a domain of more than half of all 64-bit integers, by at most one step of its size modulo 2^64."""
        code, size = self.code, domain.size - (1 << 64)
        above = code.value(f"icmp sgt i64 {value}, {domain.high}")
        below = code.value(f"icmp slt i64 {value}, {domain.low}")
        upwards = code.value(f"select i1 {below}, i64 {size}, i64 0")
        step = code.value(f"select i1 {above}, i64 {-size}, i64 {upwards}")
        return code.value(f"add i64 {value}, {step}")

    def _check_range(self, value: str, domain: Domain, span: Span | None) -> str:
        above = self.code.value(f"icmp sge i64 {value}, {domain.low}")
        below = self.code.value(f"icmp sle i64 {value}, {domain.high}")
        self.check(self.code.value(f"and i1 {above}, {below}"), RANGE_FAULT, span)
        return value

    def _widen(self, truth: str) -> str:
        if truth in ("true", "false"):
            return "1" if truth == "true" else "0"
        return self.code.value(f"zext i1 {truth} to i64")

    def _unary(self, expression: Expression, operator: str, value: str) -> str:
        if operator == "~":
            return self.code.value(f"xor i64 {value}, -1")
        return self._emit_checked("-", "0", value, expression)

    def _arithmetic(self, expression: Binary, left: str, right: str) -> str:
        match expression.operator:
            case "+" | "-" | "*":
                return self._emit_checked(expression.operator, left, right, expression)
            case "/" | "%" | "//" | "mod":
                return self._division(expression, left, right)
            case "<<" | ">>":
                return self._shift(expression, left, right)
            case operator:
                return self.code.value(f"{_PLAIN[operator]} i64 {left}, {right}")

    def _emit_checked(self, operator: str, left: str, right: str, expression: Expression) -> str:
        code = self.code
        if within(self.environment.interval(expression), INT64):
            return code.value(f"{_PLAIN[operator]} i64 {left}, {right}")
        pair = code.value(f"call {{i64, i1}} @llvm.{CHECKED[operator]}.with.overflow.i64(i64 {left}, i64 {right})")
        overflow = code.value(f"extractvalue {{i64, i1}} {pair}, 1")
        self.check(code.value(f"xor i1 {overflow}, true"), OVERFLOW_FAULT, _span(expression))
        return code.value(f"extractvalue {{i64, i1}} {pair}, 0")

    def _division(self, expression: Binary, left: str, right: str) -> str:
        code = self.code
        divisor = self.environment.checked_interval(expression.right)
        if divisor[0] <= 0 <= divisor[1]:
            self.check(code.value(f"icmp ne i64 {right}, 0"), DIVISION_FAULT, expression.span)
        by_minus_one = divisor[0] <= -1 <= divisor[1]
        if expression.operator in ("/", "//"):
            if not within(self.environment.interval(expression), INT64):
                is_minus_one = code.value(f"icmp eq i64 {right}, -1")
                is_least = code.value(f"icmp eq i64 {left}, {INT64[0]}")
                both = code.value(f"and i1 {is_minus_one}, {is_least}")
                self.check(code.value(f"xor i1 {both}, true"), OVERFLOW_FAULT, expression.span)
        elif by_minus_one:
            # The remainder by -1 is 0, as by 1; the machine's own instruction would trap on the least integer.
            is_minus_one = code.value(f"icmp eq i64 {right}, -1")
            right = code.value(f"select i1 {is_minus_one}, i64 1, i64 {right}")
        if expression.operator in ("/", "%"):
            return code.value(f"{'sdiv' if expression.operator == '/' else 'srem'} i64 {left}, {right}")
        return floor_division(code, expression.operator, left, right)

    def _shift(self, expression: Binary, left: str, right: str) -> str:
        code = self.code
        if not within(self.environment.checked_interval(expression.right), (0, 63)):
            self.check(code.value(f"icmp ule i64 {right}, 63"), SHIFT_FAULT, expression.span)
        if expression.operator == ">>":
            return code.value(f"ashr i64 {left}, {right}")
        shifted = code.value(f"shl i64 {left}, {right}")
        if not within(self.environment.interval(expression), INT64):
            back = code.value(f"ashr i64 {shifted}, {right}")
            self.check(code.value(f"icmp eq i64 {back}, {left}"), OVERFLOW_FAULT, expression.span)
        return shifted

    def _short_circuit(self, left: Expression, needed: bool, right: Expression, shortcut: str) -> Walk[str]:
        """Evaluate `right` where `left` is `needed`, else return the shortcut's constant."""
        risky = self._may_fault(right)

        def evaluate_right(inner: Evaluator) -> Walk[str]:
            return inner._truth(right)

        def constant(inner: Evaluator) -> Walk[str]:
            return immediate_walk(shortcut)

        then, otherwise = (evaluate_right, constant) if needed else (constant, evaluate_right)
        return self._emit_choice(left, then, otherwise, "i1", risky)

    def _emit_choice(
        self,
        condition: Expression,
        then: Callable[[Evaluator], Walk[str]],
        otherwise: Callable[[Evaluator], Walk[str]],
        kind: str,
        risky: bool,
    ) -> Walk[str]:
        """Emit a choice between two values.

        If neither can fault, both are computed and one is selected; otherwise only the needed one is, under the
        condition.
        """
        code = self.code
        test = yield self._truth(condition)
        if not risky:
            first = yield then(self)
            second = yield otherwise(self)
            return code.value(f"select i1 {test}, {kind} {first}, {kind} {second}")
        yes, no, after, known = code.label(), code.label(), code.label(), code.known
        code.branch(test, yes, no)
        code.start(yes, known)
        first = yield then(self._assuming(condition, True))
        yes_end = code.block
        code.jump(after)
        code.start(no, known)
        second = yield otherwise(self._assuming(condition, False))
        no_end = code.block
        code.jump(after)
        code.start(after, known)
        return code.value(f"phi {kind} [{first}, %{yes_end}], [{second}, %{no_end}]")

    def _assuming(self, condition: Expression, truth: bool) -> Evaluator:
        """Return this evaluator with the condition assumed; in unreachable code any environment is sound."""
        return self.at(self.state, assuming(self.environment, condition, truth) or self.environment)


def _are_shifts(row: Sequence[Assign]) -> bool:
    """Return True if simultaneous effects add constants to different variables."""
    return all(map(_is_shift, row)) and len({effect.target.variable for effect in row}) == len(row)


def _is_shift(effect: Assign) -> bool:
    """Return True if the effect adds a constant to a scalar and can only fail by leaving its range."""
    match effect:
        case Assign(
            target=Read(variable=one),
            value=Binary(operator="+" | "-", left=Read(variable=other), right=Const(value=amount)),
        ) if one is other and not one.domain.wraps:
            return within((one.domain.low, one.domain.high), _MODEST) and within((amount, amount), _MODEST)
    return False


def _shift_of(effect: Assign) -> int:
    """Return the constant that an effect of this kind adds (see `_is_shift`)."""
    match effect.value:
        case Binary(operator=operator, right=Const(value=amount)):
            return amount if operator == "+" else -amount
    raise InternalError("this effect adds no number")


def _span(expression: Expression) -> Span | None:
    return expression.span if isinstance(expression, Unary | Binary | Element | Read) else None
