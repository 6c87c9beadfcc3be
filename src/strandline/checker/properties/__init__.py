"""Claims, parsed in the language of a model: properties of states, of runs and of computation trees."""
