"""Diagnosis of a model from a search: coverage, and regress edges."""
