"""Existential and universal abstraction, and refinement (004).

model.py      abstract states, the existential and the universal relation between them
paths.py      counterexamples in the abstraction
splitting.py  choosing the concrete states to separate in a refinement
runs.py       runs of the System within the universal abstraction
"""
