"""The base classes of Python models, and running them as plain Python.

Input: a class with declared variables, parameters and decorated functions. Output: a `Model` that can be stepped; the
other packages read its types, marked functions and source. Must not import `symbolic_execution` or `loading`.

`annotations`, `declarations`, `deferred` and `model` are the public interface for authors; `hints_for_mypy` and
`hints_for_pyright` are this interface as type checkers see it. `bodies` turns class bodies into descriptors, `binding`
binds parameters; `types` has the bound types, `containers` their values. `choices` enumerates action parameters,
`steps` takes steps, `faults` has the exceptions of steps, `text` finds the syntax tree of each function.
"""
