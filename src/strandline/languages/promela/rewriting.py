"""Small pieces of text and syntax that the parser rewrites."""

from __future__ import annotations

from collections.abc import Sequence

from strandline.languages.promela.syntax import Block, Statement, Unless
from strandline.languages.promela.tokens import Token


def text_of(tokens: Sequence[Token]) -> str:
    """Return the text of an expression without parentheses around all of it."""
    first, last = tokens[0], tokens[-1]
    depth, closed = 0, 0
    for number, one in enumerate(tokens):
        depth += (one.text == "(") - (one.text == ")")
        if depth == 0:
            closed = number
            break
    if first.text == "(" and closed == len(tokens) - 1 and len(tokens) > 2:
        return text_of(tokens[1:-1])
    if any(one.origins or one.source is not first.source for one in tokens):
        return " ".join(one.text for one in tokens)
    return " ".join(first.source.text[first.span.start : last.span.end].split())


def unless_of(token: Token, body: list[Statement], escape: list[Statement]) -> Statement:
    """Return the statement `body unless escape`; braces around them make no blocks."""
    if len(escape) == 1 and isinstance(escape[0], Block) and escape[0].kind == "plain" and not escape[0].labels:
        escape = escape[0].body
    if len(body) == 1 and isinstance(body[0], Block):
        block = body[0]
        if block.labels:
            # The label stands for the block with its escape.
            return Block(
                block.token, block.kind, [Unless(token, block.body, escape)], labels=block.labels, scope=block.scope
            )
        if block.kind == "plain":
            body = block.body
    return Unless(token, body, escape)


def split_arguments(tokens: list[Token]) -> list[list[Token]]:
    """Split the arguments of an inline at their commas."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if token.text == "," and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return found if found != [[]] else []
