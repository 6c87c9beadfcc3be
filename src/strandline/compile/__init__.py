"""System x predicates x measure -> Kernel: the seam between languages and engines.

In: a `System`, or a `Graph`. Out: a `Kernel` (see `kernel`, which is the contract): a state layout and one C function
that computes successors. `make` is the door. `interpret` defines the semantics, `interpreted` makes it the reference of a
System; `module` writes LLVM IR (`llvm`), which `host` turns into machine code; `callback` asks Python callables,
`graph` looks up tables. Imports model; never an engine.
"""
