"""A model explorer in the browser: `strandline serve MODEL`.

Input: a System. Output: a server on this machine alone, whose page steps through the states, draws the states around
the current one, runs checks and opens their traces. It keeps only visited states in memory. It imports `report` and
everything before it; Starlette and uvicorn are the extra `strandline[serve]`.

    tabs.py            the path of each browser tab, computed by the interpreter
    neighbourhood.py   the states around the current one
    checks.py          a check in the background: progress, cancellation, result
    access_control.py  access control: token, host, origin
    app.py             requests and responses
    server.py          the server
"""
