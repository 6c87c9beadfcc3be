"""Text formats of automata: readers, which report each mistake with its place, and writers."""
