"""Progress measures of a check: parsed from text, or found automatically with a predicted cost; the choice of one."""
