"""Draw pictures: graphs as DOT and SVG, plots of runs as SVG.

`graphs.py` has the graph to be drawn, `sources.py` makes graphs of a model (its states, its SCCs, the control graphs of
its processes) and of automata, `dot.py` writes DOT, and SVG by Graphviz, `layered.py` is a layout of our own, `svg.py`
writes SVG by that layout, `plots.py` plots runs.
"""
