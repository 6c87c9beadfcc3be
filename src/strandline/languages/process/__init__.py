"""The process language: labelled transition systems in text, composed as in CSP. Text in, System out.

Imports `strandline.model` and nothing further down. The order of work: `lexer` and `reader` (text to tokens,
expressions and labels), `terms` and `parser` (to the `syntax` of a program), `declarations` (what `names` stand for),
`expansion` (every component to its labelled transition system, `lts`, with `values` of expressions), `networks` (the
`system` line evaluated by the operators of `composition`), `lowering` (the System), `loading` (all of it). `scope`
reads and writes expressions over a finished System, `aldebaran` reads and writes `.aut` files. The language: see
docs/process-language.md.
"""

from __future__ import annotations

from strandline.languages.process.loading import load, load_with

__all__ = ["load", "load_with"]
