"""The process language: labelled transition systems as text, composed as in CSP; text in, System out.

Imports no later package. In the order of work: `lexer` and `reader` (tokens, expressions and labels), `terms` and
`parser` (the `syntax` of a program), `declarations` (the symbols, with `names`), `expansion` (every component to its
labelled transition system, `lts`, with `values` of expressions), `networks` (the `system` line, evaluated with the
operators of `composition`), `lowering` (the System), `loading` (all of it). `scope` parses and renders expressions over
a finished System, `aldebaran` reads and writes `.aut` files. The language is described in docs/process-language.md.
"""

from __future__ import annotations

from strandline.languages.process.loading import load, load_with

__all__ = ["load", "load_with"]
