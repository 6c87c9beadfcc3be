"""Pictures as files: graphs as DOT and SVG, plots of runs as SVG.

`graphs.py` has the graph to be drawn, `sources.py` the graphs of a model (its states, their components, the control of
its processes) and of automata, `dot.py` DOT and SVG by Graphviz, `layered.py` a layout of our own, `svg.py` SVG by that
layout, `plots.py` plots of runs.
"""
