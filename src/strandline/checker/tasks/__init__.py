"""Tasks: what one search is to decide."""
