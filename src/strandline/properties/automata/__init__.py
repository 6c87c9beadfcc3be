"""Automata on infinite words: data structure, products, reductions, complement.

Must not import ltl, translation, formats or regular.
"""
