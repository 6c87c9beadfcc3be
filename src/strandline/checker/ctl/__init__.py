"""CTL: values of formulas on the graph of a search, and evidence for the result.

Input: formulas (`strandline.properties.parse_ctl`) and the graph that a search wrote (`strandline.engine.graph`).
Output: for every formula its value, and a run as evidence.
"""
