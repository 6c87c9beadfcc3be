"""Static analyses of a System: facts that hold in every reachable state, computed without exploring it.

They compute ranges of variables, control graphs, the variables that actions read and write, pairs of actions that
commute, and processes that are symmetric. This package imports `model` only.
"""
