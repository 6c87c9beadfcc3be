"""Warm-up of a search on disk: loads all machine code, because none can be compiled when memory is full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from strandline.engine.parts.expansion import Width
from strandline.engine.runtime.memory import WordArray

if TYPE_CHECKING:
    from strandline.engine.disk.expanding_kernel import Spread


def load_kernels(spread: Spread, width: Width) -> None:
    """Load every kernel for a search with these arrays and this width of states."""
    from strandline.engine.disk import expanding_kernel, marking_kernel, sorting_kernel
    from strandline.engine.runtime.jit import prepare

    words: WordArray = np.zeros(8, dtype=np.uint64)
    number, marks = np.uint64(0), np.zeros(8, dtype=np.uint8)
    run = marking_kernel.Run(words, number, number, number, number)
    prepare(expanding_kernel.expand, spread, number)
    prepare(expanding_kernel.drain, spread.pages, spread.layers, spread.work, number, words)
    prepare(expanding_kernel.drop_rows, spread.layers)
    prepare(expanding_kernel.stand_at, spread.layers, number, number)
    prepare(expanding_kernel.wake, spread.layers)
    prepare(expanding_kernel.leave, spread, number)
    prepare(sorting_kernel.put_first_words, words, number, width)
    prepare(sorting_kernel.put_hashes, words, number, width)
    prepare(sorting_kernel.sort_rows, words, width, words, words, words)
    prepare(sorting_kernel.cut_rows, words, number, number)
    prepare(sorting_kernel.drop_equal, words, width)
    prepare(sorting_kernel.merge_rows, words, words, width, words)
    prepare(sorting_kernel.drop_marked, words, number, number, marks)
    prepare(sorting_kernel.merge_states, words, words, width, words)
    prepare(marking_kernel.note_states, words, width, words)
    prepare(marking_kernel.mark_known, words, width, number, words, marks)
    prepare(marking_kernel.mark_in_file, words, width, number, words, run, words, marks)
