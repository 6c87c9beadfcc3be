"""Progress measures of a check: as text, found and predicted, chosen for a System."""
