"""The methods that decide CTL, by name; each is a strategy."""

from __future__ import annotations

EXPLICIT, SWEPT, COMPONENTS, SYMBOLIC = "explicit", "swept", "components", "symbolic"
CTL_METHODS = (EXPLICIT, SWEPT, COMPONENTS, SYMBOLIC)
STATE_METHODS = (EXPLICIT, SYMBOLIC)
"""Those that decide properties of states as well."""
