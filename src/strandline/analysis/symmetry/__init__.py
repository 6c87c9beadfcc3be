"""Detect scalarsets of a System: processes and values that are interchangeable, with a proof."""
