"""Limits of time, memory and disk, and the callback that reports progress."""
