"""Evidence for properties of runs: ranks of automata, shortening of lassos, and the judge, which needs no automaton."""
