"""Searches of a Kernel for an accepting cycle: one class and one compiled loop per method."""
