"""Diagnosis of a model from a search: coverage, and the actions and variables behind regress edges."""
