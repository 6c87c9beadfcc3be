"""Properties of whole runs: a formula becomes an automaton, the automaton an observer of the System, and a search of
the product finds a run that violates it, or that there is none. What was found is judged without any automaton."""
