"""Compile a System with predicates and a measure to a Kernel.

Input: a `System`. Output: a `Kernel` (see `kernel`, the contract): a state layout and one C function that computes
successors. `make` dispatches. `interpret` defines the semantics, and `interpreted` makes it the reference of a System;
`module` writes LLVM IR (`llvm`), which `host` compiles to machine code; `callback` calls Python callables. Imports
`model`, `analysis` and `transform`, never an engine.
"""
