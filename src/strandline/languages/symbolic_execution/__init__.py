"""Symbolic execution of one step, for every front end whose steps are programs.

Input: reads, writes, conditions and branches over the variables of a System, in program order. Output: one guard and a
list of assignments with the same meaning as the program. Imports `strandline.model`; knows no language.

`building` has the simplifying constructors of expressions, `store` the symbolic store, `execution` the path condition,
the guard and the faults of the step.
"""
