"""From properties to a verdict: make tasks, run the strategy for each, judge evidence, warn of vacuous answers."""
