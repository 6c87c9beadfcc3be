"""Automata as text, in and out, each mistake with its place."""
