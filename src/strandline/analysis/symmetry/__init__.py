"""Which processes and scalar values of a System are interchangeable, and the proof of it."""
