"""Emit LLVM IR for the selection that `selection` defines, over constant tables.

@reduced      as the Kernel's `successors`, of the selected steps
@conditions   computes which conditions are true in a state
@choose       selects among records, each of which ends with the number of its action
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from strandline.compile.llvm.blocks import Memory
from strandline.compile.llvm.expressions import Evaluator
from strandline.compile.llvm.function import Function
from strandline.compile.llvm.packed_state import PackedState
from strandline.compile.llvm.records import Records
from strandline.compile.reduction.selection import MANY, Reduction
from strandline.model.expression import Expression

ENTRY = "reduced"
DECLARATIONS = ("declare i64 @llvm.ctpop.i64(i64)",)
_WORD = 64


def table_texts(reduction: Reduction) -> Iterator[str]:
    """Yield the relations as constant tables."""
    facts = reduction.facts
    words = _words(len(facts.conflicts))
    first = [0]
    for conditions in facts.conditions_of:
        first.append(first[-1] + len(conditions))
    yield _table("conflicts", _in_words(facts.conflicts, words))
    yield _table("enabling", _in_words(facts.enabling, words))
    yield _table("refused", _in_words([reduction.visible | reduction.order.never], words))
    yield _table("rising", _in_words([reduction.order.always], words))
    yield _table("first_condition", first)
    yield _table("conditions_of", [one for conditions in facts.conditions_of for one in conditions])


def write_functions(reduction: Reduction, records: Records, entry: str) -> dict[str, str]:
    """Return the LLVM functions by name; `entry` is the name of the function that computes all steps."""
    return {
        "conditions": _conditions(reduction.facts.conditions, records),
        "choose": _SelectionEmitter(reduction, records).text(),
        ENTRY: _emit_reduced(reduction, entry),
    }


def _words(count: int) -> int:
    return max(1, -(-count // _WORD))


def _in_words(sets: Sequence[int], words: int) -> list[int]:
    return [members >> _WORD * word & (1 << _WORD) - 1 for members in sets for word in range(words)]


def _table(name: str, numbers: Sequence[int]) -> str:
    listed = ", ".join(f"i64 {number}" for number in (*numbers, 0))
    return f"@{name}_table = internal constant [{len(numbers) + 1} x i64] [{listed}]"


def _emit_reduced(reduction: Reduction, entry: str) -> str:
    code = Function(
        f"define i64 @{ENTRY}(ptr noalias readonly %state, ptr noalias %records, i64 %capacity,"
        " ptr noalias %labels) nounwind"
    )
    code.do(f"%truth = alloca [{_words(len(reduction.facts.conditions))} x i64]")
    count = code.value(f"call i64 @{entry}(ptr %state, ptr %records, i64 %capacity, ptr %labels)")
    choosing, leaving = code.label(), code.label()
    several, fit = code.value(f"icmp sgt i64 {count}, 1"), code.value(f"icmp sle i64 {count}, %capacity")
    code.branch(code.value(f"and i1 {several}, {fit}"), choosing, leaving)
    code.start(leaving)
    code.do(f"ret i64 {count}")
    code.start(choosing)
    code.do(f"ret i64 {code.value(f'call i64 @choose(ptr %state, ptr %records, i64 {count}, ptr %truth)')}")
    return code.text()


def _conditions(conditions: Sequence[Expression], records: Records) -> str:
    code = Function("define internal i64 @conditions(ptr readonly %state, ptr %truth) noinline nounwind")
    state = PackedState(code, records.layout, "%state")
    for word in range(_words(len(conditions))):
        mask = "0"
        for bit, condition in enumerate(conditions[_WORD * word : _WORD * (word + 1)]):
            evaluator = Evaluator(code, state.copy(), records.ranges.environment(), records.faults)
            truth = code.value(f"zext i1 {evaluator.truth(condition)} to i64")
            mask = code.value(f"or i64 {mask}, {code.value(f'shl i64 {truth}, {bit}')}")
        code.do(f"store i64 {mask}, ptr {Memory(code).at('%truth', word)}")
    code.do("ret i64 0")
    return code.text()


class _SelectionEmitter:
    """Emits the function `@choose`, which selects the steps of a state. Sets of actions are arrays of words."""

    def __init__(self, reduction: Reduction, records: Records) -> None:
        self.words = _words(len(reduction.facts.conflicts))
        self.state_words, self.stride = records.layout.words, records.stride
        self.code = code = Function(
            "define internal i64 @choose(ptr readonly %state, ptr %records, i64 %count, ptr %truth) noinline nounwind"
        )
        self.memory = memory = Memory(code)
        self.enabled, self.allowed, self.inside, self.visited, self.best = (
            memory.numbers(self.words) for _ in range(5)
        )
        self.counter, self.step, self.size, self.chosen, self.going = (memory.number() for _ in range(5))
        self.refused = memory.number()
        self.seed_word, self.seed_bits, self.picked, self.picked_word = (memory.number() for _ in range(4))
        self.condition, self.least, self.fewest, self.kept = (memory.number() for _ in range(4))

    def text(self) -> str:
        memory = self.memory
        self._find_enabled()
        self._find_allowed()
        memory.when(self._any_allowed(), self._try_all_seeds)
        self._keep_chosen()
        self.code.do(f"ret i64 {memory.load(self.kept)}")
        return self.code.text()

    # --- enabled actions ---------------------------------------------------------------------------------------

    def _each_word(self, counter: str, body: Callable[[str], None]) -> None:
        self.memory.each(counter, self.words, body)

    def _find_enabled(self) -> None:
        """Compute `enabled`; `inside` temporarily holds the actions with a step to a state that is not greater."""
        memory = self.memory

        def empty(word: str) -> None:
            memory.store(0, self.enabled, word)
            memory.store(0, self.inside, word)

        self._each_word(self.counter, empty)
        memory.count(self.step, 0, "%count", self._note_step)

    def _record(self, step: str) -> str:
        return self.memory.at("%records", self.code.value(f"mul i64 {step}, {self.stride}"))

    def _action_of(self, record: str) -> tuple[str, str]:
        """Return the word of the set and the bit in it that stand for the action of a record."""
        number = self.memory.load(record, self.stride - 1)
        bit = self.code.value(f"shl i64 1, {self.code.value(f'and i64 {number}, {_WORD - 1}')}")
        return "0" if self.words == 1 else self.code.value(f"lshr i64 {number}, 6"), bit

    def _insert(self, base: str, word: str, bits: str) -> None:
        self.memory.store(self.code.value(f"or i64 {self.memory.load(base, word)}, {bits}"), base, word)

    def _note_step(self, step: str) -> None:
        record = self._record(step)
        word, bit = self._action_of(record)
        self._insert(self.enabled, word, bit)
        rises = self._rises(record)
        self._insert(self.inside, word, self.code.value(f"select i1 {rises}, i64 0, i64 {bit}"))

    def _rises(self, record: str) -> str:
        """Return an i1 operand that is true if the record's state is greater than the source."""
        rises = "false"
        for word in reversed(range(self.state_words)):
            target, source = self.memory.load(record, word), self.memory.load("%state", word)
            same = self.code.value(f"icmp eq i64 {target}, {source}")
            greater = self.code.value(f"icmp ugt i64 {target}, {source}")
            rises = self.code.value(f"select i1 {same}, i1 {rises}, i1 {greater}")
        return rises

    def _find_allowed(self) -> None:
        memory, code = self.memory, self.code
        memory.store(0, self.size)

        def allow(word: str) -> None:
            enabled = memory.load(self.enabled, word)
            memory.store(enabled, self.best, word)
            memory.add(self.size, self._count(enabled))
            falls = self._without(memory.load(self.inside, word), memory.load("@rising_table", word))
            enabled = self._without(enabled, code.value(f"or i64 {falls}, {memory.load('@refused_table', word)}"))
            memory.store(enabled, self.allowed, word)

        self._each_word(self.counter, allow)

    def _count(self, members: str) -> str:
        return self.code.value(f"call i64 @llvm.ctpop.i64(i64 {members})")

    def _without(self, members: str, others: str) -> str:
        return self.code.value(f"and i64 {members}, {self.code.value(f'xor i64 {others}, -1')}")

    def _any_allowed(self) -> str:
        memory, code = self.memory, self.code
        memory.store(0, self.counter)
        memory.store(0, self.kept)
        self._each_word(
            self.counter,
            lambda word: memory.store(
                code.value(f"or i64 {memory.load(self.kept)}, {memory.load(self.allowed, word)}"), self.kept
            ),
        )
        return code.value(f"icmp ne i64 {memory.load(self.kept)}, 0")

    # --- stubborn sets ------------------------------------------------------------------------------------------

    def _try_all_seeds(self) -> None:
        self.code.call("@conditions(ptr %state, ptr %truth)")
        if self.words == 1:
            self._try_seeds_of_word("0")
        else:
            self.memory.count(self.seed_word, 0, self.words, self._try_seeds_of_word)

    def _try_seeds_of_word(self, word: str) -> None:
        memory, code = self.memory, self.code
        memory.store(memory.load(self.allowed, word), self.seed_bits)

        def several() -> str:
            left = code.value(f"icmp ne i64 {memory.load(self.seed_bits)}, 0")
            return code.value(f"and i1 {left}, {code.value(f'icmp ugt i64 {memory.load(self.size)}, 1')}")

        def grow() -> None:
            left = memory.load(self.seed_bits)
            seed = code.value(f"and i64 {left}, {code.value(f'sub i64 0, {left}')}")
            memory.store(self._without(left, seed), self.seed_bits)
            place = "0" if self.words == 1 else memory.load(self.seed_word)
            self._grow(place, seed)
            # A stubborn set that contains this seed is no smaller: skip the seed from now on.
            memory.store(self._without(memory.load(self.allowed, place), seed), self.allowed, place)

        memory.repeat(several, grow)

    def _grow(self, word: str, seed: str) -> None:
        """Build the stubborn set around a seed and keep it if it is allowed and the smallest so far."""
        memory, code = self.memory, self.code

        def empty(each: str) -> None:
            memory.store(0, self.inside, each)
            memory.store(0, self.visited, each)

        self._each_word(self.counter, empty)
        memory.store(seed, self.inside, word)
        memory.repeat(self._pick_next, self._expand_picked)

        def take() -> None:
            memory.store(memory.load(self.chosen), self.size)
            self._each_word(
                self.counter,
                lambda each: memory.store(
                    code.value(f"and i64 {memory.load(self.inside, each)}, {memory.load(self.enabled, each)}"),
                    self.best,
                    each,
                ),
            )

        memory.when(code.value(f"icmp ne i64 {memory.load(self.going)}, 0"), take)

    def _pick_next(self) -> str:
        """Pick the first action of the set under construction that is not visited yet.

        The result is false if there is none, or if the set is not allowed or not smaller than the best one; `going` is
        0 then.
        """
        memory, code = self.memory, self.code
        memory.store(0, self.picked)
        memory.store(0, self.chosen)
        memory.store(0, self.refused)

        def pick(word: str) -> None:
            inside = memory.load(self.inside, word)
            enabled = code.value(f"and i64 {inside}, {memory.load(self.enabled, word)}")
            memory.add(self.chosen, self._count(enabled))
            refused = self._without(enabled, memory.load(self.allowed, word))
            memory.store(code.value(f"or i64 {memory.load(self.refused)}, {refused}"), self.refused)
            waiting = self._without(inside, memory.load(self.visited, word))
            first = code.value(f"icmp eq i64 {memory.load(self.picked)}, 0")
            bit = code.value(f"and i64 {waiting}, {code.value(f'sub i64 0, {waiting}')}")
            here = code.value(f"and i1 {first}, {code.value(f'icmp ne i64 {bit}, 0')}")
            memory.store(code.value(f"select i1 {here}, i64 {bit}, i64 {memory.load(self.picked)}"), self.picked)
            known = memory.load(self.picked_word)
            memory.store(code.value(f"select i1 {here}, i64 {word}, i64 {known}"), self.picked_word)

        self._each_word(self.counter, pick)
        found = code.value(f"icmp ne i64 {memory.load(self.picked)}, 0")
        allowed = code.value(f"icmp eq i64 {memory.load(self.refused)}, 0")
        fewer = code.value(f"icmp ult i64 {memory.load(self.chosen)}, {memory.load(self.size)}")
        fine = code.value(f"and i1 {allowed}, {fewer}")
        memory.store(code.value(f"zext i1 {fine} to i64"), self.going)
        return code.value(f"and i1 {found}, {fine}")

    def _expand_picked(self) -> None:
        memory, code = self.memory, self.code
        word, bit = "0" if self.words == 1 else memory.load(self.picked_word), memory.load(self.picked)
        self._insert(self.visited, word, bit)
        trailing = code.value(f"call i64 @llvm.cttz.i64(i64 {bit}, i1 true)")
        number = code.value(f"add i64 {code.value(f'shl i64 {word}, 6')}, {trailing}")
        enabled = code.value(f"icmp ne i64 {code.value(f'and i64 {memory.load(self.enabled, word)}, {bit}')}, 0")
        memory.when(enabled, lambda: self._include("@conflicts_table", number), lambda: self._enable(number))

    def _row(self, table: str, number: str) -> str:
        return self.memory.at(table, self.code.value(f"mul i64 {number}, {self.words}"))

    def _include(self, table: str, number: str) -> None:
        row = self._row(table, number)
        self._each_word(self.counter, lambda word: self._insert(self.inside, word, self.memory.load(row, word)))

    def _enable(self, number: str) -> None:
        """Include the necessary enabling set that adds the fewest actions."""
        memory, code = self.memory, self.code
        memory.store(-1, self.fewest)
        end = memory.load("@first_condition_table", code.value(f"add i64 {number}, 1"))
        memory.count(self.condition, memory.load("@first_condition_table", number), end, self._weigh)
        self._include("@enabling_table", memory.load(self.least))

    def _weigh(self, place: str) -> None:
        memory, code = self.memory, self.code
        condition = memory.load("@conditions_of_table", place)
        bits = memory.load("%truth", code.value(f"lshr i64 {condition}, 6"))
        shifted = code.value(f"lshr i64 {bits}, {code.value(f'and i64 {condition}, {_WORD - 1}')}")
        false = code.value(f"icmp eq i64 {code.value(f'and i64 {shifted}, 1')}, 0")

        def weigh() -> None:
            row = self._row("@enabling_table", condition)
            memory.store(0, self.kept)

            def add(word: str) -> None:
                new = self._without(memory.load(row, word), memory.load(self.inside, word))
                enabled = self._count(code.value(f"and i64 {new}, {memory.load(self.enabled, word)}"))
                memory.add(self.kept, code.value(f"mul i64 {enabled}, {MANY}"))
                memory.add(self.kept, self._count(new))

            self._each_word(self.counter, add)
            added = memory.load(self.kept)

            def prefer() -> None:
                memory.store(added, self.fewest)
                memory.store(condition, self.least)

            memory.when(code.value(f"icmp ult i64 {added}, {memory.load(self.fewest)}"), prefer)

        memory.when(false, weigh)

    # --- selected records ---------------------------------------------------------------------------------------

    def _keep_chosen(self) -> None:
        """Move the records of the best set to the front."""
        memory, code = self.memory, self.code
        memory.store(0, self.kept)

        def keep(step: str) -> None:
            record = self._record(step)
            word, bit = self._action_of(record)
            chosen = code.value(f"icmp ne i64 {code.value(f'and i64 {memory.load(self.best, word)}, {bit}')}, 0")

            def move() -> None:
                place = self._record(memory.load(self.kept))
                for each in range(self.stride):
                    memory.store(memory.load(record, each), place, each)
                memory.add(self.kept, 1)

            memory.when(chosen, move)

        memory.count(self.step, 0, "%count", keep)
