"""Containers are made empty by assigning []: as plain Python, in the interpreter and as machine code."""

from __future__ import annotations

import pytest
from programs import define
from test_three_ways import compare

from strandline.errors import ModelError
from strandline.languages.python.loading.lowering import to_system

TEXT = """
class Random(Model):
    boxes: Array[Fifo[Range[0, 3], 2], 2]
    bag: Bag[Range[0, 3], 2]
    some: Set[Range[0, 3]]

    @action
    def fill(m, i: Range[0, 1], x: Range[1, 2]):
        m.boxes[i].put(x)
        m.bag.put(x)
        m.some.add(x)

    @action
    def empty_all(m):
        require(m.boxes[0].full)
        m.boxes = [[], []]
        m.bag = []
        m.some = []
"""


def test_an_empty_list_empties_every_container() -> None:
    assert compare(TEXT, 200) == 21


def test_other_lists_are_not_assigned() -> None:
    message = r"Bag\[Range\[0, 3\], 2\] can only be assigned another Bag\[Range\[0, 3\], 2\], or \[\] to make it empty"
    with pytest.raises(ModelError, match=message):
        to_system(define(TEXT.replace("m.bag = []", "m.bag = [1]")))
