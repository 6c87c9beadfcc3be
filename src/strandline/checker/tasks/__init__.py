"""Tasks: the questions that one search decides."""
