"""What a search reveals beside its verdict: coverage, and which steps regress."""
