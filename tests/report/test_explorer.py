"""The server of the explorer: access control and answers."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from serving import LARGE, Server, serving

import strandline
from strandline import load
from strandline.checker.limits.memory import resident_bytes
from strandline.cli.main import main
from strandline.errors import UsageError
from strandline.serve.checks import CheckRequest
from strandline.serve.tabs import Tab, Tabs

EXAMPLES = Path(__file__).parents[2] / "examples"
SEMAPHORE = EXAMPLES / "ltl-starvation/semaphore.dve"
LANGUAGES = (
    "naive-mutex/naive-mutex.dve", "python-two-phase-commit/two_phase_commit.py", "process-stop-and-wait/deaf.psl",
    "petri-crossing/crossing.pnml", "lotus-token/token.lotus",
)  # fmt: skip
pytestmark = pytest.mark.skipif(importlib.util.find_spec("starlette") is None, reason="Starlette is not installed")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(SEMAPHORE) as one:
        yield one


def checked(server: Server, **given: Any) -> dict[str, Any]:
    """Return the result of a check."""
    status, begun = server.ask("check", given)
    assert status == 200, begun
    while True:
        told: dict[str, Any] = server.ask("checked", begun)[1]
        if not told["running"]:
            return {**told, **begun}
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"X_Strandline_Token": ""}, "the token is missing or wrong"),
        ({"X_Strandline_Token": "guessed"}, "the token is missing or wrong"),
        ({"Origin": "https://example.org"}, "this request comes from another page"),
        ({"Origin": "null"}, "this request comes from another page"),
        ({"Host": "example.org"}, "this server is for this machine alone"),
    ],
)
def test_who_is_not_let_in(server: Server, headers: dict[str, str], why: str) -> None:
    status, told = server.ask("open", **headers)
    assert status == 403
    assert told.startswith(why)


def test_the_page_wants_the_token_too(server: Server) -> None:
    with urlopen(server.address, timeout=30) as page:
        assert "connect-src 'self'" in page.headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    for address in (server.base, f"{server.base}/?token=guessed"):
        with pytest.raises(HTTPError, match="403"):
            urlopen(Request(address), timeout=30)
    assert server.ask("open", Origin=server.base)[0] == 200


def test_a_walk_and_a_second_tab(server: Server) -> None:
    first, second = server.ask("open")[1], server.ask("open")[1]
    assert first["tab"] != second["tab"]
    path = server.ask("take", {"tab": first["tab"], "step": 1})[1]
    assert (path["length"], path["actions"], path["here"]["number"]) == (1, ["Q: idle -> wait"], 1)
    assert server.ask("go", {"tab": second["tab"], "number": 0})[1]["steps"][0]["action"] == "P: idle -> wait"
    assert server.ask("open", {"tab": first["tab"]})[1]["length"] == 1, "a reloaded page finds its path again"
    around = server.ask("around", {"tab": first["tab"], "depth": 2})[1]
    assert sum(node["here"] for node in around["nodes"]) == 1
    assert {node["step"] for node in around["nodes"]} == {None, 0, 1}


@pytest.mark.parametrize(
    ("what", "given", "message"),
    [
        ("take", {"step": 9}, "there is no step 9 here: there are 2"),
        ("take", {"step": "x"}, "'step' must be a number"),
        ("go", {"number": 3}, "there is no state 3 on this path: it has 0 steps"),
        ("begin", {"number": 1}, "there is no initial state 1: there are 1"),
        ("check", {"kind": "invariant", "text": "fre == 1"}, "invariant:1:1: unknown name 'fre'"),
        ("check", {"kind": "invariant"}, "the property to check is missing"),
        ("checked", {"check": 99}, "there is no check 99"),
    ],
)
def test_mistakes_are_told(server: Server, what: str, given: dict[str, Any], message: str) -> None:
    tab = server.ask("open")[1]["tab"]
    status, told = server.ask(what, {"tab": tab, **given})
    assert status == 400
    assert told["error"].startswith(message)
    assert server.ask("go", {"tab": "forgotten", "number": 0})[1]["error"].startswith("this tab has expired")


def test_a_counterexample_is_walked_and_left(server: Server) -> None:
    told = checked(server, kind="ltl", text="G (P.wait -> F P.critical)")
    assert told["result"]["verdict"] == "VIOLATED"
    tab = server.ask("open")[1]["tab"]
    path = server.ask("follow", {"tab": tab, "check": told["check"], "trace": 0, "number": 4})[1]
    assert (path["length"], path["loop"], path["here"]["number"], path["here"]["again"]) == (4, 1, 4, 1)
    back = server.ask("go", {"tab": tab, "number": 2})[1]
    assert (back["number"], back["steps"][back["following"]]["action"]) == (2, "Q: wait -> critical")
    same = server.ask("take", {"tab": tab, "step": back["following"]})[1]
    assert (same["length"], same["loop"]) == (4, 1), "the step of the path keeps what lies behind it"
    server.ask("go", {"tab": tab, "number": 2})
    other = next(step["step"] for step in back["steps"] if step["step"] != back["following"])
    left = server.ask("take", {"tab": tab, "step": other})[1]
    assert (left["length"], left["loop"], left["here"]["following"]) == (3, None, None)


def test_neighbours_are_told_in_the_words_of_traces() -> None:
    tab = Tab(strandline.load(EXAMPLES / "stop-and-wait" / "stop-and-wait.dve"))
    lines = {line for node in tab.around(1)["nodes"] if not node["here"] for line in node["lines"]}
    assert "data=[0]" in lines


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_language_can_be_walked_through(name: str) -> None:
    tab = Tab(strandline.load(EXAMPLES / name))
    tab.wander(12)
    path = tab.path()
    assert path["length"] == path["here"]["number"] > 0
    assert len(tab.around(1)["nodes"]) > 1
    tab.go(0)
    taken = tab.here()["following"]
    assert tab.here()["steps"][taken]["action"] == path["actions"][path["pieces"][0]["steps"][0][0]]


def test_tabs_make_room_for_others() -> None:
    tabs = Tabs(strandline.load(SEMAPHORE))
    names = [tabs.open() for _ in range(65)]
    with pytest.raises(UsageError, match="this tab has expired"):
        tabs.of(names[0])
    assert tabs.of(names[1]) is not None


def test_a_thousand_million_states_and_cancelling(tmp_path: Path) -> None:
    """A model that nobody has explored opens at once; a check of it can be cancelled, and says what it knew."""
    model = tmp_path / "large.dve"
    model.write_text(LARGE)
    with serving(model) as server:
        began = time.perf_counter()
        tab = server.ask("open")[1]["tab"]
        assert server.ask("wander", {"tab": tab, "count": 200})[1]["length"] == 200
        assert len(server.ask("around", {"tab": tab, "depth": 3})[1]["nodes"]) == 40
        assert time.perf_counter() - began < 10
        status, begun = server.ask("check", {"kind": "deadlock"})
        assert status == 200
        while not server.ask("checked", begun)[1]["points"]:
            time.sleep(0.02)
        assert server.ask("check", {"kind": "deadlock"})[1]["error"].startswith("another check is running")
        assert server.ask("cancel", begun)[0] == 200
        while (told := server.ask("checked", begun)[1])["running"]:
            time.sleep(0.02)
        assert (told["error"], told["result"]["verdict"], told["result"]["reason"]) == (None, "UNKNOWN", "interrupted")


def test_a_port_that_is_taken(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    port = server.base.rpartition(":")[2]
    assert main(["serve", str(SEMAPHORE), "--port", port]) == 2
    assert f"port {port} cannot be used: Address already in use" in capsys.readouterr().err


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(__import__("sys").modules, "starlette", None)
    assert main(["serve", str(SEMAPHORE)]) == 2
    assert "-m pip install starlette uvicorn (or 'strandline[serve]')" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["soon", "inf", "nan", "-1", "0", "1e999"])
def test_a_time_limit_that_is_no_positive_number_is_refused(server: Server, seconds: str) -> None:
    status, answer = server.ask("check", {"kind": "deadlock", "seconds": seconds})
    assert status == 400
    assert answer["error"] == f"the time limit must be a number of seconds greater than 0, not '{seconds}'"


def test_a_time_limit_is_given_as_text_or_number(server: Server) -> None:
    for seconds in ("30", 30, 30.5, " "):
        assert checked(server, kind="deadlock", seconds=seconds)["error"] is None


@pytest.mark.parametrize("body", [b"[" * 100_000, b"{", b"9" * 5000, b"\xff", b'{"tab": ' + b"9" * 5000 + b"}"])
def test_a_body_that_cannot_be_read(server: Server, body: bytes) -> None:
    status, answer = server.send("open", body)
    assert (status, answer["error"]) in [(400, "the request is not JSON"), (400, "the request must be a JSON object")]


def test_a_body_that_is_too_long(server: Server) -> None:
    status, answer = server.send("open", b" " * (1 << 20) + b"{}")
    assert (status, answer["error"]) == (413, "the request has more than 1,048,576 bytes")
    assert server.ask("open")[0] == 200


def test_numbers_far_away(server: Server) -> None:
    tab = server.ask("open")[1]["tab"]
    for what, name in (("go", "number"), ("take", "step"), ("begin", "number"), ("checked", "check")):
        for number in (10**30, -(10**30)):
            assert server.ask(what, {"tab": tab, name: number})[0] == 400
    assert server.ask("around", {"tab": tab, "depth": 10**30})[0] in (200, 400)


def test_checks_have_a_memory_limit() -> None:
    allowed = CheckRequest(load(SEMAPHORE), {"kind": "deadlock"}).options.memory_limit
    assert allowed is not None
    assert allowed <= resident_bytes() + (9 << 30)


def test_a_connection_without_a_request_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    import uvicorn
    from uvicorn.server import ServerState

    from strandline.serve import server as server_module

    async def closes() -> bytes:
        config = uvicorn.Config("unused", http=server_module._ImpatientProtocol, ws="none", lifespan="off")
        config.loaded, config.loaded_app = True, None
        state = ServerState()
        loop = asyncio.get_running_loop()
        made = partial(server_module._ImpatientProtocol, config, state, {})
        async with await loop.create_server(made, "127.0.0.1", 0) as listening:
            reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
            writer.write(b"GET / HTTP/1.1\r\nHo")
            await writer.drain()
            return await asyncio.wait_for(reader.read(), 30)

    monkeypatch.setattr(server_module, "SECONDS_FOR_A_REQUEST", 0.2)
    assert asyncio.run(closes()) == b""
