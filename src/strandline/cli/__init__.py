"""The command line: arguments in, the verdict on stdout, everything else on stderr, and an exit code.

Nothing that takes long to import is imported before a command runs.
"""
