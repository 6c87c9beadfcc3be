"""The options and claims of a user: immutable objects, validated when they are created."""
