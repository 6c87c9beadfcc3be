"""Symbolic execution of a model's functions: loops unrolled, branches of an `if` merged.

Input: the syntax tree of a function and the values of its names. Output: a guard, assignments and possible faults, as
expressions of `strandline.model`. Imports `languages.symbolic_execution`, which executes the step itself, and
`runtime`; must not import `loading`.

`values` are the values of expressions, `coding` converts them to stored numbers; a `machine` is one execution, with its
local names in `references`; `containers` and `equality` are operations on it. `structure` maps declared variables to
System variables. `reader` is the interface of an expression reader; `sequences`, `execute`, `functions` and `calls`
are written against it, and `evaluate` implements it.
"""
