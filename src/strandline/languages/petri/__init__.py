"""Place/transition nets, from PNML files and from LoLA's format.

`pnml` and `lola` read a net, `bounds` computes bounds of its places, `lowering` makes a System of it, with the names of
`scope`; `xml` is the parse tree for PNML and for the formula files of the Model Checking Contest.
"""
