"""Computation tree logic: valuation of formulas on the graph of a search, and evidence for the result.

In: formulas (`strandline.properties.parse_ctl`) and the graph that a search wrote (`strandline.engine.graph`). Out: for
every formula whether it holds, and a run that shows it.
"""
