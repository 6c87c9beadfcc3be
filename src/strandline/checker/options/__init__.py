"""What a user asks for: options of searches, claims, methods. Frozen, and checked when they are made."""
