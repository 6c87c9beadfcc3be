"""The vocabulary of models: the result of every language and the input of every engine.

Defines `System` (bounded variables, processes with locations, guarded commands), expressions, intervals, and the
packing of states into words. Imports no other package of Strandline but errors and sources.
"""
