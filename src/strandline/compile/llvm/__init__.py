"""Emit LLVM IR for Systems, as text that any LLVM target can compile.

Input: a `System`, its ranges and its layout. Output: the functions behind a Kernel, as text, and their fault sites.
Nothing here compiles or depends on a machine: no llvmlite, no address.

`successors` is the function of a System's Kernel and calls all others; `actions` tries the actions of an asynchronous
system, `unlocated` those without a process, `synchronous` steps of several actions; `records` writes the targets;
`expressions` evaluates, `masks` by bit tests where possible, `speculation` for heavily shared expressions, `faults`
decides which checks are needed; `function` and `packed_state` write the text itself.
"""
