"""Kernel -> all reachable states: breadth first, depth first, by progress, with a cache; each loop and its driver."""
