"""What an author derives from, and what runs as plain Python.

What comes in: a class with declared variables, parameters and decorated functions. What goes out: a `Model` that can
be stepped, whose types, marked functions and texts the other rooms read. Must not import `symbolic_execution` or `loading`.

`annotations`, `declarations`, `deferred` and `model` are what an author writes with, `hints_for_mypy` and
`hints_for_pyright` what type checkers take that for; `bodies` is what becomes of a class body, `binding` of its types
once all parameters are bound: `types`, and `containers` for their values. `choices` has the values of an action's
parameters, `stepping` takes steps, `faults` is what a step can come to; `text` finds the syntax tree of each function.
"""
