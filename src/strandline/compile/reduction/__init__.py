"""Partial-order reduction: select a subset of the enabled steps of a state (003 §3.1; Valmari's stubborn sets).

`facts` holds the static relations between actions, `order` the static order of states that replaces the cycle proviso,
`selection` defines the selection in a state, `selection_code` emits it as LLVM IR, and `independence_check` tests the
relations on sampled states.
"""
