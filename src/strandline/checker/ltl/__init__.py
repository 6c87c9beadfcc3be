"""LTL: ranks of automata, shortening of lassos, and the judge of counterexamples, which needs no automaton."""
