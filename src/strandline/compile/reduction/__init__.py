"""Partial-order reduction: which steps of a state need not be taken (003 §3.1; Valmari's stubborn sets).

`facts` is what a System tells of its actions once and for all, `order` which of them lead up
in a fixed order of states, `choosing` the choice in a state as it is defined, `emitting` the same as machine code;
`examining` tries the facts in some states.
"""
