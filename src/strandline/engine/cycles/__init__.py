"""Kernel -> an accepting cycle, or that there is none: the methods, each loop and its driver."""
