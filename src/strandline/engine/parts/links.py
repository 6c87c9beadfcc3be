"""The compressed format of the parent log: links in blocks, often an eighth of their size.

Neighbouring records have neighbouring parents, so differences are small. A batch begins with two numbers of 32 bits:
how many links it has, and how many bytes follow. Then come the end of each block, and the blocks, of `BLOCK` links
each; the last one may be shorter. The first byte of a block is `PLAIN` if its links are uncompressed; otherwise it is
the number of bits of a step, and the links have the format of `strandline.engine.parts.links_kernel`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from strandline.engine.runtime.memory import WordArray

Bytes = npt.NDArray[np.uint8]

BLOCK = 1 << 12
HEADER = 8
PLAIN = 255
_A_FEW = 256
"""Number of links below which compression does not pay for loading its machine code."""


class Batch(NamedTuple):
    """The header of a batch."""

    links: int
    bytes: int

    @property
    def blocks(self) -> int:
        return -(-self.links // BLOCK)


def batch_of(links: WordArray) -> Bytes:
    """Encode links as a batch."""
    blocks = [_block(links[first : first + BLOCK]) for first in range(0, len(links), BLOCK)]
    ends = np.cumsum([len(block) for block in blocks], dtype="<u4")
    header = np.array([len(links), ends.nbytes + int(ends[-1])], dtype="<u4")
    return np.concatenate((header.view(np.uint8), ends.view(np.uint8), *blocks))


def header_of(data: bytes) -> Batch:
    """Decode the header of a batch."""
    return Batch(*np.frombuffer(data, dtype="<u4").tolist())


def links_of(block: Bytes, count: int) -> WordArray | None:
    """Decode the links of a block; return None if it is damaged."""
    if len(block) and block[0] == PLAIN:
        plain = block[1:].tobytes()
        return np.frombuffer(plain, dtype="<u8").astype(np.uint64) if len(plain) == 8 * count else None
    from strandline.engine.parts.links_kernel import expand

    links: WordArray = np.empty(count, dtype=np.uint64)
    return links if len(block) and expand(block, links) == len(block) else None


def _block(links: WordArray) -> Bytes:
    """Encode one block of links."""
    if len(links) >= _A_FEW:
        from strandline.engine.parts.links_kernel import MOST_BYTES, compress

        packed: Bytes = np.empty(1 + MOST_BYTES * len(links), dtype=np.uint8)
        size = int(compress(links, packed))
        if 0 < size <= links.nbytes:
            return packed[:size]
    head = np.array([PLAIN], dtype=np.uint8)
    return np.concatenate((head, np.ascontiguousarray(links, dtype="<u8").view(np.uint8)))


def load_kernels() -> None:
    """Load or compile the machine code of both directions."""
    block = _block(np.zeros(_A_FEW, dtype=np.uint64))
    # Data from a file are a read-only array: another type for the compiler.
    links_of(np.frombuffer(block.tobytes(), dtype=np.uint8), _A_FEW)
