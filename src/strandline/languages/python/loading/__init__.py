"""From model files to Systems.

Input: a file, a model or a class. Output: a `System`, and expressions over it. Imports `runtime` and
`symbolic_execution`; neither imports this.

`files` executes a model file and picks the model, `class_checks` and `omissions` find likely mistakes in its classes,
`lowering` builds its System, `scope` and `names` read expressions over the finished System.
"""
