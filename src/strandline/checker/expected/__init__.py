"""Expected verdicts: `expected.toml` beside a model, and whether a run did what it says.

`cases` is the vocabulary, `reading` makes cases from files, `judging` compares a finished run with its case.
Nothing here runs a search. The format is described in docs/expected.md.
"""
