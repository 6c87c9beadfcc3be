"""Automata on finite words, for the bad prefixes of safety properties."""
