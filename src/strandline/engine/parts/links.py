"""The compressed format of the parent log: links in blocks, often an eighth of their size.

Neighbouring records have neighbouring parents, so differences are small. A batch begins with two numbers of 32 bits:
how many links it has, and how many bytes follow. Then come the end of each block, and the blocks, of `LINK_BLOCK` links
each; the last one may be shorter. The first byte of a block is `PLAIN_LINKS` if its links are uncompressed; otherwise
it is the number of bits of a step, and the links have the format of `strandline.engine.parts.links_kernel`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from strandline.engine.runtime.codes import LINK_BLOCK, LINK_BYTES, PLAIN_LINKS
from strandline.engine.runtime.memory import WordArray

Bytes = npt.NDArray[np.uint8]

HEADER = 8
_A_FEW = 256
"""Number of links below which compression does not pay for loading its machine code."""


class Batch(NamedTuple):
    """The header of a batch."""

    links: int
    bytes: int

    @property
    def blocks(self) -> int:
        return blocks_of(self.links)


def batch_of(links: WordArray) -> Bytes:
    """Encode links as a batch."""
    if len(links) < _A_FEW:
        plain = np.ascontiguousarray(links, dtype="<u8").view(np.uint8)
        return join_blocks(len(links), np.array([1 + len(plain)]), [np.array([PLAIN_LINKS], dtype=np.uint8), plain])
    from strandline.engine.parts.links_kernel import encode

    blocks, zero = blocks_of(len(links)), np.uint64(0)
    packed: Bytes = np.empty(packed_size(len(links)), dtype=np.uint8)
    sizes: WordArray = np.zeros(blocks, dtype=np.uint64)
    end = encode(links, np.uint64(len(links)), zero, np.uint64(blocks), packed, zero, sizes)
    return join_blocks(len(links), sizes, [packed[: int(end)]])


def blocks_of(links: int) -> int:
    """Return the number of blocks of so many links."""
    return -(-links // LINK_BLOCK)


def packed_size(links: int) -> int:
    """Return the most bytes that so many links take, without the header of their batch."""
    return LINK_BYTES * links + blocks_of(links)


def join_blocks(links: int, sizes: npt.NDArray[Any], pieces: Sequence[Bytes]) -> Bytes:
    """Make a batch of encoded blocks, which have these sizes and lie in the pieces one after the other."""
    ends = np.cumsum(sizes).astype("<u4")
    header = np.array([links, ends.nbytes + sum(len(piece) for piece in pieces)], dtype="<u4")
    return np.concatenate((header.view(np.uint8), ends.view(np.uint8), *pieces))


def header_of(data: bytes) -> Batch:
    """Decode the header of a batch."""
    return Batch(*np.frombuffer(data, dtype="<u4").tolist())


def links_of(block: Bytes, count: int) -> WordArray | None:
    """Decode the links of a block; return None if it is damaged."""
    if len(block) and block[0] == PLAIN_LINKS:
        plain = block[1:].tobytes()
        return np.frombuffer(plain, dtype="<u8").astype(np.uint64) if len(plain) == 8 * count else None
    from strandline.engine.parts.links_kernel import expand

    links: WordArray = np.empty(count, dtype=np.uint64)
    return links if len(block) and expand(block, links) == len(block) else None


def load_kernels() -> None:
    """Load or compile the machine code of both directions."""
    batch = batch_of(np.zeros(_A_FEW, dtype=np.uint64))
    # Data from a file are a read-only array: another type for the compiler.
    links_of(np.frombuffer(batch[HEADER + 4 :].tobytes(), dtype=np.uint8), _A_FEW)
