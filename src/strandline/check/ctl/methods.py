"""The methods that decide CTL, by name; each is a strategy."""

from __future__ import annotations

EXPLICIT, SWEPT, COMPONENTS = "explicit", "swept", "components"
CTL_METHODS = (EXPLICIT, SWEPT, COMPONENTS)
