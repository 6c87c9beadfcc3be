"""Functions of a model executed symbolically: loops unrolled, both ways of an `if` taken and joined.

What comes in: the syntax tree of a function and what its names stand for. What goes out: a guard, assignments and
what may go wrong, as expressions of `strandline.model`. Imports `languages.symbolic_execution`, which executes the step
itself, and `runtime`; must not import `loading`.

`values` are what expressions stand for, `coding` turns them into stored numbers; a `machine` is one execution, with its
local names in `references`; `containers` and `equality` are operations on it. `structure` makes System variables of the
declared ones. `reading` says what a reader of expressions offers; `sequences`, `execute`, `functions` and `calls` are
written against it, and `evaluate` is the one there is.
"""
