"""Translations of LTL to automata: from a `Formula` to an `Automaton`, or to facts about the formula."""
