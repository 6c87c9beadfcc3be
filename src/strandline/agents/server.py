"""The server of the Model Context Protocol, on standard input and output; needs the extra `strandline[mcp]`."""

from __future__ import annotations

from typing import Any

from mcp.server import MCPServer

from strandline import __version__
from strandline.agents.tools import Tools

_INSTRUCTIONS = (
    "Strandline is a model checker. Write a model of a concurrent system or protocol (language_reference and "
    "list_examples show how), call check with a budget, and read the verdict: HOLDS, VIOLATED with a shortest trace, "
    "or UNKNOWN with the reason. A model is given as a text or as a path below the server's folder."
)


def make_server(tools: Tools) -> Any:
    """Return the server with all tools."""
    server = MCPServer("strandline", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")
    for tool in tools.all():
        server.add_tool(tool, structured_output=True)
    return server
