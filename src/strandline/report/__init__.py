"""Render verdicts as text, JSON and HTML pages.

Input: verdicts, traces, systems. Output: strings and plain data; nothing here prints. Imports `checker` and everything
before it, never `cli`.
"""
