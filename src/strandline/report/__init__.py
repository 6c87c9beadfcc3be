"""Verdicts as text, JSON and pages, for people and for programs.

In: verdicts, traces, systems. Out: strings and plain data; nothing here prints. Imports `checker` and everything before
it, never `cli`.
"""
