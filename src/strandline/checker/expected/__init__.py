"""Expected verdicts: `expected.toml` beside a model, and the comparison of runs with it.

`cases` has the data classes, `reader` makes cases from files, `comparison` compares a finished run with its case.
Nothing here runs a search. The format is described in docs/expected.md.
"""
