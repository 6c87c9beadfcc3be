"""A verdict as one HTML file that stands alone, and its parts for notebooks and the explorer.

In: verdicts and explorations. Out: a document that holds its data as JSON, its style and its program (`static/`,
written by hand), and that loads nothing: its own policy forbids it. Words come from the rest of `report`; drawing and
interaction are up to the program in the page. `page.py` makes the document, `data.py` its data, `basis.py` the
sentences about what a verdict rests on, `runs.py` traces small enough for ten thousands of steps, `sequence.py` message
sequence charts, `sources.py` the model's text with the place of each step.
"""
