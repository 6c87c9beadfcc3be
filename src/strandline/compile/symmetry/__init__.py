"""Canonical forms of states under the symmetries of a System, interpreted and as LLVM IR."""
