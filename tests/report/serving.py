"""A server of the explorer in a process of its own, and requests to it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

LARGE = "".join(
    f"process P{n} {{ byte x; state s; init s; trans s -> s {{ guard x < 31; effect x = x + 1; }}, "
    "s -> s { guard x == 31; effect x = 0; }; }\n"
    for n in range(6)
) + "system async;\n"  # fmt: skip
"""A model of a thousand million states."""


class Server:
    """A running server. `ask` returns the status and the content of an answer."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process, self.address = process, address
        parts = urlsplit(address)
        self.base = f"{parts.scheme}://{parts.netloc}"
        self.token = parse_qs(parts.query)["token"][0]

    def ask(self, what: str, given: Any = None, **headers: str) -> tuple[int, Any]:
        """Ask with the right token, unless other headers are given."""
        sent = {"Content-Type": "application/json", "X-Strandline-Token": self.token}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.send(what, json.dumps(given or {}).encode(), **sent)

    def send(self, what: str, body: bytes, **sent: str) -> tuple[int, Any]:
        """Send a body with the given headers, or with the right token if there are none."""
        headers = sent or {"Content-Type": "application/json", "X-Strandline-Token": self.token}
        request = Request(f"{self.base}/api/{what}", body, headers)
        try:
            with urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            text = error.read().decode()
            return error.code, json.loads(text) if text.startswith("{") else text


@contextmanager
def serving(model: Path, *arguments: str) -> Iterator[Server]:
    """A server for a model, ended at the end."""
    command = [sys.executable, "-m", "strandline", "serve", str(model), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield Server(process, process.stdout.readline().strip())
        finally:
            process.terminate()
            process.wait(20)
