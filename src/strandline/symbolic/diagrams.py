"""What a library of binary decision diagrams must offer: one small class, and the libraries behind it.

A *function* is a set of assignments to bits, an object of the library. Bits are numbered in the order in which they are
tested. Everything that can take long is a method here, so that one place knows what to do when memory is short: collect
what nobody holds any more, try once more, and else say so by a `ResourceError`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from strandline.errors import ResourceError, UsageError

Function = Any
"""A function of the library; two of one manager are equal exactly if they are the same set."""
Made = TypeVar("Made")

OXIDD, CUDD = "oxidd", "cudd"
LIBRARIES = (OXIDD, CUDD)

BYTES_PER_NODE = 32
"""What a node takes, its place in the table of nodes included."""
_SHORT_OF_MEMORY = (MemoryError, RuntimeError, ValueError)
"""What `dd` raises where CUDD could not make a node."""
_FEW_BITS, _MANY_BITS = 100, 1000
_LEAST_NODES, _MOST_NODES = 1 << 16, 1 << 30


class TooManyNodes(ResourceError):
    """The memory that decision diagrams may take is used up."""


class Diagrams(ABC):
    """A manager with a fixed number of bits. `true` and `false` are the sets of all and of no assignments."""

    true: Function
    false: Function
    peak: int
    """Most nodes that there were when it was looked."""

    @abstractmethod
    def bit(self, number: int) -> Function:
        """The assignments in which a bit is set."""

    @abstractmethod
    def cube(self, bits: Iterable[int]) -> Function:
        """Bits to quantify over."""

    @abstractmethod
    def renaming(self, pairs: Mapping[int, int]) -> Any:
        """Bits to be read as others, for `renamed`; their order stays what it is."""

    @abstractmethod
    def both(self, one: Function, other: Function) -> Function: ...

    @abstractmethod
    def either(self, one: Function, other: Function) -> Function: ...

    @abstractmethod
    def differ(self, one: Function, other: Function) -> Function: ...

    @abstractmethod
    def denied(self, one: Function) -> Function: ...

    @abstractmethod
    def chosen(self, bit: int, high: Function, low: Function) -> Function:
        """The one where a bit is set, the other where not."""

    @abstractmethod
    def some(self, one: Function, cube: Function) -> Function:
        """There are values of the bits of the cube with which it is true."""

    @abstractmethod
    def some_of_both(self, one: Function, other: Function, cube: Function) -> Function:
        """`some(both(one, other), cube)`, without the conjunction in between."""

    @abstractmethod
    def renamed(self, one: Function, renaming: Any) -> Function: ...

    @abstractmethod
    def support(self, one: Function) -> frozenset[int]:
        """The bits that it depends on."""

    @abstractmethod
    def children(self, one: Function) -> tuple[int, Function, Function] | None:
        """Its first bit and what it is where that is set, and where not; None for a constant."""

    @abstractmethod
    def size(self, one: Function) -> int:
        """How many nodes it has."""

    @abstractmethod
    def nodes(self) -> int:
        """How many nodes there are now, of all functions, those included that nobody holds any more."""

    @abstractmethod
    def collect(self) -> None:
        """Give back what nobody holds."""

    def all_of(self, functions: Iterable[Function]) -> Function:
        """Their conjunction."""
        return self._joined(self.both, list(functions), self.true)

    def any_of(self, functions: Iterable[Function]) -> Function:
        """Their disjunction."""
        return self._joined(self.either, list(functions), self.false)

    def _joined(
        self, join: Callable[[Function, Function], Function], functions: list[Function], neutral: Function
    ) -> Function:
        """Neighbours first, so that what is joined stays small."""
        while len(functions) > 1:
            pairs = zip(functions[::2], functions[1::2], strict=False)
            joined = [join(one, other) for one, other in pairs]
            functions = joined + (functions[-1:] if len(functions) % 2 else [])
        return functions[0] if functions else neutral

    def code(self, bits: Sequence[int], value: int) -> Function:
        """The assignments in which the bits are a number, the first bit counting most."""
        found = self.true
        for place, bit in enumerate(reversed(bits)):
            one = self.bit(bit)
            found = self.both(one if value >> place & 1 else self.denied(one), found)
        return found

    def contains(self, one: Function, assignment: Callable[[int], bool]) -> bool:
        """Whether an assignment is in the set."""
        while (node := self.children(one)) is not None:
            bit, high, low = node
            one = high if assignment(bit) else low
        return bool(one == self.true)

    def member(self, one: Function) -> dict[int, bool] | None:
        """Some assignment of the set, to the bits that matter; None where it is empty."""
        if one == self.false:
            return None
        found = {}
        while (node := self.children(one)) is not None:
            bit, high, low = node
            found[bit] = low == self.false
            one = high if found[bit] else low
        return found

    def count(self, functions: Iterable[Function], bits: Sequence[int]) -> int:
        """How many assignments to these bits, which must be all that they depend on, are in some sets, one that is in
        several as often: exactly, however many they are."""
        places = {bit: place for place, bit in enumerate(sorted(bits))}
        last = len(places)
        known: dict[Any, tuple[int, int]] = {self.true: (last, 1), self.false: (last, 0)}
        total = 0
        for one in functions:
            self._count_nodes(one, places, known)
            level, number = known[one]
            total += number << level
        return total

    def _count_nodes(self, one: Function, places: Mapping[int, int], known: dict[Any, tuple[int, int]]) -> None:
        """For every node its place and how many assignments to the bits from there on it has."""
        waiting = [one]
        while waiting:
            node = waiting[-1]
            if node in known:
                waiting.pop()
                continue
            bit, high, low = self.children(node) or (0, None, None)
            missing = [child for child in (high, low) if child not in known]
            if missing:
                waiting += missing
                continue
            place = places[bit]
            below = [known[child] for child in (high, low)]
            known[node] = place, sum(number << (level - place - 1) for level, number in below)
            waiting.pop()


class Oxidd(Diagrams):
    """OxiDD: diagrams with complemented edges, room for a fixed number of nodes, made at once."""

    def __init__(self, bits: int, most_bytes: int) -> None:
        from oxidd.bcdd import BCDDFunction, BCDDManager
        from oxidd.util import BooleanOperator, DDMemoryError

        nodes = max(_LEAST_NODES, min(_MOST_NODES, most_bytes // BYTES_PER_NODE))
        self._short: type[Exception] = DDMemoryError
        self._and, self._make_renaming = BooleanOperator.AND, BCDDFunction.make_substitution
        # The cache is made at once, which small models should not wait for.
        cache = 1 << 16 if bits <= _FEW_BITS else 1 << 20 if bits <= _MANY_BITS else 1 << 22
        self._manager = BCDDManager(nodes, min(cache, nodes // 4), 1)
        self._manager.add_vars(bits)
        self.capacity = nodes
        self.true, self.false = self._manager.true(), self._manager.false()
        self._bits = [self._manager.var(number) for number in range(bits)]
        self.peak = 0

    def _again(self, make: Callable[[], Made]) -> Made:
        """What could not be made, once more."""
        self._manager.gc()
        try:
            return make()
        except self._short:
            message = f"the decision diagrams need more than {self.capacity:,} nodes, for which there is memory"
            raise TooManyNodes(message) from None

    def bit(self, number: int) -> Function:
        return self._bits[number]

    def cube(self, bits: Iterable[int]) -> Function:
        found = self.true
        for number in sorted(bits, reverse=True):
            found = self.both(self._bits[number], found)
        return found

    def renaming(self, pairs: Mapping[int, int]) -> Any:
        return self._make_renaming((one, self._bits[other]) for one, other in pairs.items())

    def both(self, one: Function, other: Function) -> Function:
        try:
            return one & other
        except self._short:
            return self._again(lambda: one & other)

    def either(self, one: Function, other: Function) -> Function:
        try:
            return one | other
        except self._short:
            return self._again(lambda: one | other)

    def differ(self, one: Function, other: Function) -> Function:
        try:
            return one ^ other
        except self._short:
            return self._again(lambda: one ^ other)

    def denied(self, one: Function) -> Function:
        return ~one

    def chosen(self, bit: int, high: Function, low: Function) -> Function:
        try:
            return self._bits[bit].ite(high, low)
        except self._short:
            return self._again(lambda: self._bits[bit].ite(high, low))

    def some(self, one: Function, cube: Function) -> Function:
        try:
            return one.exists(cube)
        except self._short:
            return self._again(lambda: one.exists(cube))

    def some_of_both(self, one: Function, other: Function, cube: Function) -> Function:
        try:
            return one.apply_exists(self._and, other, cube)
        except self._short:
            return self._again(lambda: one.apply_exists(self._and, other, cube))

    def renamed(self, one: Function, renaming: Any) -> Function:
        try:
            return one.substitute(renaming)
        except self._short:
            return self._again(lambda: one.substitute(renaming))

    def children(self, one: Function) -> tuple[int, Function, Function] | None:
        cofactors = one.cofactors()
        return None if cofactors is None else (one.node_var(), cofactors[0], cofactors[1])

    def support(self, one: Function) -> frozenset[int]:
        return _support(self, one)

    def size(self, one: Function) -> int:
        return int(one.node_count())

    def nodes(self) -> int:
        now = int(self._manager.approx_num_inner_nodes())
        self.peak = max(self.peak, now)
        return now

    def collect(self) -> None:
        self._manager.gc()


class Cudd(Diagrams):
    """CUDD, by way of `dd`. The order of bits is left as it is."""

    def __init__(self, bits: int, most_bytes: int) -> None:
        from dd import cudd

        self._cudd = cudd
        self._manager = cudd.BDD(memory_estimate=most_bytes, initial_cache_size=1 << 18)
        self._manager.configure(reordering=False, max_memory=most_bytes)
        self._names = [f"b{number}" for number in range(bits)]
        self._manager.declare(*self._names)
        self.true, self.false = self._manager.true, self._manager.false
        self._most = most_bytes
        self.peak = 0

    def _tried(self, make: Callable[[], Made]) -> Made:
        try:
            return make()
        except _SHORT_OF_MEMORY:
            message = f"the decision diagrams need more than the {self._most:,} bytes of memory that they may take"
            raise TooManyNodes(message) from None

    def bit(self, number: int) -> Function:
        return self._manager.var(self._names[number])

    def cube(self, bits: Iterable[int]) -> Function:
        return [self._names[number] for number in bits]

    def renaming(self, pairs: Mapping[int, int]) -> Any:
        return {self._names[one]: self._manager.var(self._names[other]) for one, other in pairs.items()}

    def both(self, one: Function, other: Function) -> Function:
        return self._tried(lambda: one & other)

    def either(self, one: Function, other: Function) -> Function:
        return self._tried(lambda: one | other)

    def differ(self, one: Function, other: Function) -> Function:
        return self._tried(lambda: self._manager.apply("xor", one, other))

    def denied(self, one: Function) -> Function:
        return ~one

    def chosen(self, bit: int, high: Function, low: Function) -> Function:
        return self._tried(lambda: self._manager.ite(self.bit(bit), high, low))

    def some(self, one: Function, cube: Function) -> Function:
        return self._tried(lambda: self._manager.exist(cube, one))

    def some_of_both(self, one: Function, other: Function, cube: Function) -> Function:
        return self._tried(lambda: self._cudd.and_exists(one, other, cube))

    def renamed(self, one: Function, renaming: Any) -> Function:
        return self._tried(lambda: self._manager.let(renaming, one))

    def support(self, one: Function) -> frozenset[int]:
        return frozenset(int(name[1:]) for name in self._manager.support(one))

    def children(self, one: Function) -> tuple[int, Function, Function] | None:
        if one in (self.true, self.false):
            return None
        level, low, high = self._manager.succ(one)
        # An edge to the node that is complemented denies what is below.
        if one.negated:
            low, high = ~low, ~high
        return level, high, low

    def size(self, one: Function) -> int:
        return len(one)

    def nodes(self) -> int:
        now = len(self._manager)
        self.peak = max(self.peak, now)
        return now

    def collect(self) -> None:
        """CUDD does that by itself, and before it gives up."""


def make_diagrams(library: str, bits: int, most_bytes: int) -> Diagrams:
    """A manager of a library; raises `UsageError` where that is not installed."""
    kinds: dict[str, Callable[[int, int], Diagrams]] = {OXIDD: Oxidd, CUDD: Cudd}
    packages = {OXIDD: "oxidd", CUDD: "dd"}
    try:
        return kinds[library](bits, most_bytes)
    except ImportError:
        message = f"decision diagrams by {library} need the Python package '{packages[library]}': pip install"
        raise UsageError(f"{message} {packages[library]}") from None


def _support(diagrams: Diagrams, one: Function) -> frozenset[int]:
    found: set[int] = set()
    seen, waiting = {one}, [one]
    while waiting:
        node = diagrams.children(waiting.pop())
        if node is not None:
            found.add(node[0])
            fresh = {child for child in node[1:] if child not in seen}
            seen |= fresh
            waiting += fresh
    return frozenset(found)
