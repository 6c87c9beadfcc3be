"""What an author derives from, and what runs as plain Python.

What comes in: a class with declared variables, parameters and decorated functions. What goes out: a `Model` that can
be stepped, whose types, marked functions and texts the other rooms read. Must not import `symbolic` or `loading`.

`declarations`, `deferred` and `model` are what an author writes with; `types` are the types with all parameters
bound, `containers` their values, `choices` the values of an action's parameters, `faults` what a step can come to;
`text` finds the syntax tree of each function.
"""
