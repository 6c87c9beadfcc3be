"""Static analyses of a System: facts that hold in every reachable state, computed without exploring it.

Input: a System. Output: ranges of variables, control graphs, what actions read and write, which steps commute, which
processes are symmetric. Imports `model` only.
"""
