"""Sets of states as decision diagrams: a System to what is reachable in it, what satisfies a formula, by which path.

What comes in: a `System` and expressions over its states. What goes out: sets, their sizes, paths in them. No state is
ever looked at by itself, except along a path.

    diagrams.py    the few operations on decision diagrams that everything here is made of, and who offers them
    ordering.py    which variables lie next to each other
    encoding.py    variables as bits, expressions as sets of states
    steps.py       actions as relations between states
    cone.py        what can matter for a question, and nothing else
    space.py       a System with all of this: images, what is reachable, faults
    closure.py     least fixpoints over steps, by saturation
    clusters.py    steps joined into few relations
    recurring.py   which steps can be taken for ever
    fixpoints.py   EX, EU and EG; fairness (Emerson, Lei)
    paths.py       paths and lassos inside sets
    abstraction/   less precise models, from above and below (004)

Imports `compile` for the interpreter alone, which executes the steps of paths; never `engine`.
"""
