"""LTL-Sweep as published (001), off-line and on-line: the reference of the comparison."""
