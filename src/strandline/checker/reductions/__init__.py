"""Reductions: the questions they are sound for, and their facts."""
