"""Automata on infinite words: the data structure and what is done with it. Must not import ltl, translation,
formats or regular."""
