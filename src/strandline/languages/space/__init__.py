"""Explicit state spaces: the `.ss` files of Lilleskare's thesis (docs/papers.md, 000, §7.4.1).

    1 7 2 !p !q * 2
    2 8 2 p !q * 1 RP2 2

One line for each state: its name, its progress value, the number of propositions and the truth of each, then pairs of
an action and the name of the successor. The first line is the initial state; `*` is an action without a name. The
System has one variable, `state`, and looks up successors, progress and propositions in tables, so that a large file
compiles as fast as a small one. Claims can use `progress` and the propositions; `progress` is also the declared
measure, monotone if no edge of the file decreases it.
"""

from __future__ import annotations

from strandline.languages.space.loading import load

__all__ = ["load"]
