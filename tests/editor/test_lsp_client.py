"""`strandline lsp`, driven by the client of `pygls` over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the package pygls is not installed: the language server is not tried")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

MUTEX = """\
byte flag[2];
byte turn;

process P {
    state idle, critical;
    init idle;
    assert critical: flag[1] == 0;
    trans
        idle -> critical { effect flag[0] = 1, turn = 1; },
        critical -> idle { effect flag[0] = 0; };
}

process Q {
    state idle, critical;
    init idle;
    trans idle -> critical { effect flag[1] = 1; };
}

system async;
"""


class Editor:
    """An editor: opens and changes texts, and waits for diagnostics."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self._published: dict[str, asyncio.Queue[list[types.Diagnostic]]] = {}
        self._versions: dict[str, int] = {}

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self._queue(params.uri).put_nowait(list(params.diagnostics))

    def _queue(self, uri: str) -> asyncio.Queue[list[types.Diagnostic]]:
        return self._published.setdefault(uri, asyncio.Queue())

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        return await asyncio.wait_for(self._queue(uri).get(), 60)

    async def open(self, path: Path, text: str) -> str:
        """Open a text; its URI."""
        path.write_text(text, encoding="utf-8")
        uri = path.as_uri()
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, path.suffix[1:], 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str) -> None:
        self._versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        changes = [types.TextDocumentContentChangeWholeDocument(text)]
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))

    async def hover(self, uri: str, line: int, character: int) -> str:
        place = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        found = await self.client.text_document_hover_async(place)
        return "" if found is None else found.contents.value  # type: ignore[union-attr]

    async def definition(self, uri: str, line: int, character: int) -> Any:
        place = types.DefinitionParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        return await self.client.text_document_definition_async(place)

    async def completion(self, uri: str, line: int, character: int) -> list[str]:
        place = types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        found = await self.client.text_document_completion_async(place)
        return [one.label for one in found.items]  # type: ignore[union-attr]

    async def lenses(self, uri: str) -> list[types.CodeLens]:
        found = await self.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
        return list(found or [])

    async def command(self, command: str, *arguments: Any) -> Any:
        return await self.client.workspace_execute_command_async(types.ExecuteCommandParams(command, list(arguments)))


def with_editor(use: Callable[[Editor], Awaitable[None]], *options: str) -> None:
    """Start the server as an editor would, use it, and shut it down."""

    async def run() -> None:
        client = LanguageClient("editor", "1")
        editor = Editor(client)
        await client.start_io(sys.executable, "-m", "strandline", "lsp", *options)
        await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
        client.initialized(types.InitializedParams())
        await use(editor)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    asyncio.run(run())


def test_mistakes_are_shown_while_typing(tmp_path: Path) -> None:
    async def use(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "mutex.dve", MUTEX)
        assert await editor.diagnostics(uri) == []
        editor.change(uri, MUTEX.replace("turn = 1", "trun = 1"))
        (mistake,) = await editor.diagnostics(uri)
        assert mistake.message == "unknown variable 'trun'; did you mean 'turn'?"
        assert (mistake.range.start, mistake.range.end) == (types.Position(8, 47), types.Position(8, 51))
        # Of two changes without a pause the last one counts.
        editor.change(uri, "byte")
        editor.change(uri, MUTEX)
        assert await editor.diagnostics(uri) == []

    with_editor(use)


TEXTS = {
    "broken.psl": ("process P = a -> Q;\nsystem P;\n", 0),
    "broken.lotus": ("model\n", 0),
    "broken.lola": ("PLACE a; MARKING b: 1; TRANSITION t CONSUME a: 1; PRODUCE a: 1;\n", 0),
    "broken.pnml": ("<pnml>\n<net></pnml>\n", 1),
    "broken.aut": ('des (0, 1, 2)\n(0, "a", x)\n', 1),
    "broken.ss": ("nothing\n", 0),
    "broken.py": ("from strandline import Model\nclass M(Model:\n    x: int\n", 1),
}


def test_every_language_has_diagnostics(tmp_path: Path) -> None:
    async def use(editor: Editor) -> None:
        for name, (text, line) in TEXTS.items():
            uri = await editor.open(tmp_path / name, text)
            (mistake,) = await editor.diagnostics(uri)
            assert (mistake.range.start.line, mistake.severity) == (line, types.DiagnosticSeverity.Error), mistake

    with_editor(use)


def test_hover_definition_and_completion(tmp_path: Path) -> None:
    async def use(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "mutex.dve", MUTEX)
        await editor.diagnostics(uri)
        text = await editor.hover(uri, 8, 36)
        assert text == (
            "**flag**: variable, 0..255[2]\n\nin reachable states at most 0..1\n\nwritten in lines 9, 10, 16"
        )
        assert (await editor.hover(uri, 3, 8)).startswith("**P**: process, locations idle, critical")
        place = await editor.definition(uri, 15, 37)
        assert (place.uri, place.range.start) == (uri, types.Position(0, 5))
        place = await editor.definition(uri, 15, 19)
        assert place.range.start == types.Position(13, 16), "the location of the own process"
        assert {"flag", "turn", "P", "Q.critical"} <= set(await editor.completion(uri, 18, 0))
        claims = 'model = "mutex.dve"\n\n[[check]]\ninvariants = ["not (P.critical and Q."]\n'
        expected = await editor.open(tmp_path / "expected.toml", claims)
        assert await editor.diagnostics(expected) == []
        assert await editor.completion(expected, 3, 37) == ["idle", "critical"]
        place = await editor.definition(expected, 3, 24)
        assert (place.uri, place.range.start) == (uri, types.Position(4, 16))

    with_editor(use)


def test_a_lens_checks_and_shows_the_verdict_and_the_trace(tmp_path: Path) -> None:
    async def use(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "mutex.dve", MUTEX)
        await editor.diagnostics(uri)
        lenses = await editor.lenses(uri)
        assert [(one.range.start.line, one.command.title) for one in lenses if one.command] == [
            (0, "check the model"),
            (6, "check this claim"),
        ]
        command = lenses[1].command
        assert command is not None
        answer = await editor.command(command.command, *(command.arguments or []))
        assert (answer["verdict"], answer["title"]) == ("VIOLATED", "violated, trace of 2 steps")
        (violation,) = await editor.diagnostics(uri)
        assert (violation.range.start.line, violation.severity) == (6, types.DiagnosticSeverity.Warning)
        steps = [(one.message, one.location.range.start.line) for one in violation.related_information or []]
        assert sorted(steps) == [("1  P: idle -> critical", 8), ("2  Q: idle -> critical", 15)] or sorted(steps) == [
            ("1  Q: idle -> critical", 15),
            ("2  P: idle -> critical", 8),
        ]
        shown = (await editor.lenses(uri))[2].command
        assert shown is not None
        assert (shown.title, shown.command) == ("violated, trace of 2 steps", "strandline.showTrace")
        file = await editor.command(shown.command, *(shown.arguments or []))
        assert "flag[0]: 0 → 1" in Path(file).read_text("utf-8")
        editor.change(uri, MUTEX.replace("flag[1] == 0", "turn < 2"))
        assert await editor.diagnostics(uri) == []
        assert (await editor.command("strandline.check", uri, ""))["verdict"] == "HOLDS"

    with_editor(use)


PYTHON = """\
from strandline import Model, Process, Range, action, invariant


class Counter(Model):
    x: Range[0, 9] = 0

    class P(Process, count=2):
        @action
        def add(m, me): m.x += 1

    @invariant
    def small(m): return m.x < 3
"""


def test_python_models_are_executed_only_where_that_is_allowed(tmp_path: Path) -> None:
    mark = tmp_path / "executed"

    async def use(editor: Editor) -> None:
        text = f"open({str(mark)!r}, 'w').close()\n{PYTHON}"
        uri = await editor.open(tmp_path / "counter.py", text)
        assert await editor.diagnostics(uri) == []
        assert "written in line 10" in await editor.hover(uri, 5, 4)
        assert (await editor.definition(uri, 12, 27)).range.start == types.Position(5, 4)
        assert await editor.completion(uri, 12, 27) == ["x", "P", "add", "small"]
        assert await editor.lenses(uri) == []
        assert await editor.command("strandline.check", uri, "") is None
        assert not mark.exists()

    with_editor(use)

    async def trusted(editor: Editor) -> None:
        uri = await editor.open(tmp_path / "counter.py", PYTHON.replace("Range[0, 9]", "Rnage[0, 9]"))
        assert await editor.diagnostics(uri) == []
        (mistake,) = await editor.diagnostics(uri)
        assert "Rnage" in mistake.message
        good = await editor.open(tmp_path / "good.py", PYTHON)
        assert (await editor.diagnostics(good), await editor.diagnostics(good)) == ([], [])
        assert "in reachable states at most 0..9" in await editor.hover(good, 4, 4)
        answer = await editor.command("strandline.check", good, "small")
        assert answer["title"] == "violated, trace of 3 steps"

    with_editor(trusted, "--allow-python")


def test_positions_count_in_the_units_of_the_editor(tmp_path: Path) -> None:
    """Editors count UTF-16 code units, in which some characters are two."""

    async def use(editor: Editor) -> None:
        uri = await editor.open(
            tmp_path / "wide.dve", MUTEX.replace("{ effect flag[1]", "/* \N{GRINNING FACE} */ { effect flog[1]")
        )
        (mistake,) = await editor.diagnostics(uri)
        line = MUTEX.splitlines()[15]
        assert mistake.range.start == types.Position(15, line.index("flag") + len("/* 12 */ "))

    with_editor(use)
