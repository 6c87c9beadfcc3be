"""The server of the Language Server Protocol, on standard input and output; needs the extra `strandline[lsp]`."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from strandline import __version__
from strandline.agents.processes import Budget
from strandline.editor.documents import Mistake, Reading, load_python, place_of, read
from strandline.editor.outlines import Outline, Symbol, SymbolKind
from strandline.editor.verdicts import Found, check_claim
from strandline.languages import LANGUAGES
from strandline.source import Source, Span

CHECK, SHOW = "strandline.check", "strandline.showTrace"
_PAUSE = 0.2
"""Seconds without a keystroke after which a text is read."""
_MOST_RELATED = 50
_COMPLETION_KINDS = {
    SymbolKind.VARIABLE: types.CompletionItemKind.Variable,
    SymbolKind.PROCESS: types.CompletionItemKind.Class,
    SymbolKind.LOCATION: types.CompletionItemKind.EnumMember,
    SymbolKind.ACTION: types.CompletionItemKind.Method,
    SymbolKind.CONDITION: types.CompletionItemKind.Function,
}


@dataclass
class Opened:
    """A model that is open in the editor; `outline` is that of its last text without a mistake."""

    reading: Reading = field(default_factory=lambda: Reading(None))
    outline: Outline | None = None
    verdicts: dict[str, Found] = field(default_factory=dict)
    """Verdicts of checks since the last change, by the name of the property; "" for all that are declared."""


class ModelServer:
    """Handles requests of one editor."""

    def __init__(self, folder: Path, *, allow_python: bool, budget: Budget) -> None:
        self._folder, self._allow_python, self._budget = folder, allow_python, budget
        self._opened: dict[str, Opened] = {}
        self.server = LanguageServer("strandline", __version__)
        for name, handler in (
            (types.TEXT_DOCUMENT_DID_OPEN, self.opened),
            (types.TEXT_DOCUMENT_DID_CHANGE, self.changed),
            (types.TEXT_DOCUMENT_DID_SAVE, self.saved),
            (types.TEXT_DOCUMENT_DID_CLOSE, self.closed),
            (types.TEXT_DOCUMENT_HOVER, self.hover),
            (types.TEXT_DOCUMENT_DEFINITION, self.definition),
            (types.TEXT_DOCUMENT_CODE_LENS, self.lenses),
        ):
            self.server.feature(name)(_function(handler))
        options = types.CompletionOptions(trigger_characters=["."])
        self.server.feature(types.TEXT_DOCUMENT_COMPLETION, options)(_function(self.completion))

        async def check(uri: str, name: str) -> Any:
            return await self.check(uri, name)

        async def show_trace(uri: str, name: str) -> Any:
            return await self.show_trace(uri, name)

        self.server.command(CHECK)(check)
        self.server.command(SHOW)(show_trace)

    # Reading

    async def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """Read a text that was opened, and load it if it is a Python model that may be executed."""
        uri = params.text_document.uri
        if _is_model(uri):
            self._opened[uri] = Opened()
            await self._read(uri)
            await self._load_python(uri)

    async def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """Read a text when nothing has been typed for a moment; verdicts on the old text are forgotten."""
        uri, version = params.text_document.uri, params.text_document.version
        if uri not in self._opened:
            return
        self._opened[uri].verdicts.clear()
        await asyncio.sleep(_PAUSE)
        if self._document(uri).version == version:
            await self._read(uri)

    async def saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """Load a Python model that was saved, if it may be executed."""
        if params.text_document.uri in self._opened:
            await self._load_python(params.text_document.uri)

    async def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a text that was closed, and its mistakes."""
        if self._opened.pop(params.text_document.uri, None) is not None:
            self._publish(params.text_document.uri, [])

    async def _read(self, uri: str) -> None:
        document = self._document(uri)
        version, path = document.version, Path(to_fs_path(uri) or "")
        reading = await asyncio.to_thread(read, path, document.source)
        if uri in self._opened and self._document(uri).version == version:
            self._take(uri, reading)

    async def _load_python(self, uri: str) -> None:
        opened, path = self._opened[uri], Path(to_fs_path(uri) or "")
        if not (
            self._allow_python and path.suffix == ".py" and opened.reading.outline and opened.reading.outline.symbols
        ):
            return
        reading = await asyncio.to_thread(load_python, path, opened.reading.outline)
        if self._opened.get(uri) is opened:
            self._take(uri, reading)

    def _take(self, uri: str, reading: Reading) -> None:
        opened = self._opened[uri]
        opened.reading = reading
        opened.outline = reading.outline or opened.outline
        self._publish(uri, [self._diagnostic(uri, one) for one in reading.mistakes])
        self._refresh()

    def _document(self, uri: str) -> Any:
        return self.server.workspace.get_text_document(uri)

    def _publish(self, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))

    def _refresh(self) -> None:
        """Ask the editor to draw the code lenses again, if it can."""
        lenses = getattr(self.server.client_capabilities.workspace, "code_lens", None)
        if lenses is not None and lenses.refresh_support:
            self.server.workspace_code_lens_refresh(None)

    # Places

    def _range(self, uri: str, first: tuple[int, int], last: tuple[int, int]) -> types.Range:
        found = types.Range(types.Position(*first), types.Position(*last))
        converted: types.Range = self._codec().range_to_client_units(self._document(uri).lines, found)
        return converted

    def _codec(self) -> Any:
        return self.server.workspace.position_codec

    def _span_range(self, uri: str, source: Source, span: Span) -> types.Range:
        return self._range(uri, *place_of(source, span))

    def _offset(self, uri: str, position: types.Position) -> int:
        document = self._document(uri)
        found = self._codec().position_from_client_units(document.lines, position)
        return sum(len(line) for line in document.lines[: found.line]) + int(found.character)

    def _diagnostic(self, uri: str, mistake: Mistake) -> types.Diagnostic:
        place = self._range(uri, mistake.first, mistake.last)
        return types.Diagnostic(place, mistake.message, severity=types.DiagnosticSeverity.Error, source="strandline")

    def _symbol(self, params: types.HoverParams | types.DefinitionParams) -> tuple[Outline, Symbol] | None:
        uri = params.text_document.uri
        opened = self._opened.get(uri)
        if opened is None or opened.outline is None:
            return None
        found = opened.outline.symbol_at(self._document(uri).source, self._offset(uri, params.position))
        return None if found is None else (opened.outline, found)

    # Requests about names

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Show the type and the range of a name, and where it is written."""
        found = self._symbol(params)
        if found is None:
            return None
        outline, symbol = found
        proved = await asyncio.to_thread(outline.range_of, symbol)
        lines = [f"**{symbol.name}**: {symbol.kind.value}, {symbol.detail}"]
        lines += [f"in reachable states at most {proved}"] if proved else []
        written = sorted({outline.source.position(span.start)[0] for span in symbol.writes})
        if symbol.kind is SymbolKind.VARIABLE:
            lines += [f"written in {_lines(written)}" if written else "never written"]
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(lines)))

    async def definition(self, params: types.DefinitionParams) -> types.Location | None:
        """Return the declaration of a name, which may stand in another file than the claim."""
        found = self._symbol(params)
        if found is None or found[1].span is None:
            return None
        outline, symbol = found
        uri = from_fs_path(outline.source.name) or params.text_document.uri
        return types.Location(uri, self._span_range(uri, outline.source, symbol.span or Span(0, 0)))

    async def completion(self, params: types.CompletionParams) -> types.CompletionList:
        """Offer the names of the model; behind `Process.` those of that process."""
        uri = params.text_document.uri
        opened = self._opened.get(uri)
        if opened is None or opened.outline is None:
            return types.CompletionList(is_incomplete=False, items=[])
        before = self._document(uri).source[: self._offset(uri, params.position)]
        stem = before[len(before.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'.")) :]
        owner = stem.rpartition(".")[0]
        found = list(opened.outline.members(owner))
        if not found and opened.outline.system is None:
            # In Python the name before the dot is that of a parameter, such as `m` or `me`.
            found = list(opened.outline.members(""))
        return types.CompletionList(is_incomplete=False, items=[_item(one, owner) for one in found])

    # Checks

    async def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Offer to check the model and each of its claims; behind each the last verdict, which opens the trace."""
        uri = params.text_document.uri
        opened = self._opened.get(uri)
        if opened is None or opened.outline is None or not self._checks(uri):
            return []
        places = [("", types.Range(types.Position(0, 0), types.Position(0, 0)))]
        outline = opened.outline
        places += [(one.name, self._span_range(uri, outline.source, one.span)) for one in outline.claims]
        return [lens for name, place in places for lens in self._lenses_of(uri, opened, name, place)]

    def _checks(self, uri: str) -> bool:
        path = Path(to_fs_path(uri) or "")
        return path.suffix in LANGUAGES and (self._allow_python or path.suffix != ".py")

    def _lenses_of(self, uri: str, opened: Opened, name: str, place: types.Range) -> Iterable[types.CodeLens]:
        title = "check this claim" if name else "check the model"
        yield types.CodeLens(place, types.Command(title, CHECK, arguments=[uri, name]))
        found = opened.verdicts.get(name)
        if found is not None:
            command = SHOW if found.trace is not None else CHECK
            yield types.CodeLens(place, types.Command(found.title, command, arguments=[uri, name]))

    async def check(self, uri: str, name: str = "") -> dict[str, Any] | None:
        """Check a claim of an open model, or all; return the verdict and show it beside the claim."""
        opened = self._opened.get(uri)
        if opened is None or opened.outline is None or not self._checks(uri):
            return None
        outline = opened.outline
        path = Path(to_fs_path(uri) or "")
        found = await asyncio.to_thread(check_claim, path, outline, name, self._budget)
        if self._opened.get(uri) is opened and opened.outline is outline:
            opened.verdicts[name] = found
            mistakes = [self._diagnostic(uri, one) for one in opened.reading.mistakes]
            self._publish(uri, mistakes + list(self._violations(uri, opened)))
            self._refresh()
        return {"verdict": found.answer, "title": found.title, "trace": found.trace}

    def _violations(self, uri: str, opened: Opened) -> Iterable[types.Diagnostic]:
        outline = opened.outline
        if outline is None:
            return
        claims = {one.name: one.span for one in outline.claims}
        for name, found in opened.verdicts.items():
            if found.answer == "VIOLATED":
                place = self._span_range(uri, outline.source, claims.get(name, Span(0, 0)))
                related = [
                    types.DiagnosticRelatedInformation(
                        types.Location(uri, self._span_range(uri, outline.source, span)), f"{number}  {action}"
                    )
                    for number, (action, span) in enumerate(found.steps[:_MOST_RELATED], 1)
                    if span is not None
                ]
                words = f"{name or 'the model'}: {found.title}"
                severity = types.DiagnosticSeverity.Warning
                yield types.Diagnostic(
                    place, words, severity=severity, source="strandline check", related_information=related
                )

    async def show_trace(self, uri: str, name: str = "") -> str | None:
        """Open the trace of the last check of a claim in the editor; return the name of the file."""
        opened = self._opened.get(uri)
        found = None if opened is None else opened.verdicts.get(name)
        if found is None or found.trace is None:
            return None
        file = self._folder / f"{Path(to_fs_path(uri) or 'model').stem}.trace.txt"
        file.write_text(found.trace, encoding="utf-8")
        window = self.server.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            self.server.window_show_document(types.ShowDocumentParams(file.as_uri()), None)
        return str(file)


def _function(method: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
    """Return the method as a function, which pygls can mark."""

    async def handle(params: Any) -> Any:
        return await method(params)

    return handle


def _is_model(uri: str) -> bool:
    path = Path(to_fs_path(uri) or "")
    return path.suffix in LANGUAGES or path.name == "expected.toml"


def _lines(numbers: list[int]) -> str:
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _item(symbol: Symbol, owner: str) -> types.CompletionItem:
    label = symbol.short if owner else symbol.name
    return types.CompletionItem(label, kind=_COMPLETION_KINDS[symbol.kind], detail=symbol.detail)


def serve(*, allow_python: bool, budget: Budget) -> None:
    """Serve an editor on standard input and output until it ends the server."""
    with tempfile.TemporaryDirectory(prefix="strandline-lsp-") as folder:
        ModelServer(Path(folder), allow_python=allow_python, budget=budget).server.start_io()
