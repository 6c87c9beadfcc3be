"""Conformance of programs: whether a log is a behaviour of a model.

Input: a System, a map and a log. Output: a `Conformance`, the verdict with its explanation. `definition.py` says what
conforming means, in terms of the interpreter; `stream.py` decides it fast, by the engine.
"""
