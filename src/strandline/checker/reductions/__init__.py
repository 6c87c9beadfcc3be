"""Reductions: for which questions each one is sound, and the static facts that it needs."""
