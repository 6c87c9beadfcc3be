"""Kernel -> an accepting cycle, or none: the methods, each with its loop and its driver."""
