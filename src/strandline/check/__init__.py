"""Task -> Verdict: which properties to decide, the search that decides them, and what it may claim afterwards.

What comes in: a System, properties, options. What goes out: a `Verdict` (or an `Exploration`) with replayed traces and
counts that are exact or null. Imports `traces` and everything before it, never `report` or `cli`.
"""
