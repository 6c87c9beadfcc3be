"""LTL to automata. What comes in: a Formula. What goes out: an Automaton, or facts about the formula."""
