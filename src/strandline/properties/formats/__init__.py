"""Text formats of automata: readers, which report each mistake with its source position, and writers."""
