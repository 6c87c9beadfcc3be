"""Which reductions are sound for which questions, and what they need."""
