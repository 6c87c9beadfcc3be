"""Place/transition nets: PNML files, and LoLA's.

`pnml` and `lola` read a net, `bounds` finds out how many tokens its places can have, `lowering` makes a System of it,
with the names of `scope`; `xml` is the tree that PNML, and the contest's files of formulas, are read from.
"""
