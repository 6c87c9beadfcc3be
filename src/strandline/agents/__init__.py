"""Tools for agents: `strandline mcp` serves them by the Model Context Protocol.

Input: calls of tools, from a program that nobody watches. Output: small answers as data. Each call that loads a model
runs the command line in a process of its own (`processes.py`), within a compulsory budget and without files outside of
the given folder (`models.py`). `tools.py` has the tools, `answers.py` makes their answers small, `library.py` reads
the examples and the documentation, and `server.py`, the only module that imports `mcp`, serves them all.
"""
