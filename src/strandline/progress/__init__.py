"""Finds progress measures: from control graphs, from variables that only grow, by trial sweeps.

In: a `System`. Out: measures, ranked, each with its reason and a prediction of what a sweep by it will store and visit.
Imports engine and everything before it, never check.
"""
