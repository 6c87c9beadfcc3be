"""Functions of a model executed symbolically: loops unrolled, both ways of an `if` taken and joined.

What comes in: the syntax tree of a function and what its names stand for. What goes out: a guard, assignments and
what may go wrong, as expressions of `strandline.model`. Imports `runtime`; must not import `loading`.

`build` makes expressions, `values` are what they stand for, `coding` turns values into stored numbers; a `machine`
is one execution, with the state in its `store`; `containers`, `equality` and `references` are operations on it.
`structure` makes System variables of the declared ones; `evaluate`, `sequences`, `calls` and `execute` run the syntax.
"""
