"""A model to walk through in the browser: `strandline serve MODEL`.

What comes in: a System. What goes out: a server on this machine alone, whose page steps through the states, draws what
lies around one, runs checks and opens their traces. It holds what the reader has walked through, never all states.
Imports `report` and everything before it; Starlette and uvicorn are the extra `strandline[serve]`.

    tabs.py       where each tab of the browser stands, by the interpreter
    around.py     the states around one
    checking.py   a check in the background: progress, cancelling, its result
    guarding.py   who is let in: the token, the host, the origin
    app.py        requests and answers
    launching.py  the server itself
"""
