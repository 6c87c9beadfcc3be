"""The server of the explorer, for this machine alone."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Callable

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from strandline.errors import UsageError
from strandline.model.system import System
from strandline.serve.access_control import Guard
from strandline.serve.app import Explorer, make_app

HOST = "127.0.0.1"
SECONDS_FOR_A_REQUEST = 10.0


def serve(system: System, port: int, say: Callable[[str], None]) -> None:
    """Serve the explorer of a model until Ctrl-C or a signal ends the process.

    `say` is called with the address once the server accepts connections. Port 0 takes any free port. Raises
    `UsageError` if the port cannot be used.
    """
    listening = _bind_socket(port)
    token = secrets.token_urlsafe(24)
    number = listening.getsockname()[1]
    explorer = Explorer(system)
    guard = Guard(make_app(explorer), token, number)
    server = _Server(uvicorn.Config(guard, log_level="warning", lifespan="off", http=_ImpatientProtocol, ws="none"))
    server.ready = lambda: say(f"http://{HOST}:{number}/?token={token}")
    try:
        server.run(sockets=[listening])
    finally:
        explorer.checks.close()
        listening.close()


class _Server(uvicorn.Server):
    """A uvicorn server that calls `ready` when it accepts connections."""

    ready: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.ready()


class _ImpatientProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection on which no request has begun after some seconds."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(SECONDS_FOR_A_REQUEST, self._close_without_request)

    def _close_without_request(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


def _bind_socket(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise UsageError(f"port {port} cannot be used: {getattr(error, 'strerror', None) or error}") from None
    return listening
