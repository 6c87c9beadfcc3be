"""The control automaton of a proctype, with the control states that SPIN gives it.

A statement is an element. Elements are linked to sequences as in SPIN's translation, so that counts of states agree:
the end of `if` and `do`, `goto` and `break` behind another statement are passed at once; a block has a control state of
its own, which offers what its first statement offers; the last element of an atomic sequence ends it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from strandline.languages.promela.syntax import (
    Block,
    Break,
    Choose,
    Else,
    Goto,
    Proctype,
    Statement,
    Unless,
)
from strandline.languages.promela.tokens import Token

_LONGEST_CHAIN = 500


@dataclass(slots=True, eq=False)
class Element:
    """A statement in its sequence, or a place where control passes."""

    kind: str
    """`step`, `goto`, `pass` (the end of `if`, `do`, `unless`), `choose`, `unless`, `block`, `d_step` or `end`."""
    statement: Statement | None
    following: Element | None = None
    parts: list[Sequence] = field(default_factory=list)
    """The options of a choice; the main sequence and the escape of `unless`; the body of a block."""
    atomic: bool = False
    """True if control stays in an atomic sequence behind it."""
    last: bool = False
    """True if it ends an atomic sequence."""
    escapes: list[Sequence] = field(default_factory=list)
    """The escapes that interrupt it, the outermost first."""
    d_step: Element | None = None
    """The d_step that contains it."""
    label: str | None = None
    """The target of a `goto`."""
    target: Element | None = None
    """The target of a `break`."""


@dataclass(slots=True, eq=False)
class Sequence:
    """Linked elements; `extent` is the last one that the text contains."""

    first: Element | None = None
    last: Element | None = None
    extent: Element | None = None

    def add(self, element: Element) -> None:
        if self.last is None:
            self.first = element
        else:
            self.last.following = element
        self.last = element

    def elements(self) -> list[Element]:
        """Return the elements up to the extent."""
        found, here = [], self.first
        while here is not None:
            found.append(here)
            if here is self.extent:
                break
            here = here.following
        return found


@dataclass(slots=True, eq=False)
class Transition:
    """A step of a proctype from a control state."""

    element: Element
    target: Element | None
    """The control state behind it; None for the end of the process."""
    continues: bool
    """True if the process goes on in the same step."""
    group: int
    """0 for the main sequence, -1, -2, ... for escapes: lower groups come first."""
    first: bool = False
    """True if it only happens where no earlier one of the same d_step is executable."""


@dataclass(slots=True, eq=False)
class Automaton:
    """A control automaton: its states in the order of their discovery, the initial one first."""

    proctype: Proctype
    states: list[Element]
    steps: dict[Element, list[Transition]]
    labels: dict[str, Element]
    end: Element

    def labelled(self, prefix: str) -> set[Element]:
        """Return the states with a label that begins with a prefix."""
        return {element for name, element in self.labels.items() if name.startswith(prefix)}


def build(proctype: Proctype, referenced: Collection[str] = ()) -> Automaton:
    """Return the control automaton of a proctype. Raises `ModelError` for a jump that is not allowed.

    `referenced` are the labels that `P@label` mentions: a `goto` with such a label is a step.
    """
    return _Builder(proctype, referenced).automaton()


class _Builder:
    def __init__(self, proctype: Proctype, referenced: Collection[str]) -> None:
        self.proctype, self.referenced = proctype, referenced
        self.labels: dict[tuple[str, tuple[int, ...]], Element] = {}
        """The elements with labels; a label of an inline exists once for each call."""
        self.breaks: list[Element] = []
        self.body = self._sequence(proctype.body)
        self.end = Element("end", None)
        self.body.add(self.end)
        self._link(self.body)

    def automaton(self) -> Automaton:
        assert self.body.first is not None
        initial = self._hunt(self.body.first, self.body.first.atomic)
        states, waiting = [initial], [initial]
        steps: dict[Element, list[Transition]] = {}
        seen = {initial}
        while waiting:
            here = waiting.pop(0)
            steps[here] = list(self._transitions(here))
            for one in steps[here]:
                if one.target is not None and one.target not in seen:
                    seen.add(one.target)
                    states.append(one.target)
                    waiting.append(one.target)
        labels: dict[str, Element] = {}
        for (name, _), element in self.labels.items():
            labels[name if name not in labels else f"{name}'{len(labels)}"] = self._place(element)
        return Automaton(self.proctype, states, steps, labels, self.end)

    def _place(self, element: Element) -> Element:
        while element.kind == "unless":
            first = element.parts[0].first
            assert first is not None
            element = first
        return element

    # --- sequences --------------------------------------------------------------------------------------------

    def _sequence(self, statements: list[Statement]) -> Sequence:
        sequence = Sequence()
        for statement in statements:
            element = self._element(statement, sequence)
            for label in statement.labels:
                if (label.text, statement.scope) in self.labels:
                    label.model_error(f"the label '{label.text}' is set twice")
                self.labels[label.text, statement.scope] = element
        sequence.extent = sequence.last
        return sequence

    def _element(self, statement: Statement, sequence: Sequence) -> Element:
        match statement:
            case Choose():
                return self._choose(statement, sequence)
            case Unless(body=body, escape=escape):
                element, behind = Element("unless", statement), Element("pass", None)
                element.parts = [self._sequence(body), self._sequence(escape)]
                for part in element.parts:
                    part.add(behind)
                for one in element.parts[0].elements():
                    _attach(one, element.parts[1])
                sequence.add(element)
                sequence.add(behind)
                return element
            case Block(kind=kind, body=body):
                element = Element("d_step" if kind == "d_step" else "block", statement)
                element.parts = [self._sequence(body)]
                if kind != "plain":
                    _make_atomic(element.parts[0], kind == "d_step")
                sequence.add(element)
                return element
            case Goto(label=label):
                element = Element("goto", statement, label=label)
            case Break():
                if not self.breaks:
                    statement.token.model_error("'break' outside of a loop")
                element = Element("goto", statement, target=self.breaks[-1])
            case _:
                element = Element("step", statement)
        sequence.add(element)
        return element

    def _choose(self, statement: Choose, sequence: Sequence) -> Element:
        element, behind = Element("choose", statement), Element("pass", None)
        exit_place = Element("pass", None)
        if statement.repeats:
            self.breaks.append(exit_place)
        options = [self._sequence(option) for option in statement.options]
        if statement.repeats:
            self.breaks.pop()
        others = [one for one in options if not _begins_with_else(one)]
        final = [one for one in options if _begins_with_else(one)]
        if len(final) > 1:
            statement.token.model_error("two options begin with 'else'")
        element.parts = others + final
        for option in element.parts:
            option.add(behind)
        if statement.repeats:
            sequence.add(behind)
            sequence.add(element)
            sequence.add(exit_place)
        else:
            sequence.add(element)
            sequence.add(behind)
        return element

    def _link(self, sequence: Sequence) -> None:
        """Connect the ends of blocks with the text behind them, and settle jumps between atomic sequences."""
        for element in sequence.elements():
            for part in element.parts:
                if element.kind in ("block", "d_step"):
                    assert part.last is not None
                    part.last.following = element.following
                self._link(part)
                if element.kind == "d_step":
                    _mark(part, element)
                if element.kind in ("block", "d_step"):
                    self._patch(part)

    def _patch(self, sequence: Sequence) -> None:
        """Let jumps out of atomic sequences end them, and jumps into others continue them."""
        for element in sequence.elements():
            if element.kind == "goto":
                target = self._goto(element)
                inside = target.atomic or target.last
                if (element.atomic or element.last) and not inside:
                    element.atomic, element.last = False, True
                if element.last and inside:
                    element.atomic, element.last = True, False
            elif element.kind in ("choose", "unless"):
                for part in element.parts:
                    self._patch(part)

    def _goto(self, element: Element) -> Element:
        if element.target is not None:
            return element.target
        assert element.label is not None
        assert element.statement is not None
        scope = element.statement.scope
        known = (self.labels.get((element.label, scope[:end])) for end in range(len(scope), -1, -1))
        target = next((one for one in known if one is not None), None)
        if target is None:
            element.statement.token.model_error(f"there is no label '{element.label}'")
        return target

    # --- states -----------------------------------------------------------------------------------------------

    def _hunt(self, element: Element, atomic: bool) -> Element:
        """Return the control state where a step to an element ends."""
        here = element
        for _ in range(_LONGEST_CHAIN):
            if here.kind == "goto" and self._is_referenced(here):
                return here
            if here.kind == "goto":
                following = self._goto(here)
            elif here.kind == "pass":
                if here.following is None:
                    return here
                following = here.following
            elif here.kind == "unless":
                first = here.parts[0].first
                assert first is not None
                following = self._hunt(first, atomic)
            else:
                return here
            if atomic and not following.atomic:
                return here
            here = following
        token = _token(element) or self.proctype.token
        token.model_error("a loop of jumps without a statement")

    def _is_referenced(self, element: Element) -> bool:
        labels = [] if element.statement is None else element.statement.labels
        return any(one.text in self.referenced for one in labels)

    def _start(self, element: Element) -> Element:
        """Return the element whose steps a choice or a block offers."""
        here = element
        while True:
            if here.kind == "pass" and here.following is not None:
                here = here.following
            elif here.kind == "unless":
                first = here.parts[0].first
                assert first is not None
                here = first
            else:
                return here

    def _offered(self, state: Element, depth: int = 0) -> list[tuple[Element, tuple[Element, ...]]]:
        """Return the elements that can be executed in a state, each with the d_steps and choices it lies in."""
        if depth > _LONGEST_CHAIN:
            (_token(state) or self.proctype.token).model_error("blocks in each other without end")
        if state.kind not in ("choose", "block", "d_step"):
            return [(state, ())]
        found = []
        for part in state.parts:
            assert part.first is not None
            for element, around in self._offered(self._start(part.first), depth + 1):
                found.append((element, (state, *around)))
        return found

    def _transitions(self, state: Element) -> list[Transition]:
        offered = self._offered(state)
        escapes: list[Sequence] = []
        for element, around in offered:
            for one in (*around, element):
                if state.d_step is None and one.kind != "pass":
                    escapes += [escape for escape in one.escapes if escape not in escapes]
        found: list[Transition] = []
        for number, escape in enumerate(escapes):
            assert escape.first is not None
            start = self._hunt(escape.first, state.atomic)
            for element, _ in self._offered(start):
                found.append(self._transition(element, number - len(escapes)))
        found += [self._transition(element, 0) for element, _ in offered]
        if len(offered) == 1 and _loops(found[-1], state):
            token = _token(state) or self.proctype.token
            token.model_error("a loop of nothing: this statement leads back to itself without effect")
        return found

    def _transition(self, element: Element, group: int) -> Transition:
        if element.kind == "end":
            return Transition(element, None, False, group)
        following = self._goto(element) if element.kind == "goto" else element.following
        assert following is not None
        target = self._hunt(following, element.atomic)
        around = element.d_step
        if around is not None and target.d_step is not around:
            if element.kind == "goto" and element.label is not None:
                assert element.statement is not None
                element.statement.token.model_error("a jump out of a d_step")
            assert around.following is not None
            target = self._hunt(around.following, around.atomic)
            return Transition(element, target, around.atomic, group, True)
        if around is None and target.d_step is not None:
            (_token(element) or self.proctype.token).model_error("a jump into a d_step")
        return Transition(element, target, element.atomic or around is not None, group, around is not None)


def _loops(transition: Transition, state: Element) -> bool:
    """Return True if the only step of a state is a `skip` or a jump back to it."""
    from strandline.languages.promela.syntax import Condition, Number

    statement = transition.element.statement
    idle = transition.element.kind in ("goto", "pass") or (
        isinstance(statement, Condition)
        and isinstance(statement.expression, Number)
        and statement.token.text in ("skip",)
        and statement.expression.value != 0
    )
    return idle and transition.target is state


def _token(element: Element) -> Token | None:
    return None if element.statement is None else element.statement.token


def _begins_with_else(option: Sequence) -> bool:
    return option.first is not None and isinstance(option.first.statement, Else)


def _attach(element: Element, escape: Sequence) -> None:
    """Let an escape interrupt an element and everything in it."""
    if escape in element.escapes:
        return
    for lower in element.escapes:
        for one in lower.elements():
            _attach(one, escape)
    element.escapes.insert(0, escape)
    if element.kind in ("choose", "block"):
        for part in element.parts:
            for one in part.elements():
                _attach(one, escape)
    elif element.kind == "unless":
        for one in element.parts[0].elements():
            _attach(one, escape)


def _make_atomic(sequence: Sequence, is_d_step: bool) -> None:
    """Mark the elements of an atomic sequence; its last one ends it."""
    _walk_atomic(sequence, is_d_step)
    last = sequence.last
    assert last is not None
    if last.kind == "block" or last.kind == "unless":
        _make_atomic(last.parts[0], is_d_step)
    else:
        last.atomic, last.last = False, True


def _walk_atomic(sequence: Sequence, is_d_step: bool) -> None:
    here = sequence.first
    while here is not None:
        here.atomic = True
        if here.kind == "d_step" and is_d_step:
            here.kind = "block"
        if here.kind in ("choose", "block", "unless"):
            for part in here.parts:
                _walk_atomic(part, is_d_step)
        if here is sequence.last:
            return
        here = here.following


def _mark(sequence: Sequence, d_step: Element) -> None:
    """Note on all elements of a d_step that they are inside it."""
    here = sequence.first
    while here is not None:
        here.d_step = d_step
        for part in here.parts:
            _mark(part, d_step)
        if here is sequence.last:
            return
        here = here.following
