"""The methods that decide CTL, by name; each is a strategy."""

from __future__ import annotations

EXPLICIT, SWEPT, COMPONENTS = "explicit", "swept", "components"
SYMBOLIC, ABSTRACTION = "symbolic", "abstraction"
CTL_METHODS = (EXPLICIT, SWEPT, COMPONENTS, SYMBOLIC, ABSTRACTION)
STATE_METHODS = (EXPLICIT, SYMBOLIC)
"""Those that decide properties of states as well."""
