"""Symbolic execution of one step, for every front end whose steps are programs.

What comes in: reads, writes, conditions and branches over the variables of a System, in the order of a program. What
goes out: one guard and assignments that mean the same as the program. Imports `strandline.model`; knows no language.

`building` makes expressions that stay small, `store` is the state on the way, `execution` the step itself.
"""
