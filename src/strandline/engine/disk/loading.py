"""Warm-up of a search on disk: loads all machine code, because none can be compiled when memory is full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from strandline.engine.parts.expansion import Width
from strandline.engine.runtime.memory import WordArray

if TYPE_CHECKING:
    from strandline.engine.disk.expanding_kernel import DiskExpansion


def load_kernels(spread: DiskExpansion, width: Width) -> None:
    """Load every kernel for a search with these arrays and this width of states."""
    from strandline.engine.disk import expanding_kernel, marking_kernel, sorting_kernel
    from strandline.engine.runtime.jit import precompile

    words: WordArray = np.zeros(8, dtype=np.uint64)
    number, marks = np.uint64(0), np.zeros(8, dtype=np.uint8)
    run = marking_kernel.Run(words, number, number, number, number)
    precompile(expanding_kernel.expand, spread, number)
    precompile(expanding_kernel.drain, spread.pages, spread.layers, spread.work, number, words)
    precompile(expanding_kernel.drop_rows, spread.layers)
    precompile(expanding_kernel.stand_at, spread.layers, number, number)
    precompile(expanding_kernel.queue_next_roots, spread.layers)
    precompile(expanding_kernel.leave_layer, spread, number)
    precompile(sorting_kernel.put_first_words, words, number, width)
    precompile(sorting_kernel.put_hashes, words, number, width)
    precompile(sorting_kernel.sort_rows, words, width, words, words, words)
    precompile(sorting_kernel.cut_rows, words, number, number)
    precompile(sorting_kernel.drop_equal, words, width)
    precompile(sorting_kernel.merge_rows, words, words, width, words)
    precompile(sorting_kernel.drop_marked, words, number, number, marks)
    precompile(sorting_kernel.merge_states, words, words, width, words)
    precompile(marking_kernel.add_to_filter, words, width, words)
    precompile(marking_kernel.mark_known, words, width, number, words, marks)
    precompile(marking_kernel.mark_in_file, words, width, number, words, run, words, marks)
