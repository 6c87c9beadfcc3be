"""BEEM's bounded retransmission protocol with other bounds: brp.8, of which the shared set has counts but no text.

The shared instances differ in two numbers: how many packets a file has at most, and how often a packet is sent again.
The states and transitions of brp.1 to brp.6 are polynomials in both; those of 80 and 50 are 1,526,547,707 and
3,207,513,490, as published for brp.8, and no other numbers have both.
"""

from __future__ import annotations

import re
from pathlib import Path

STATES, TRANSITIONS = 1_526_547_707, 3_207_513_490
_PACKETS, _AGAIN = 80, 50
_LENGTH = re.compile(r"^\s*ready -> start_send \{ effect prod_n = \d+; \},\n", re.MULTILINE)


def brp_8(sibling: Path) -> str:
    """The text of brp.8, made from that of brp.6."""
    text = sibling.read_text()
    first = _LENGTH.search(text)
    if first is None:
        raise ValueError(f"{sibling}: not the protocol that was looked for")
    lengths = "".join(f"  ready -> start_send {{ effect prod_n = {count}; }},\n" for count in range(1, _PACKETS + 1))
    text = text[: first.start()] + lengths + _LENGTH.sub("", text[first.start() :])
    return re.sub(r"counter (==|<) \d+", rf"counter \1 {_AGAIN}", text)
