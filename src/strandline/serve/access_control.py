"""Access control: a request must contain the token, name this machine as host, and come from the explorer's page.

Another page in the same browser can send requests to this machine, and a DNS name can be made to resolve to it. The
token keeps both out, because neither can know it; host and origin are checked before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from hmac import compare_digest
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN_HEADER = "x-strandline-token"


class Guard:
    """ASGI middleware that answers refused requests with status 403 and the reason."""

    def __init__(self, inside: Application, token: str, port: int) -> None:
        self._inside, self._token = inside, token
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refused = self.refusal(scope)
            if refused is not None:
                await _refuse(send, refused)
                return
        await self._inside(scope, receive, send)

    def refusal(self, scope: Scope) -> str | None:
        """Return the reason for refusing a request; None if it is allowed."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get("host") not in self._hosts:
            return "this server is for this machine alone"
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self._hosts}:
            return "this request comes from another page"
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if not compare_digest((headers.get(TOKEN_HEADER) or given).encode(), self._token.encode()):
            return "the token is missing or wrong: open the address that 'strandline serve' has printed"
        return None


async def _refuse(send: Send, why: str) -> None:
    body = why.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
