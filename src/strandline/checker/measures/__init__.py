"""Progress measures of a check: parsed from text, or found with a predicted cost; the choice for a System."""
