"""From a System to a System: merged steps, simultaneous effects, fairness and the memory of the last step.

Imports `model` and `analysis` only.
"""
