"""Render a verdict as one self-contained HTML file, and its parts for notebooks and the explorer.

Input: verdicts and explorations. Output: a document that contains its data as JSON, its style and its script
(`static/`, written by hand), and that loads nothing: its own content security policy forbids it. All wording comes from
the rest of `report`; the script in the page draws and handles interaction. `page.py` makes the document, `data.py` its
data, `basis.py` the sentences about the basis of a verdict, `runs.py` traces compact enough for tens of thousands of
steps, `sequence.py` message sequence charts, `sources.py` the model's text with the source position of each step.
"""
