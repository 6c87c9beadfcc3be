"""`strandline mcp`, driven by the client of the official `mcp` package over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp", reason="the package mcp is not installed: its client is not tried")

ROOT = Path(__file__).resolve().parents[2]
BUDGET = {"max_seconds": 60, "max_memory_mb": 1024}
BAD = "process P { state idle, critical; init idle; trans idle -> critical {}; } system async;"


def with_client(use: Callable[[Any], Awaitable[None]], *options: str, root: Path = ROOT / "examples") -> None:
    """Start the server as an agent would, connect to it and use the connection."""

    async def run() -> None:
        command = ["-m", "strandline", "mcp", "--root", str(root), *options]
        parameters = mcp.StdioServerParameters(command=sys.executable, args=command)
        async with mcp.stdio_client(parameters) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            await use(session)

    asyncio.run(run())


async def call(session: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool; its answer, which is the same as data and as text."""
    result = await session.call_tool(tool, arguments)
    assert not result.is_error, result.content
    data: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == data
    return data


def test_the_tools_and_their_compulsory_budget() -> None:
    async def use(session: Any) -> None:
        tools = {one.name: one for one in (await session.list_tools()).tools}
        assert list(tools) == [
            "check",
            "explore",
            "simulate",
            "measures",
            "explain_trace",
            "list_examples",
            "language_reference",
        ]
        for name in ("check", "explore", "simulate", "measures"):
            assert tools[name].input_schema["required"] == ["max_seconds", "max_memory_mb"]
            assert "budget" in tools[name].description
        refused = await session.call_tool("check", {"model": "peterson/peterson.dve"})
        assert refused.is_error
        assert "max_seconds" in refused.content[0].text

    with_client(use)


def test_an_agent_writes_a_model_checks_it_and_has_the_trace_explained() -> None:
    async def use(session: Any) -> None:
        topics = await call(session, "language_reference")
        assert "dve" in topics["topics"]
        page = await call(session, "language_reference", topic="dve")
        section = await call(session, "language_reference", topic="dve", section=page["sections"][0])
        assert section["text"]
        text = (await call(session, "list_examples", name="naive-mutex"))["models"]["naive-mutex.dve"]
        answer = await call(
            session, "check", text=text, language="dve", invariants=["not (P.critical and Q.critical)"], **BUDGET
        )
        assert answer["verdict"] == "VIOLATED"
        assert [step["action"] for step in answer["trace"]["steps"]] == [
            "P: idle -> seen",
            "Q: idle -> seen",
            "P: seen -> critical",
            "Q: seen -> critical",
        ]
        explained = await call(
            session, "explain_trace", trace_id=answer["trace_id"], expressions=["P.critical"], first=2, count=1
        )
        assert explained["steps"] == [
            {
                "number": 3,
                "action": "P: seen -> critical",
                "changes": {"flag[0]": [0, 1], "P": ["seen", "critical"]},
                "before": {"P.critical": False},
                "after": {"P.critical": True},
            }
        ]
        assert len(json.dumps(answer)) < 2000

    with_client(use)


def test_exploring_simulating_and_measuring() -> None:
    async def use(session: Any) -> None:
        names = [one["name"] for one in (await call(session, "list_examples"))["examples"]]
        assert "peterson" in names
        answer = await call(session, "explore", model="peterson/peterson.dve", **BUDGET)
        assert (answer["verdict"], answer["states"], answer["transitions"]) == ("HOLDS", 20, 34)
        walked = await call(session, "simulate", model="peterson/peterson.dve", walks=10, depth=20, **BUDGET)
        assert (walked["verdict"], walked["walks"]["walks"]) == ("UNKNOWN", 10)
        found = await call(session, "measures", model="stop-and-wait/stop-and-wait.dve", sample=2000, **BUDGET)
        assert found["measures"][0]["peak"] < 0.5
        dead = await call(session, "check", text=BAD, language="dve", reach=["P.idle and P.critical"], **BUDGET)
        assert (dead["verdict"], "trace_id" in dead) == ("VIOLATED", False)

    with_client(use)


def test_mistakes_are_answers_with_place_and_suggestion() -> None:
    async def use(session: Any) -> None:
        model = "naive-mutex/naive-mutex.dve"
        answer = await call(session, "check", model=model, invariants=["not P.critcal"], **BUDGET)
        assert answer["error"]["suggestion"] == "critical"
        assert (answer["error"]["file"], answer["error"]["line"], answer["error"]["column"]) == ("invariant", 1, 7)
        wrong = await call(session, "check", text=BAD.replace("init idle", "init idel"), language="dve", **BUDGET)
        assert (wrong["error"]["file"], wrong["error"]["suggestion"]) == ("model.dve", "idle")
        for arguments, words in (
            ({"model": "naive-mutex/naive.dve"}, "did you mean 'naive-mutex.dve'?"),
            ({}, "give either 'model'"),
            ({"text": "x", "language": "promela2"}, "the language 'promela2' is unknown"),
            ({"model": model, "invariants": ["--json"]}, "unknown name 'json'"),
        ):
            answer = await call(session, "check", **arguments, **BUDGET)
            assert words in answer["error"]["message"]
        for budget in ({"max_seconds": 0, "max_memory_mb": 1024}, {"max_seconds": 5, "max_memory_mb": 10}):
            answer = await call(session, "check", model=model, **budget)
            assert answer["error"]["message"].startswith("max_")

    with_client(use)


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.aut").write_text('des (0, 1, 2)\n(0, "secret", 1)\n')
    (inside / "link.aut").symlink_to(outside / "secret.aut")
    (inside / "names.psl").write_text('import Secret = "../outside/secret.aut";\nsystem Secret;\n')
    (inside / "program.py").write_text("raise SystemExit('executed')")

    async def use(session: Any) -> None:
        for model, words in (
            ("../outside/secret.aut", "lies outside"),
            (str(outside / "secret.aut"), "lies outside"),
            ("link.aut", "lies outside"),
            ("names.psl", "lies outside"),
            ("program.py", "executing it is forbidden"),
        ):
            answer = await call(session, "explore", model=model, **BUDGET)
            assert words in answer["error"]["message"]

    with_client(use, root=inside)


def test_the_budget_of_time_ends_a_search() -> None:
    async def use(session: Any) -> None:
        wide = "byte x[9]; process P { state s; init s; trans %s; } system async;"
        steps = ", ".join(f"s -> s {{ effect x[{one}] = (x[{one}] + 1) % 256; }}" for one in range(9))
        answer = await call(session, "explore", text=wide % steps, language="dve", max_seconds=2, max_memory_mb=1024)
        assert answer["verdict"] == "UNKNOWN"
        assert "2" in answer["reason"]

    with_client(use)
