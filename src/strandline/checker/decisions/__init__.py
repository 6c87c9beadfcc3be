"""From properties to a verdict: tasks, the strategy for each, judging, sanity checks."""
