"""LTL-Sweep as published (001), off-line and on-line, for comparison with our own sweep for cycles."""
