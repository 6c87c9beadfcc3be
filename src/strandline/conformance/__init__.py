"""Conformance of programs: whether a log is a behaviour of a model.

Input: a System, a map and a log. Output: a `Conformance`, the verdict with its explanation. `definition.py` defines
conforming, in terms of the interpreter; `compiled.py` computes it fast, by the engine.
"""
