"""Find progress measures: from control graphs, from variables that only grow, and by trial sweeps.

Input: a `System`. Output: measures, ranked, each with its reasons and a prediction of what a sweep by it stores and
visits. Imports the engine and everything before it, never `checker`.
"""
