"""The command line.

In: arguments. Out: the verdict on stdout, everything else on stderr, an exit code. Nothing that takes long to import is
imported before a command runs.
"""
