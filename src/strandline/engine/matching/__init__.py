"""Matching logs with models: candidate states are streamed event by event; see `match_kernel`."""
