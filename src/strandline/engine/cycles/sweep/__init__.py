"""Accepting cycles by a sweep: our own method, after 001."""
