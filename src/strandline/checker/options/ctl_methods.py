"""The names of the methods that decide CTL, and of those that decide properties of states; each is a strategy."""

from __future__ import annotations

EXPLICIT, SWEPT, COMPONENTS = "explicit", "swept", "components"
SYMBOLIC, ABSTRACTION = "symbolic", "abstraction"
CTL_METHODS = (EXPLICIT, SWEPT, COMPONENTS, SYMBOLIC, ABSTRACTION)
STATE_METHODS = (EXPLICIT, SYMBOLIC)
"""The methods that decide properties of states, such as invariants; a name may stand in both tables."""
