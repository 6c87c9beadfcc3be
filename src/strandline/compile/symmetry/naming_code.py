"""Emit LLVM IR for the order of names that `naming` defines.

The state of the computation is a frame of 64-bit words: for every name its key, its next key, its position, the name at
each position, and whether it shares an entry with another name; for every entry its bits and the name that it holds.

    @refine_keys    one round of key refinement
    @order_names    permutes the words of one state, in place, into the order of its names
"""

from __future__ import annotations

from collections.abc import Iterator

from strandline.analysis.symmetry.permutation import Family
from strandline.compile.llvm.function import Function
from strandline.compile.symmetry.naming import HELD, ITSELF, PARTS, ROUNDS, SHIFT, SPREAD, TAKEN, WORD, Entry, Naming


class _Frame:
    """Offsets of the arrays in the stack frame of the emitted functions."""

    def __init__(self, naming: Naming) -> None:
        names, entries = naming.total + 1, sum(map(len, naming.entries))
        self.keys, self.next, self.becomes, self.comes, self.related = (names * part for part in range(5))
        self.values = 5 * names
        self.held = self.values + entries
        self.size = self.held + entries


def naming_functions(naming: Naming) -> dict[str, str]:
    """Return the LLVM functions by name."""
    writing = _Emitter(naming)
    return {"refined": writing.refine_keys(), "renamed": writing.order_names()}


class _Emitter:
    def __init__(self, naming: Naming) -> None:
        self._naming, self._frame = naming, _Frame(naming)
        self._firsts = [sum(map(len, naming.entries[:number])) for number in range(len(naming.entries))]

    def _number_entries(self) -> Iterator[tuple[int, Entry]]:
        return enumerate(entry for family in self._naming.entries for entry in family)

    # Keys

    def refine_keys(self) -> str:
        code = Function("define internal void @refine_keys(ptr %frame) nounwind noinline")
        frame, names = self._frame, self._naming.total
        for name in range(names):
            _store(code, frame.next + name, _load(code, frame.keys + name))
        for number, entry in self._number_entries():
            self._hash_entry(code, number, entry)
        for name in range(names):
            _store(code, frame.keys + name, _mix(code, _load(code, frame.next + name)))
        code.do("ret void")
        return code.text()

    def _hash_entry(self, code: Function, number: int, entry: Entry) -> None:
        """Hash an entry into the next keys of its names."""
        frame = self._frame
        hash_, name = _load(code, frame.values + number), ""
        if entry.held is not None:
            name = _load(code, frame.held + number)
            none = code.value(f"icmp eq i64 {name}, {self._naming.total}")
            hash_ = code.value(f"select i1 {none}, i64 {hash_}, i64 {_as_signed(HELD)}")
        hash_ = _mix(code, code.value(f"add i64 {hash_}, {_as_signed(entry.seed)}"))
        for other in entry.names:
            hash_ = _mix(code, code.value(f"add i64 {hash_}, {_load(code, frame.keys + other)}"))
        if entry.held is not None:
            hash_ = code.value(f"add i64 {hash_}, {_load_at(code, frame.keys, name)}")
            for part, other in enumerate(entry.names):
                same = code.value(f"icmp eq i64 {name}, {other}")
                itself = code.value(f"select i1 {same}, i64 {_as_signed(ITSELF * PARTS[part])}, i64 0")
                hash_ = code.value(f"add i64 {hash_}, {itself}")
            hash_ = _mix(code, hash_)
            self._add(code, name, hash_, PARTS[2])
        for part, other in enumerate(entry.names):
            self._add(code, str(other), hash_, PARTS[part])

    def _add(self, code: Function, name: str, hash_: str, factor: int) -> None:
        place = _place(code, self._frame.next, name)
        amount = code.value(f"mul i64 {hash_}, {_as_signed(factor)}")
        total = code.value(f"add i64 {code.value(f'load i64, ptr {place}')}, {amount}")
        code.do(f"store i64 {total}, ptr {place}")

    # The order, and the state in it

    def order_names(self) -> str:
        code = Function("define internal void @order_names(ptr %record) nounwind")
        code.do(f"%frame = alloca [{self._frame.size} x i64], align 8")
        self._unpack_block(code)
        for _ in range(ROUNDS):
            code.do("call void @refine_keys(ptr %frame)")
        for base, size in zip(self._naming.bases, self._naming.sizes, strict=True):
            self._order_names(code, base, size)
        self._pack(code)
        code.do("ret void")
        return code.text()

    def _unpack_block(self, code: Function) -> None:
        frame, naming = self._frame, self._naming
        for name in range(naming.total + 1):
            _store(code, frame.keys + name, "0")
            _store(code, frame.becomes + name, "-1")
            _store(code, frame.related + name, str(int(name in naming.always_related)))
        words = _words(code, sorted({entry.bits.word for _, entry in self._number_entries()}))
        for number, entry in self._number_entries():
            bits = entry.bits
            shifted = code.value(f"lshr i64 {words[bits.word]}, {bits.shift}")
            value = code.value(f"and i64 {shifted}, {_as_signed(bits.mask)}")
            _store(code, frame.values + number, value)
            if entry.held is not None:
                self._store_held(code, number, entry, value)

    def _store_held(self, code: Function, number: int, entry: Entry, value: str) -> None:
        assert entry.held is not None
        base, size, above = entry.held
        rank = code.value(f"add i64 {value}, {above}")
        some = code.value(f"icmp ult i64 {rank}, {size}")
        name = code.value(f"select i1 {some}, i64 {code.value(f'add i64 {rank}, {base}')}, i64 {self._naming.total}")
        _store(code, self._frame.held + number, name)
        for other in entry.names:
            another = code.value(f"icmp ne i64 {name}, {other}")
            related = code.value(f"zext i1 {code.value(f'and i1 {some}, {another}')} to i64")
            for one in (str(other), name):
                place = _place(code, self._frame.related, one)
                known = code.value(f"or i64 {code.value(f'load i64, ptr {place}')}, {related}")
                code.do(f"store i64 {known}, ptr {place}")

    def _order_names(self, code: Function, base: int, size: int) -> None:
        """Select the names of a set one after the other."""
        before, loop, again, following, done = code.block, *(code.label() for _ in range(4))
        position, after = f"%position{base}", f"%after{base}"
        code.jump(loop)
        code.start(loop)
        code.do(f"{position} = phi i64 [ 0, %{before} ], [ {after}, %{following} ]")
        best, key, alike = self._find_least(code, base, size)
        _store_at(code, self._frame.becomes, best, position)
        _store_at(code, self._frame.comes + base, position, code.value(f"sub i64 {best}, {base}"))
        matters = code.value(f"icmp ne i64 {_load_at(code, self._frame.related, best)}, 0")
        code.branch(code.value(f"and i1 {alike}, {matters}"), again, following)
        code.start(again)
        _store_at(code, self._frame.keys, best, _mix(code, code.value(f"xor i64 {key}, {_as_signed(TAKEN)}")))
        code.do("call void @refine_keys(ptr %frame)")
        code.jump(following)
        code.start(following)
        code.do(f"{after} = add i64 {position}, 1")
        code.branch(code.value(f"icmp ult i64 {after}, {size}"), loop, done)
        code.start(done)

    def _find_least(self, code: Function, base: int, size: int) -> tuple[str, str, str]:
        """Find the first unselected name with the least key; return it, the key, and whether the key is ambiguous."""
        frame = self._frame
        best, key, alike, some = str(base), "0", "false", "false"
        for name in range(base, base + size):
            waits = code.value(f"icmp eq i64 {_load(code, frame.becomes + name)}, -1")
            own = _load(code, frame.keys + name)
            least = code.value(f"icmp ult i64 {own}, {key}")
            first = code.value(f"xor i1 {some}, true")
            better = code.value(f"and i1 {waits}, {code.value(f'or i1 {least}, {first}')}")
            same = code.value(f"and i1 {waits}, {code.value(f'icmp eq i64 {own}, {key}')}")
            same = code.value(f"and i1 {same}, {some}")
            alike = code.value(f"or i1 {alike}, {same}")
            alike = code.value(f"select i1 {better}, i1 false, i1 {alike}")
            best = code.value(f"select i1 {better}, i64 {name}, i64 {best}")
            key = code.value(f"select i1 {better}, i64 {own}, i64 {key}")
            some = code.value(f"or i1 {some}, {waits}")
        return best, key, alike

    def _pack(self, code: Function) -> None:
        cleared: dict[int, int] = {}
        for _, entry in self._number_entries():
            cleared[entry.bits.word] = cleared.get(entry.bits.word, 0) | entry.bits.mask << entry.bits.shift
        words = _words(code, sorted(cleared))
        for word, mask in cleared.items():
            words[word] = code.value(f"and i64 {words[word]}, {_as_signed(~mask & WORD)}")
        for number, (family, entries) in enumerate(zip(self._naming.families, self._naming.entries, strict=True)):
            for (coordinates, _), entry in zip(family.places(), entries, strict=True):
                value = self._incoming_bits(code, self._firsts[number], family, coordinates, entry)
                there = code.value(f"shl i64 {value}, {entry.bits.shift}")
                words[entry.bits.word] = code.value(f"or i64 {words[entry.bits.word]}, {there}")
        for word, value in words.items():
            code.do(f"store i64 {value}, ptr {code.value(f'getelementptr i64, ptr %record, i64 {word}')}")

    def _incoming_bits(
        self, code: Function, first: int, family: Family, coordinates: tuple[int, ...], entry: Entry
    ) -> str:
        """Return the bits of an entry after the permutation."""
        frame, place = self._frame, "0"
        for one, position, size in zip(family.sets, coordinates, family.sizes, strict=True):
            rank = _load(code, frame.comes + self._naming.bases[one] + position)
            place = code.value(f"add i64 {code.value(f'mul i64 {place}, {size}')}, {rank}")
        value = _load_at(code, frame.values + first, place)
        if entry.held is None:
            return value
        name = _load_at(code, frame.held + first, place)
        none = code.value(f"icmp eq i64 {name}, {self._naming.total}")
        become = code.value(f"sub i64 {_load_at(code, frame.becomes, name)}, {entry.held[2]}")
        return code.value(f"select i1 {none}, i64 {value}, i64 {become}")


def _words(code: Function, words: list[int]) -> dict[int, str]:
    """Load the words of the state."""
    return {
        word: code.value(f"load i64, ptr {code.value(f'getelementptr i64, ptr %record, i64 {word}')}") for word in words
    }


def _place(code: Function, first: int, number: str) -> str:
    if number.isdigit():
        return code.value(f"getelementptr i64, ptr %frame, i64 {first + int(number)}")
    return code.value(f"getelementptr i64, ptr %frame, i64 {code.value(f'add i64 {number}, {first}')}")


def _load(code: Function, place: int) -> str:
    return _load_at(code, place, "0")


def _load_at(code: Function, first: int, number: str) -> str:
    return code.value(f"load i64, ptr {_place(code, first, number)}")


def _store(code: Function, place: int, value: str) -> None:
    _store_at(code, place, "0", value)


def _store_at(code: Function, first: int, number: str, value: str) -> None:
    code.do(f"store i64 {value}, ptr {_place(code, first, number)}")


def _mix(code: Function, key: str) -> str:
    key = code.value(f"mul i64 {key}, {_as_signed(SPREAD)}")
    key = code.value(f"xor i64 {key}, {code.value(f'lshr i64 {key}, {SHIFT}')}")
    return code.value(f"mul i64 {key}, {_as_signed(SPREAD)}")


def _as_signed(number: int) -> int:
    """Return a word as a signed decimal, as LLVM writes it."""
    number &= WORD
    return number - (1 << 64) if number >> 63 else number
