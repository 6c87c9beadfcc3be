"""LTL-Sweep as it was published (001), off-line and on-line: the rows of the comparison."""
