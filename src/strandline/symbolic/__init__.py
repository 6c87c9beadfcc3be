"""Symbolic model checking with binary decision diagrams (BDDs): reachability, CTL, paths.

Input: a `System` and expressions over its states. Output: sets as BDDs, their sizes, and paths in them. Single states
are enumerated only along a path.

    diagrams.py    the BDD operations used here, and the libraries that implement them
    ordering.py    the variable order
    encoding.py    variables as bits, expressions as BDDs
    steps.py       actions as relations between states
    cone.py        the cone of influence of a question
    space.py       a System as BDDs: images, reachable states, faults
    closure.py     least fixpoints over steps, by saturation
    clusters.py    combining steps into few relations
    recurring.py   steps that can be taken infinitely often
    fixpoints.py   EX, EU and EG; fairness (Emerson, Lei)
    paths.py       paths and lassos inside sets
    abstraction/   existential and universal abstraction (004)

Imports `compile` for the interpreter alone, which executes the steps of paths; never `engine`.
"""
