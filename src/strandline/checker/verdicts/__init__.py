"""The result of a check: answers, statistics, evidence."""
