"""What several tests stand on: explicit graphs, whose states have any width and any bits, as Kernels."""
