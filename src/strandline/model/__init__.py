"""The vocabulary: what a model is, after every language and before every engine.

In: nothing. Out: a `System` (bounded variables, processes with locations, guarded commands), its expressions, what is
known of it without running it (ranges, intervals), and how its states are packed into words. Imports no other package
of Strandline but errors and sources.
"""
