"""Kernel -> all reachable states: breadth-first, depth-first, sweep, bounded cache; each loop and its driver."""
