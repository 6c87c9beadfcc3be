"""Parsing of terms, the behaviour of processes, and of compositions, the structure of networks."""

from __future__ import annotations

from strandline.languages.process.lexer import Kind
from strandline.languages.process.lts import TAU
from strandline.languages.process.reader import Reader
from strandline.languages.process.syntax import (
    Alternatives,
    Arithmetic,
    Call,
    Composition,
    Conditional,
    ConditionalPart,
    Hidden,
    Label,
    Member,
    Parallel,
    Prefix,
    Renamed,
    Replicated,
    ReplicatedParallel,
    Stop,
    Term,
)


class TermReader(Reader):
    """Parses the right sides of definitions; `arrows` counts the arrows of the current definition so far."""

    arrows = 0

    # Terms

    def term(self) -> Term:
        """Parse `[|] alternative | alternative ...`, a choice."""
        with self.nested():
            self.skip("|")
            options = [self._alternative()]
            while self.skip("|"):
                options.append(self._alternative())
            return options[0] if len(options) == 1 else Alternatives(tuple(options))

    def _alternative(self) -> Term:
        """Parse a chain of actions and the term behind it."""
        row: list[tuple[Label, int]] = []
        while self._at_action():
            label = self.label()
            self.expect("->")
            self.arrows += 1
            row.append((label, self.arrows))
        term = self._end_of_row()
        for label, number in reversed(row):
            term = Prefix(label, term, number)
        return term

    def _at_action(self) -> bool:
        return self.token.kind is Kind.STRING or self.at(TAU) or self.at_name_before("->", "[")

    def _end_of_row(self) -> Term:
        token = self.token
        if self.at_name_before(":"):
            binders = self.binders()
            with self.nested():
                return Replicated(binders, self._alternative())
        if self.skip("if"):
            condition = self.expression()
            self.expect("then")
            with self.nested():
                then = self._alternative()
                return Conditional(condition, then, self._alternative() if self.skip("else") else None)
        if self.skip("("):
            inner = self.term()
            self.expect(")")
            return inner
        if self.skip("STOP"):
            return Stop(token.span)
        if token.kind is not Kind.NAME:
            self.fail("an action, a process, 'if', '(' or 'STOP'")
        return self.call("the name of a process")

    def call(self, meaning: str) -> Call:
        """Parse `Name` or `Name(arguments)`."""
        start = self.name(meaning)
        arguments: list[Arithmetic] = []
        if self.skip("("):
            arguments.append(self.expression())
            while self.skip(","):
                arguments.append(self.expression())
            self.end_list(")")
        return Call(start.text, tuple(arguments), self.since(start))

    # Compositions

    def composition(self) -> Composition:
        """Parse `[||] member || member ...`, a parallel composition."""
        with self.nested():
            self.skip("||")
            members = [self._member()]
            while self.skip("||"):
                members.append(self._member())
            return members[0] if len(members) == 1 else Parallel(tuple(members))

    def _member(self) -> Composition:
        if self.at_name_before(":"):
            binders = self.binders()
            with self.nested():
                return ReplicatedParallel(binders, self._member())
        if self.skip("if"):
            condition = self.expression()
            self.expect("then")
            with self.nested():
                then = self._member()
                return ConditionalPart(condition, then, self._member() if self.skip("else") else None)
        found = self._single()
        while self.at("hide", "rename"):
            found = Hidden(found, self._labels()) if self.take().text == "hide" else Renamed(found, self._pairs())
        return found

    def _single(self) -> Composition:
        if self.skip("("):
            inner = self.composition()
            self.expect(")")
            return inner
        call = self.call("a component, 'if' or '('")
        alias = self.name("another name for the component").text if self.skip("as") else None
        return Member(call, alias)

    def _labels(self) -> tuple[Label, ...]:
        """Parse `{a, b[0..2]}`."""
        self.expect("{")
        labels = [self.visible_label()]
        while self.skip(","):
            labels.append(self.visible_label())
        self.end_list("}")
        return tuple(labels)

    def alphabet(self) -> tuple[Label, ...]:
        return self._labels() if self.skip("alphabet") else ()

    def _pairs(self) -> tuple[tuple[Label, Label], ...]:
        """Parse `{old to new, old to new}`."""
        self.expect("{")
        pairs = [self._pair()]
        while self.skip(","):
            pairs.append(self._pair())
        self.end_list("}")
        return tuple(pairs)

    def _pair(self) -> tuple[Label, Label]:
        old = self.visible_label()
        self.expect("to")
        return old, self.visible_label()
