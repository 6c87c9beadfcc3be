"""System x predicates x measure -> Kernel: the seam between languages and engines.

In: a `System`. Out: a `Kernel` (see `kernel`, which is the contract): a state layout and one C function that computes
successors. `interpret` defines the semantics, `interpreted` wraps it as a Kernel, `llvm` makes it fast. Imports model;
never an engine.
"""
