"""The interface to a library of binary decision diagrams (BDDs), and its two implementations.

A *function* is a BDD: a set of assignments to bits, as an object of the library. Bits are numbered in the variable
order. Every operation that may run out of memory is a method here, so that one place handles it: collect dead nodes,
try once more, and then raise `ResourceError`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from strandline.errors import ResourceError, UsageError

Function = Any
"""A BDD. Two of the same manager are equal exactly if they are the same set."""
Made = TypeVar("Made")

OXIDD, CUDD = "oxidd", "cudd"
LIBRARIES = (OXIDD, CUDD)

BYTES_PER_NODE = 32
"""Bytes of a node, including its place in the unique table."""
_SHORT_OF_MEMORY = (MemoryError, RuntimeError, ValueError)
"""The exceptions that `dd` raises where CUDD could not allocate a node."""
_FEW_BITS, _MANY_BITS = 100, 1000
_LEAST_NODES, _MOST_NODES = 1 << 16, 1 << 30


class TooManyNodes(ResourceError):
    """Raised when the BDDs need more memory than they may take."""


class Diagrams(ABC):
    """A BDD manager with a fixed number of bits. `true` and `false` are the sets of all and of no assignments."""

    true: Function
    false: Function
    peak: int
    """Most nodes seen at a call of `nodes`."""

    @abstractmethod
    def bit(self, number: int) -> Function:
        """Return the assignments in which a bit is set."""

    @abstractmethod
    def cube(self, bits: Iterable[int]) -> Function:
        """Make the cube of the bits to quantify over."""

    @abstractmethod
    def renaming(self, pairs: Mapping[int, int]) -> Any:
        """Make a substitution of bits for `rename`.

        It must keep the relative order of the bits.
        """

    @abstractmethod
    def and_(self, one: Function, other: Function) -> Function: ...

    @abstractmethod
    def or_(self, one: Function, other: Function) -> Function: ...

    @abstractmethod
    def xor(self, one: Function, other: Function) -> Function: ...

    @abstractmethod
    def not_(self, one: Function) -> Function: ...

    @abstractmethod
    def ite(self, bit: int, high: Function, low: Function) -> Function:
        """Return `high` where a bit is set and `low` where it is not."""

    @abstractmethod
    def exists(self, one: Function, cube: Function) -> Function:
        """Quantify the bits of the cube existentially."""

    @abstractmethod
    def and_exists(self, one: Function, other: Function, cube: Function) -> Function:
        """Return `exists(and_(one, other), cube)` without building the conjunction."""

    @abstractmethod
    def rename(self, one: Function, renaming: Any) -> Function: ...

    @abstractmethod
    def support(self, one: Function) -> frozenset[int]:
        """Return the bits on which a function depends."""

    @abstractmethod
    def children(self, one: Function) -> tuple[int, Function, Function] | None:
        """Return the top bit and the cofactors where it is set and where it is not; None for a constant."""

    @abstractmethod
    def size(self, one: Function) -> int:
        """Return the number of nodes of a function."""

    @abstractmethod
    def nodes(self) -> int:
        """Return the number of nodes in the manager, dead ones included."""

    @abstractmethod
    def collect(self) -> None:
        """Free dead nodes."""

    def all_of(self, functions: Iterable[Function]) -> Function:
        """Return the conjunction of functions."""
        return self._reduce_pairwise(self.and_, list(functions), self.true)

    def any_of(self, functions: Iterable[Function]) -> Function:
        """Return the disjunction of functions."""
        return self._reduce_pairwise(self.or_, list(functions), self.false)

    def _reduce_pairwise(
        self, join: Callable[[Function, Function], Function], functions: list[Function], neutral: Function
    ) -> Function:
        """Combine functions as a balanced tree, which keeps intermediate results small."""
        while len(functions) > 1:
            pairs = zip(functions[::2], functions[1::2], strict=False)
            joined = [join(one, other) for one, other in pairs]
            functions = joined + (functions[-1:] if len(functions) % 2 else [])
        return functions[0] if functions else neutral

    def code(self, bits: Sequence[int], value: int) -> Function:
        """Return the assignments in which the bits encode a number, most significant bit first."""
        found = self.true
        for place, bit in enumerate(reversed(bits)):
            one = self.bit(bit)
            found = self.and_(one if value >> place & 1 else self.not_(one), found)
        return found

    def contains(self, one: Function, assignment: Callable[[int], bool]) -> bool:
        """Return True if an assignment is in the set."""
        while (node := self.children(one)) is not None:
            bit, high, low = node
            one = high if assignment(bit) else low
        return bool(one == self.true)

    def member(self, one: Function) -> dict[int, bool] | None:
        """Return an assignment in the set, to the bits that matter; None for the empty set."""
        if one == self.false:
            return None
        found = {}
        while (node := self.children(one)) is not None:
            bit, high, low = node
            found[bit] = low == self.false
            one = high if found[bit] else low
        return found

    def count(self, functions: Iterable[Function], bits: Sequence[int]) -> int:
        """Count the assignments to `bits` that are in the functions, exactly; add up over all functions.

        `bits` must include every bit on which a function depends.
        """
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
        """Compute for every node its level and the number of satisfying assignments from that level on."""
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
    """OxiDD: BDDs with complemented edges; the node table has a fixed size and is allocated at once."""

    def __init__(self, bits: int, most_bytes: int) -> None:
        from oxidd.bcdd import BCDDFunction, BCDDManager
        from oxidd.util import BooleanOperator, DDMemoryError

        nodes = max(_LEAST_NODES, min(_MOST_NODES, most_bytes // BYTES_PER_NODE))
        self._memory_error: type[Exception] = DDMemoryError
        self._and, self._make_renaming = BooleanOperator.AND, BCDDFunction.make_substitution
        # The operation cache is allocated at once: keep it small for small models.
        cache = 1 << 16 if bits <= _FEW_BITS else 1 << 20 if bits <= _MANY_BITS else 1 << 22
        self._manager = BCDDManager(nodes, min(cache, nodes // 4), 1)
        self._manager.add_vars(bits)
        self.capacity = nodes
        self.true, self.false = self._manager.true(), self._manager.false()
        self._bits = [self._manager.var(number) for number in range(bits)]
        self.peak = 0

    def _retry_after_collecting(self, make: Callable[[], Made]) -> Made:
        """Collect dead nodes and repeat an operation that ran out of memory.

        Raises `TooManyNodes` if it fails again.
        """
        self._manager.gc()
        try:
            return make()
        except self._memory_error:
            message = f"the BDDs need more than the {self.capacity:,} nodes that fit in the memory limit"
            raise TooManyNodes(message) from None

    def bit(self, number: int) -> Function:
        return self._bits[number]

    def cube(self, bits: Iterable[int]) -> Function:
        found = self.true
        for number in sorted(bits, reverse=True):
            found = self.and_(self._bits[number], found)
        return found

    def renaming(self, pairs: Mapping[int, int]) -> Any:
        return self._make_renaming((one, self._bits[other]) for one, other in pairs.items())

    def and_(self, one: Function, other: Function) -> Function:
        try:
            return one & other
        except self._memory_error:
            return self._retry_after_collecting(lambda: one & other)

    def or_(self, one: Function, other: Function) -> Function:
        try:
            return one | other
        except self._memory_error:
            return self._retry_after_collecting(lambda: one | other)

    def xor(self, one: Function, other: Function) -> Function:
        try:
            return one ^ other
        except self._memory_error:
            return self._retry_after_collecting(lambda: one ^ other)

    def not_(self, one: Function) -> Function:
        return ~one

    def ite(self, bit: int, high: Function, low: Function) -> Function:
        try:
            return self._bits[bit].ite(high, low)
        except self._memory_error:
            return self._retry_after_collecting(lambda: self._bits[bit].ite(high, low))

    def exists(self, one: Function, cube: Function) -> Function:
        try:
            return one.exists(cube)
        except self._memory_error:
            return self._retry_after_collecting(lambda: one.exists(cube))

    def and_exists(self, one: Function, other: Function, cube: Function) -> Function:
        try:
            return one.apply_exists(self._and, other, cube)
        except self._memory_error:
            return self._retry_after_collecting(lambda: one.apply_exists(self._and, other, cube))

    def rename(self, one: Function, renaming: Any) -> Function:
        try:
            return one.substitute(renaming)
        except self._memory_error:
            return self._retry_after_collecting(lambda: one.substitute(renaming))

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
    """CUDD, through `dd`, without dynamic reordering."""

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

    def _guarded_call(self, make: Callable[[], Made]) -> Made:
        try:
            return make()
        except _SHORT_OF_MEMORY:
            message = f"the BDDs need more than their memory limit of {self._most:,} bytes"
            raise TooManyNodes(message) from None

    def bit(self, number: int) -> Function:
        return self._manager.var(self._names[number])

    def cube(self, bits: Iterable[int]) -> Function:
        return [self._names[number] for number in bits]

    def renaming(self, pairs: Mapping[int, int]) -> Any:
        return {self._names[one]: self._manager.var(self._names[other]) for one, other in pairs.items()}

    def and_(self, one: Function, other: Function) -> Function:
        return self._guarded_call(lambda: one & other)

    def or_(self, one: Function, other: Function) -> Function:
        return self._guarded_call(lambda: one | other)

    def xor(self, one: Function, other: Function) -> Function:
        return self._guarded_call(lambda: self._manager.apply("xor", one, other))

    def not_(self, one: Function) -> Function:
        return ~one

    def ite(self, bit: int, high: Function, low: Function) -> Function:
        return self._guarded_call(lambda: self._manager.ite(self.bit(bit), high, low))

    def exists(self, one: Function, cube: Function) -> Function:
        return self._guarded_call(lambda: self._manager.exist(cube, one))

    def and_exists(self, one: Function, other: Function, cube: Function) -> Function:
        return self._guarded_call(lambda: self._cudd.and_exists(one, other, cube))

    def rename(self, one: Function, renaming: Any) -> Function:
        return self._guarded_call(lambda: self._manager.let(renaming, one))

    def support(self, one: Function) -> frozenset[int]:
        return frozenset(int(name[1:]) for name in self._manager.support(one))

    def children(self, one: Function) -> tuple[int, Function, Function] | None:
        if one in (self.true, self.false):
            return None
        level, low, high = self._manager.succ(one)
        # A complemented edge to the node negates both cofactors.
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
        """Do nothing: CUDD collects dead nodes by itself before it gives up."""


def make_diagrams(library: str, bits: int, most_bytes: int) -> Diagrams:
    """Make the manager of a library.

    Raises `UsageError` if the library is not installed.
    """
    kinds: dict[str, Callable[[int, int], Diagrams]] = {OXIDD: Oxidd, CUDD: Cudd}
    packages = {OXIDD: "oxidd", CUDD: "dd"}
    try:
        return kinds[library](bits, most_bytes)
    except ImportError:
        message = f"BDDs by {library} need the Python package '{packages[library]}': pip install"
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
