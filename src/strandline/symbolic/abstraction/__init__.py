"""Abstraction from above and from below, and refinement (004).

model.py      abstract states, the existential and the universal relation between them
paths.py      what a counterexample in the abstraction is
splitting.py  which concrete states are told apart next
runs.py       runs of the System in what the abstraction from below says
"""
