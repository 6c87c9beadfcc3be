"""Transform a System to a System: merged steps, simultaneous effects, fairness and the history of the last step.

Imports `model` and `analysis` only.
"""
