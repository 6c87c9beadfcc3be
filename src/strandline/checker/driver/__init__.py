"""Runs one search: compile, explore, fall back where memory is full, count, clean up.

What comes in: a `SearchSpecification`. What goes out: a `SearchRun`, with a `RunOutcome` (how far the search came) and
the places where it stopped, as data. Replay, labelling and shortening happen afterwards, in the block of
`with run_search(...)`, while the run's files are still there.
"""
