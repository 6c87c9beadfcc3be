"""State spaces written out: the `.ss` files of the sweep-line thesis (000 §7.4.1, listing 8.2).

    1 7 2 !p !q * 2
    2 8 2 p !q * 1 RP2 2

One line for each state: its name, its progress, how many propositions there are and the truth of each, then, in turn,
actions and the names of the states that they lead to. The first line is the initial state; `*` is an action without a
name. The System has one variable, `state`; what a line says is looked up in tables, so that a large file compiles as
fast as a small one. In claims `progress` and the propositions are names, and the progress is the measure that the model
declares: monotone if no edge of the file decreases it.
"""

from __future__ import annotations

from strandline.languages.space.loading import load

__all__ = ["load"]
