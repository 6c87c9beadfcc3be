"""Searches of a Kernel for all reachable states: breadth-first, depth-first, sweep, bounded cache, random walks."""
