"""The table of the state stores that a user can choose: what each is called, what it can do and which part it makes.

The command line, the refusals, `info --combinations`, the searches and the tests' suite read it. It imports no array
library: the command line needs the names before anything is searched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strandline.compile.kernel import Kernel
    from strandline.engine.store.parts import StorePart


DEFAULT_TABLE_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class StoreDemands:
    """What a search demands of its store.

    `numbered`: a lookup returns the number of a stored state, which only whole states have. `table_bytes`: the size of
    a table that does not grow.
    """

    numbered: bool = False
    table_bytes: int = DEFAULT_TABLE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreKind:
    """A kind of store: a value of the option `store`."""

    name: str
    title: str
    """As reports call it."""
    help: str
    make: Callable[[Kernel, StoreDemands], StorePart]
    """Makes the part that owns the arrays."""
    whole: bool = False
    """Stores whole states, at least to begin with. Only such stores serve observers and orders but breadth-first."""
    lossy: bool = False
    """May lose states; `StorePart.omissions` says how many."""
    threads: bool = True
    """Several threads can insert at once."""
    sized: bool = False
    """The size of the table is an option."""
    balanced_words: bool = False
    """Compresses better if the information is spread evenly over the words of a state."""
    fallback: str | None = None
    """The kind that replaces it when memory is full."""
    reference: str
    """Where the technique is described."""

    @property
    def orders(self) -> tuple[str, ...] | None:
        """The orders of search that can use it; None for all."""
        return None if self.whole else ("bfs",)


def _whole_states(kernel: Kernel, demands: StoreDemands) -> StorePart:
    from strandline.engine.parts.expansion import width_of
    from strandline.engine.store.parts import TablePart

    if kernel.words == 1 and not demands.numbered:
        # A state of one word is shorter as a quotient than as an entry and a slot that refers to it.
        return _trees(kernel, demands)
    part = TablePart(width_of(kernel), numbered=demands.numbered)
    # A search with whole states can fall back to another store; the others cannot.
    part.use_last_memory = demands.numbered
    return part


def _trees(kernel: Kernel, _: StoreDemands) -> StorePart:
    from strandline.engine.parts.expansion import width_of
    from strandline.engine.store.tree import TreePart

    return TreePart(width_of(kernel), bits=kernel.bits)


def _hashes(kernel: Kernel, _: StoreDemands) -> StorePart:
    from strandline.engine.parts.expansion import width_of
    from strandline.engine.store.parts import TablePart

    return TablePart(width_of(kernel), compact=True)


def _bits(kernel: Kernel, demands: StoreDemands) -> StorePart:
    from strandline.engine.parts.expansion import width_of
    from strandline.engine.store.parts import BitsPart

    return BitsPart(width_of(kernel), size=demands.table_bytes)


TREE = StoreKind(
    name="tree",
    title="tree compression",
    help="tree compression, exact in less memory",
    make=_trees,
    threads=False,
    balanced_words=True,
    reference="Laarman, van de Pol and Weber 2011; ADR 25",
)
AUTO = StoreKind(
    name="auto",
    title="whole states",
    help="whole states, then tree compression when the memory limit is reached (default)",
    make=_whole_states,
    whole=True,
    fallback=TREE.name,
    reference="ADR 3",
)
EXACT = StoreKind(
    name="exact", title="whole states", help="whole states", make=_whole_states, whole=True, reference="ADR 3"
)
COMPACT = StoreKind(
    name="compact",
    title="hash compaction",
    help="hash compaction, 63 bits a state",
    make=_hashes,
    lossy=True,
    reference="Wolper and Leroy 1993",
)
BITSTATE = StoreKind(
    name="bitstate",
    title="bitstate hashing",
    help="three bits a state in a table of fixed size",
    make=_bits,
    lossy=True,
    threads=False,
    sized=True,
    reference="Holzmann 1998, 003 §3",
)
KINDS = (AUTO, EXACT, TREE, COMPACT, BITSTATE)
"""All kinds; the first is the default."""


def store_kind(name: str) -> StoreKind:
    """Return the kind of this name. Raises `KeyError` if there is none."""
    return {kind.name: kind for kind in KINDS}[name]


def names_of(test: Callable[[StoreKind], bool]) -> tuple[str, ...]:
    """Return the names of the kinds that pass a test."""
    return tuple(kind.name for kind in KINDS if test(kind))


def help_text() -> str:
    """Return the help of the option `store`."""
    lossy, special = names_of(lambda kind: kind.lossy), names_of(lambda kind: not kind.whole)
    return (
        "; ".join(f"{kind.name}: {kind.help}" for kind in KINDS)
        + f". {_listed(lossy)} may lose states, and report how likely that is; {_listed(special)} are for "
        "breadth-first search"
    )


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
