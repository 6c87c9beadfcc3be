"""How a state was reached: the parent log on disk, and its replay by the definition of the semantics.

What comes in: links that an engine appends, a Kernel's plain twin. What goes out: a `Trace` in which every
step was executed again. Imports `strandline.compile` and `strandline.engine`, never `check` or anything after
it.
"""
