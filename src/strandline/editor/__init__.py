"""A language server for editors: `strandline lsp`.

Input: the texts of open models. Output: mistakes, symbols, verdicts. `outlines.py` and `python_outlines.py` find the
symbols of a model and where they are declared and written, `documents.py` reads a text and reports its first mistake,
`verdicts.py` checks a model for a code lens, and `server.py`, the only module that imports `pygls`, translates all of
that to the Language Server Protocol.
"""
