"""How a state was reached: the parent log on disk, its replay by the definition of the semantics, walks made
step by step, and traces as files.

What comes in: links that an engine appends, a Kernel's plain reference, files that claim a trace. What goes out: a
`Trace` in which every step was executed again, and files. Imports `strandline.compile` and
`strandline.engine`, never `check` or anything after it.
"""
