"""From a model file to a System.

What comes in: a file, a model or a class. What goes out: a `System`, and expressions over it. Imports `runtime` and
`symbolic_execution`; neither imports this.

`files` executes a model file and picks the model, `lowering` puts its System together, `queries` reads expressions
over a finished System.
"""
