"""Free and bound names of program parts, and iteration over subterms.

Long chains of arrows are walked without recursion; other constructs nest only as deep as the parser allows.
"""

from __future__ import annotations

from collections.abc import Iterator

from strandline.languages.process.syntax import (
    Alternatives,
    Arithmetic,
    Binary,
    Binder,
    Call,
    Composition,
    Conditional,
    ConditionalPart,
    Hidden,
    Label,
    Located,
    Member,
    Name,
    Number,
    Parallel,
    Prefix,
    Renamed,
    Replicated,
    ReplicatedParallel,
    Stop,
    Term,
    Unary,
)
from strandline.source import Span

Names = dict[str, Span]
"""Names with the source positions of their first occurrences."""


def expression_names(expression: Arithmetic) -> Iterator[Name]:
    """Yield every name in an expression, left to right."""
    waiting = [expression]
    while waiting:
        match waiting.pop():
            case Name() as name:
                yield name
            case Unary(operand=operand):
                waiting.append(operand)
            case Binary(left=left, right=right):
                waiting += [right, left]
            case Located(component=component, state=state):
                parts = [*(component.positions or ()), *((state.positions if state else None) or ())]
                waiting += [part for part in reversed(parts) if part is not None]
            case Number():
                pass


def free_names(term: Term) -> Names:
    """Return the free names of a term."""
    row: list[Prefix] = []
    while isinstance(term, Prefix):
        row.append(term)
        term = term.continuation
    found = _behind_arrows(term)
    for prefix in reversed(row):
        found = _through_label(prefix.label, found)
    return found


def _behind_arrows(term: Term) -> Names:
    match term:
        case Alternatives(options=options):
            return _union(*map(free_names, options))
        case Replicated(binders=binders, body=body):
            return _through_binders(binders, free_names(body))
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            branches = [then] if otherwise is None else [then, otherwise]
            return _union(_of(condition), *map(free_names, branches))
        case Call(arguments=arguments):
            return _union(*map(_of, arguments))
        case Stop() | Prefix():
            return {}


def composition_names(part: Composition) -> Names:
    """Return the free names of a composition."""
    match part:
        case Member(call=call):
            return free_names(call)
        case Parallel(members=members):
            return _union(*map(composition_names, members))
        case ReplicatedParallel(binders=binders, body=body):
            return _through_binders(binders, composition_names(body))
        case ConditionalPart(condition=condition, then=then, otherwise=otherwise):
            branches = [then] if otherwise is None else [then, otherwise]
            return _union(_of(condition), *map(composition_names, branches))
        case Hidden(body=body, labels=labels):
            return _union(composition_names(body), *(_through_label(label, {}) for label in labels))
        case Renamed(body=body, pairs=pairs):
            renamed = (_through_label(old, _through_label(new, {})) for old, new in pairs)
            return _union(composition_names(body), *renamed)


def label_names(labels: tuple[Label, ...]) -> Names:
    """Return the free names of labels."""
    return _union(*(_through_label(label, {}) for label in labels))


def subterms(term: Term) -> Iterator[Term]:
    """Yield a term and all its subterms."""
    waiting = [term]
    while waiting:
        part = waiting.pop()
        yield part
        match part:
            case Prefix(continuation=continuation):
                waiting.append(continuation)
            case Alternatives(options=options):
                waiting += reversed(options)
            case Replicated(body=body):
                waiting.append(body)
            case Conditional(then=then, otherwise=otherwise):
                waiting += [then] if otherwise is None else [otherwise, then]
            case Stop() | Call():
                pass


def subcompositions(composition: Composition) -> Iterator[Composition]:
    """Yield a composition and all its parts."""
    waiting = [composition]
    while waiting:
        part = waiting.pop()
        yield part
        match part:
            case Parallel(members=members):
                waiting += reversed(members)
            case ReplicatedParallel(body=body) | Hidden(body=body) | Renamed(body=body):
                waiting.append(body)
            case ConditionalPart(then=then, otherwise=otherwise):
                waiting += [then] if otherwise is None else [otherwise, then]
            case Member():
                pass


def binders(part: Term | Composition) -> Iterator[Binder]:
    """Yield the index declarations (`i: 0..3`) of a part itself, without those of its subterms."""
    labels: tuple[Label, ...] = ()
    match part:
        case Replicated(binders=own) | ReplicatedParallel(binders=own):
            yield from own
        case Prefix(label=label):
            labels = (label,)
        case Hidden(labels=hidden):
            labels = hidden
        case Renamed(pairs=pairs):
            labels = tuple(label for pair in pairs for label in pair)
        case _:
            pass
    for label in labels:
        yield from (index for index in label.indices if isinstance(index, Binder))


def _of(expression: Arithmetic) -> Names:
    found: Names = {}
    for name in expression_names(expression):
        found.setdefault(name.text, name.span)
    return found


def _union(*parts: Names) -> Names:
    found: Names = {}
    for part in parts:
        for name, span in part.items():
            found.setdefault(name, span)
    return found


def _through_binders(binders: tuple[Binder, ...], inner: Names) -> Names:
    for binder in reversed(binders):
        free = {name: span for name, span in inner.items() if name != binder.name}
        inner = _union(_of(binder.low), _of(binder.high), free)
    return inner


def _through_label(label: Label, inner: Names) -> Names:
    """Return the free names of a label and of the part in its scope, whose own free names are `inner`."""
    for index in reversed(label.indices):
        inner = _through_binders((index,), inner) if isinstance(index, Binder) else _union(_of(index), inner)
    return inner
