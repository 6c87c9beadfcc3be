"""The options and claims of a user: frozen objects, checked when they are made."""
