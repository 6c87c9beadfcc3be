"""The graph of a search on disk, and sets of its states.

What comes in: the records that a breadth-first search or a sweep expands, with their labels and edges. What goes out:
sets of records, one bit each, closed under temporal operators, and paths through them.

A record is a state as the search found it. A sweep finds a state that it forgot again, under another record; each
record is expanded once, so records are a graph that is bisimilar to that of the states, and every formula of CTL says
of a record what it says of its state.

    log.py          a observer that writes rows, blocks of them on disk, and labels as sets of bits
    fixpoints.py    EX, EU, EG, with and without fairness, by passes over the blocks
    paths.py        paths and lassos inside sets, for evidence
    terminal.py     terminal components of layers, as the line leaves them
"""
