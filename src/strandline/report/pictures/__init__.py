"""Pictures as files: graphs as DOT and SVG, plots of runs as SVG.

graphs.py    what a graph to be drawn is: nodes, edges, labels
sources.py   the graphs of a model: its states, their components, the control of its processes; of automata
dot.py       a graph as DOT, and as SVG by Graphviz, where that is installed
layered.py   places for the nodes of a graph, where it is not
svg.py       a graph as SVG by these places
plots.py     plots of runs
"""
