"""Containers are given what they hold by assigning lists: as plain Python, in the interpreter and as machine code."""

from __future__ import annotations

import pytest
from programs import define
from test_three_ways import compare_everywhere

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
    def anew(m):
        require(m.boxes[0].full)
        m.boxes = [[], []]
        m.bag = []
        m.some = []
"""


@pytest.mark.parametrize(
    ("boxes", "states"), [("[[], []]", 17), ("[[], [3]]", 30), ("[[m.boxes[0].head], []]", 43), ("[[], [1, 1, 1]]", 17)]
)
def test_lists_for_an_array_of_queues(boxes: str, states: int) -> None:
    assert compare_everywhere(define(TEXT.replace("[[], []]", boxes))(), 200)[1] == states


def test_a_list_of_another_length_is_refused() -> None:
    with pytest.raises(ModelError, match=r"Array\[Fifo\[Range\[0, 3\], 2\], 2\] needs 2 values"):
        to_system(define(TEXT.replace("[[], []]", "[[], [], []]")))
