"""LTL and CTL formulas: parser, normal form, simplification, classes, semantics on lassos.

Of automata it may import guards only.
"""
