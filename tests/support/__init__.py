"""Support for several tests: explicit graphs, whose states have any width and any bits, as Kernels."""
