"""Computation tree logic: formulas bound to a model, their valuation on the graph of a search, evidence for it.

What comes in: formulas (`strandline.properties.parse_ctl`) and the graph that a search wrote
(`strandline.engine.graph`). What goes out: for every formula whether it holds, and what shows it.
"""
