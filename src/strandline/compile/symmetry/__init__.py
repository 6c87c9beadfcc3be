"""Canonical forms of states under the scalarsets of a System, interpreted and as LLVM IR."""
