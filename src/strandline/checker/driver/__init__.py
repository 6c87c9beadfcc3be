"""Run one search: compile, explore, fall back when memory is full, count, clean up.

Input: a `SearchSpecification`. Output: a `SearchRun`, with a `RunOutcome` and the states or cycles at which the search
stopped, as data. Replay, labelling and shortening happen afterwards, in the block of `with run_search(...)`, while the
run's files still exist.
"""
