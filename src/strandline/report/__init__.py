"""Verdict -> text and JSON, for people and for programs.

What comes in: verdicts, traces, systems. What goes out: strings and plain data; nothing here prints. Imports
`check` and everything before it, never `cli`.
"""
