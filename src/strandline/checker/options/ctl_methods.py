"""The names of the methods that decide CTL; each is a strategy."""

from __future__ import annotations

EXPLICIT, SWEPT, COMPONENTS = "explicit", "swept", "components"
SYMBOLIC, ABSTRACTION = "symbolic", "abstraction"
CTL_METHODS = (EXPLICIT, SWEPT, COMPONENTS, SYMBOLIC, ABSTRACTION)
STATE_METHODS = (EXPLICIT, SYMBOLIC)
"""Those of these methods that decide properties of states, such as invariants, as well."""
