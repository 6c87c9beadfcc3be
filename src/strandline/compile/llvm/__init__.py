"""Systems as LLVM IR: text that any target of LLVM can take.

In: a `System`, its ranges and its layout. Out: the functions behind a Kernel, as text, and their fault sites. Nothing
here compiles or knows a machine: no llvmlite, no address.

`successors` is the function of a System's Kernel and calls all others; `actions` tries the actions of an asynchronous
system, `unlocated` those of them without a process, `joining` those that step together; `records` writes what they
reach; `expressions` evaluates, `masks` where bits suffice, `speculation` where trees would be too large, `faults` says
what can go wrong; `function` and `packed_state` are the text itself.
"""
