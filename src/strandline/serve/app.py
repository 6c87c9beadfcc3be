"""Requests and responses of the explorer: its page and the JSON interface of the page's script."""

from __future__ import annotations

import json
from asyncio import wait_for
from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from strandline import __version__
from strandline.errors import InputError
from strandline.model.system import System
from strandline.report.html.data import model_data
from strandline.report.html.page import EXPLORER_PROGRAM, STYLE, digest, embed_json, program_text, static_text
from strandline.serve.checks import Checks
from strandline.serve.tabs import Tab, Tabs

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="page"></main>
<noscript><p>The explorer needs JavaScript; 'strandline simulate' walks through a model at a terminal.</p></noscript>
<script type="application/json" id="model">{data}</script>
<script>{program}</script>
</body>
</html>
"""
Given = Mapping[str, Any]
_MOST_BYTES, _MOST_SECONDS = 1 << 20, 10.0
"""Limits of the body of a request."""


class Explorer:
    """Handles the requests of the page about one model: each method takes the JSON object of a request."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.tabs, self.checks = Tabs(system), Checks(system)

    def open(self, given: Given) -> dict[str, Any]:
        """Open a new tab, or find the one of a reloaded page; return its name and path."""
        known = str(given.get("tab") or "")
        try:
            tab, name = self.tabs.of(known), known
        except InputError:
            name = self.tabs.open()
            tab = self.tabs.of(name)
        with tab.lock:
            return {"tab": name, **tab.path()}

    def moving(self, move: Callable[[Tab, Given], None], whole: bool, given: Given) -> dict[str, Any]:
        """Apply `move` to a tab; return its whole path if `whole`, else only its position."""
        tab = self.tabs.of(str(given.get("tab")))
        with tab.lock:
            move(tab, given)
            return tab.path() if whole else tab.here()

    def around(self, given: Given) -> dict[str, Any]:
        tab = self.tabs.of(str(given.get("tab")))
        with tab.lock:
            return tab.around(_number(given, "depth", 1))

    def check(self, given: Given) -> dict[str, Any]:
        return {"check": self.checks.start(given)}

    def check_status(self, given: Given) -> dict[str, Any]:
        return self.checks.of(_number(given, "check")).status()

    def cancel(self, given: Given) -> dict[str, Any]:
        self.checks.of(_number(given, "check")).cancel()
        return {}

    def follow(self, tab: Tab, given: Given) -> None:
        tab.follow(self.checks.of(_number(given, "check")).trace(_number(given, "trace")), _number(given, "number"))


def _number(given: Given, name: str, default: int | None = None) -> int:
    value = given.get(name, default)
    if type(value) is not int:
        raise InputError(f"'{name}' must be a number")
    return value


def make_app(explorer: Explorer) -> Starlette:
    """Return the ASGI application, without access control (see `strandline.serve.access_control`)."""
    asked: dict[str, Callable[[Given], dict[str, Any]]] = {
        "open": explorer.open,
        "go": partial(explorer.moving, lambda tab, given: tab.go(_number(given, "number")), False),
        "take": partial(explorer.moving, lambda tab, given: tab.take(_number(given, "step")), True),
        "begin": partial(explorer.moving, lambda tab, given: tab.begin(_number(given, "number")), True),
        "wander": partial(explorer.moving, lambda tab, given: tab.wander(_number(given, "count", 1)), True),
        "follow": partial(explorer.moving, explorer.follow, True),
        "around": explorer.around,
        "check": explorer.check,
        "checked": explorer.check_status,
        "cancel": explorer.cancel,
    }
    routes = [Route("/", partial(_page, explorer.system))]
    routes += [Route(f"/api/{name}", partial(_answer, function), methods=["POST"]) for name, function in asked.items()]
    return Starlette(routes=routes)


async def _body(request: Request) -> bytes | None:
    """Return the body of a request; None if it is too large."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BYTES:
            return None
    return bytes(body)


async def _page(system: System, request: Request) -> Response:
    style, program = static_text(STYLE), program_text(EXPLORER_PROGRAM)
    policy = (
        f"default-src 'none'; connect-src 'self'; style-src {digest(style)}; script-src {digest(program)}; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    data = embed_json({"version": __version__, **model_data(system)})
    text = _PAGE.format(title=escape(f"{system.title} · strandline"), style=style, data=data, program=program)
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return HTMLResponse(text, headers=headers)


async def _answer(function: Callable[[Given], dict[str, Any]], request: Request) -> Response:
    try:
        body = await wait_for(_body(request), _MOST_SECONDS)
        if body is None:
            return JSONResponse({"error": f"the request has more than {_MOST_BYTES:,} bytes"}, status_code=413)
        given = json.loads(body)
    except TimeoutError:
        return JSONResponse({"error": "the request takes too long"}, status_code=408)
    except (ValueError, RecursionError):
        return JSONResponse({"error": "the request is not JSON"}, status_code=400)
    if not isinstance(given, dict):
        return JSONResponse({"error": "the request must be a JSON object"}, status_code=400)
    try:
        found = await run_in_threadpool(function, given)
    except InputError as error:
        return JSONResponse({"error": str(error)}, status_code=400)
    return Response(embed_json(found), media_type="application/json", headers={"Cache-Control": "no-store"})
