"""Tasks: each is a question, or several, that one search decides."""
