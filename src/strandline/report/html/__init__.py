"""A verdict as one HTML file that stands alone, and the parts of it that notebooks and the explorer show.

What comes in: verdicts and explorations. What goes out: a document that holds its data as JSON, its style and its
program (`static/`, written by hand), and that asks for nothing from anywhere: its own policy forbids it. What is said
in words comes from the rest of `report`; what is drawn, and what the reader asks, is up to the program in the page.

    page.py      the document
    data.py      what it holds
    basis.py     what a verdict rests on, in sentences
    runs.py      traces, small enough for ten thousands of steps
    sequence.py  who sends what to whom along a trace
    sources.py   the model's text, and where each step stands in it
"""
