"""From tokens to the outline of a model, by recursive descent; expressions are skipped, not parsed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from strandline.languages.dve.lexer import KEYWORDS, Tokens
from strandline.languages.dve.syntax import (
    AssertionSyntax,
    ChannelSyntax,
    ModelSyntax,
    ProcessSyntax,
    TransitionSyntax,
    VariableSyntax,
)

_OTHER_ACCEPTANCE = frozenset({"genbuchi", "muller", "rabin", "streett"})
_EXPRESSION_KEYWORDS = frozenset({"and", "or", "not", "imply", "true", "false"})
_TRANSITION_PARTS = ("guard", "sync", "effect")


@dataclass(slots=True)
class _Body:
    """The parts of a process parsed so far; None marks a missing clause."""

    variables: list[VariableSyntax] = field(default_factory=list)
    channels: list[ChannelSyntax] = field(default_factory=list)
    states: tuple[int, ...] | None = None
    initial: int | None = None
    accepting: list[int] = field(default_factory=list)
    committed: list[int] = field(default_factory=list)
    assertions: list[AssertionSyntax] = field(default_factory=list)
    transitions: tuple[TransitionSyntax, ...] | None = None


class Parser:
    """Parses a model in one pass; `place` is the index of the current token."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.texts = tokens.texts
        self.place = 0

    def model(self) -> ModelSyntax:
        variables: list[VariableSyntax] = []
        channels: list[ChannelSyntax] = []
        processes: list[ProcessSyntax] = []
        while True:
            if self._declaration(variables, channels):
                continue
            if self.texts[self.place] == "process":
                processes.append(self._process())
            elif self.texts[self.place] == "system":
                break
            elif processes and self.texts[self.place] == "":
                self.tokens.syntax_error("the 'system' line is missing", self.place)
            elif processes:
                self._fail("'process' or 'system'")
            else:
                self._fail("a declaration or 'process'")
        if not processes:
            self._fail("'process' before 'system': a model needs at least one process")
        synchronous, name = self._system()
        return ModelSyntax(tuple(variables), tuple(channels), tuple(processes), synchronous, name)

    def _system(self) -> tuple[bool, int | None]:
        self._expect("system")
        kind = self._expect("async", "sync")
        name = self._name("the name of the property process") if self._skip("property") else None
        self._expect(";")
        if self.texts[self.place] != "":
            self._fail("the end of the text after the 'system' line")
        return self.texts[kind] == "sync", name

    # Declarations

    def _declaration(self, variables: list[VariableSyntax], channels: list[ChannelSyntax]) -> bool:
        """Parse a declaration of variables, constants or channels; return False if there is none here."""
        word = self.texts[self.place]
        if word in ("byte", "int", "const"):
            constant = self._skip("const")
            kind = self.texts[self._expect("byte", "int")]
            variables.append(self._variable(kind, constant))
            while self._skip(","):
                variables.append(self._variable(kind, constant))
        elif word == "channel":
            self.place += 1
            types = self._types() if self._skip("{") else None
            channels.append(self._channel(types))
            while self._skip(","):
                channels.append(self._channel(types))
        else:
            return False
        self._end_list(";")
        return True

    def _variable(self, kind: str, constant: bool) -> VariableSyntax:
        name = self._name("a name")
        length = None
        if self._skip("["):
            length = self.place
            self._skip_expression()
            self._expect("]")
        if not self._skip("="):
            return VariableSyntax(name, kind, constant, length, None, False)
        braces = self._skip("{")
        initial = [self.place]
        self._skip_expression()
        while braces and self._skip(","):
            initial.append(self.place)
            self._skip_expression()
        if braces:
            self._end_list("}")
        return VariableSyntax(name, kind, constant, length, tuple(initial), braces)

    def _types(self) -> tuple[str, ...]:
        types = [self.texts[self._expect("byte", "int")]]
        while self._skip(","):
            types.append(self.texts[self._expect("byte", "int")])
        self._end_list("}")
        return tuple(types)

    def _channel(self, types: tuple[str, ...] | None) -> ChannelSyntax:
        name = self._name("the name of a channel")
        capacity = None
        if self._skip("["):
            capacity = self.place
            self._skip_expression()
            self._expect("]")
        return ChannelSyntax(name, types, capacity)

    # Processes

    def _process(self) -> ProcessSyntax:
        self.place += 1
        name = self._name("the name of the process")
        opening = self._expect("{")
        body = _Body()
        while not self._skip("}"):
            if self.texts[self.place] == "":
                self.tokens.syntax_error(f"process '{self.texts[name]}' is never closed: '}}' is missing", opening)
            if not self._declaration(body.variables, body.channels):
                self._clause(body)
        if body.states is None:
            self.tokens.syntax_error(f"process '{self.texts[name]}' has no 'state' line", name)
        if body.initial is None:
            self.tokens.syntax_error(f"process '{self.texts[name]}' has no 'init' line", name)
        return ProcessSyntax(
            name,
            tuple(body.variables),
            tuple(body.channels),
            body.states,
            body.initial,
            tuple(body.accepting),
            tuple(body.committed),
            tuple(body.assertions),
            body.transitions or (),
        )

    def _clause(self, body: _Body) -> None:
        """Parse one clause of a process: `state`, `init`, `accept`, `commit`, `assert` or `trans`, in any order."""
        word = self.texts[self.place]
        self.place += 1
        if word == "state" and body.states is None:
            body.states = self._names()
        elif word == "init" and body.initial is None:
            body.initial = self._name("the name of the initial state")
            self._expect(";")
        elif word == "accept":
            body.accepting.extend(self._accepting())
        elif word == "commit":
            body.committed.extend(self._names())
        elif word == "assert":
            body.assertions.extend(self._assertions())
        elif word == "trans" and body.transitions is None:
            body.transitions = self._transitions()
        else:
            self.place -= 1
            if word in ("state", "init", "trans"):
                self.tokens.syntax_error(f"this process has a '{word}' line already", self.place)
            self._fail("a declaration, 'state', 'init', 'accept', 'commit', 'assert', 'trans' or '}'")

    def _accepting(self) -> tuple[int, ...]:
        word = self.texts[self.place]
        if word in _OTHER_ACCEPTANCE and self.texts[self.place + 1] == "(":
            self.tokens.syntax_error(f"acceptance of kind '{word}' is not supported, only Büchi", self.place)
        if word == "buchi" and self.tokens.is_name(self.place + 1):
            self.place += 1
        return self._names()

    def _names(self) -> tuple[int, ...]:
        names = [self._name("the name of a state")]
        while self._skip(","):
            names.append(self._name("the name of a state"))
        self._end_list(";")
        return tuple(names)

    def _assertions(self) -> list[AssertionSyntax]:
        assertions: list[AssertionSyntax] = []
        while not assertions or self._skip(","):
            state = self._name("the name of a state")
            self._expect(":")
            assertions.append(AssertionSyntax(state, self.place))
            self._skip_expression()
        self._end_list(";")
        return assertions

    # Transitions

    def _transitions(self) -> tuple[TransitionSyntax, ...]:
        """Parse transitions, separated by optional commas and ended by an optional semicolon."""
        transitions: list[TransitionSyntax] = []
        source: int | None = None
        while True:
            transition = self._transition(source)
            transitions.append(transition)
            source = transition.source
            if self._skip(","):
                continue
            if not self.tokens.is_name(self.place) and self.texts[self.place] != "->":
                break
        if not self._skip(";") and self.texts[self.place] != "}":
            self._fail("',' or ';'")
        return tuple(transitions)

    def _transition(self, source: int | None) -> TransitionSyntax:
        first = self.place
        if self.texts[first] != "->":
            source = self._name("a transition")
        elif source is None:
            self.tokens.syntax_error("the first transition must name its source state", first)
        if self.texts[self.place] == "=>":
            self.tokens.syntax_error("probabilistic transitions are not supported", self.place)
        self._expect("->")
        target = self._name("the name of the target state")
        self._expect("{")
        parts: dict[str, int] = {}
        while not self._skip("}"):
            self._part(parts)
        guard, sync, effect = map(parts.get, _TRANSITION_PARTS)
        return TransitionSyntax(source, target, first, guard, sync, effect)

    def _part(self, parts: dict[str, int]) -> None:
        word = self.texts[self.place]
        if word not in _TRANSITION_PARTS:
            self._fail("'guard', 'sync', 'effect' or '}'")
        if word in parts:
            self.tokens.syntax_error(f"this transition has a '{word}' already", self.place)
        self.place += 1
        parts[word] = self.place
        self._skip_part(word)

    def _skip_part(self, word: str) -> None:
        """Skip the rest of a part of a transition (`guard`, `sync` or `effect`) and the semicolon that ends it.

        One call of `list.index` finds the semicolon, because most of a large file is guards, and each is parsed later
        anyway. A brace that cannot be inside a part shows that the semicolon is missing.
        """
        texts, start = self.texts, self.place
        try:
            end = texts.index(";", start)
        except ValueError:
            end = self.tokens.count
        inside = texts[start:end]
        if "{" in inside or "}" in inside:
            self._check_braces(word, start, end)
        self.place = end
        self._expect(";")

    def _check_braces(self, word: str, start: int, end: int) -> None:
        """Check that braces enclose messages only; any other means that the semicolon before it is missing."""
        depth = 0
        for place in range(start, end):
            brace = self.texts[place]
            if brace == "{":
                depth += 1
            elif brace == "}":
                depth -= 1
            if depth < 0 or (depth > 0 and word != "sync") or depth > 1:
                self.place = place
                self._fail("';'")
        if depth > 0:
            self.place = end
            self._fail("'}'")

    # Tokens

    def _fail(self, expected: str) -> NoReturn:
        hint = "; a truth is a byte, 0 or 1" if self.texts[self.place] in ("bool", "boolean") else ""
        self.tokens.syntax_error(f"expected {expected}, found {self.tokens.describe(self.place)}{hint}", self.place)

    def _skip(self, text: str) -> bool:
        if self.texts[self.place] == text:
            self.place += 1
            return True
        return False

    def _expect(self, *choices: str) -> int:
        """Skip one of the choices and return the index of its token."""
        if self.texts[self.place] not in choices:
            self._fail(" or ".join(f"'{choice}'" for choice in choices))
        self.place += 1
        return self.place - 1

    def _end_list(self, closer: str) -> None:
        """Skip the token that ends a list; an error also names the comma, which could continue the list."""
        if not self._skip(closer):
            self._fail(f"',' or '{closer}'")

    def _name(self, meaning: str) -> int:
        if not self.tokens.is_name(self.place):
            self._fail(meaning)
        self.place += 1
        return self.place - 1

    def _skip_expression(self) -> None:
        """Skip an expression without parsing it, to the comma, bracket or semicolon that ends it."""
        texts, depth, start = self.texts, 0, self.place
        while True:
            word = texts[self.place]
            if word in ("(", "["):
                depth += 1
            elif word in (")", "]"):
                if depth == 0:
                    break
                depth -= 1
            elif (
                word in ("", ";", "{", "}", ":")
                or (word in KEYWORDS and word not in _EXPRESSION_KEYWORDS)
                or (word == "," and depth == 0)
            ):
                break
            self.place += 1
        if self.place == start:
            self._fail("an expression")
