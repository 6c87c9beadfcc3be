"""The two families of 004 §4.1 for any number of philosophers, as texts in LOTUS.

Person i has fork i on the left and fork i + 1 on the right. A fork lies between two people: `left` says that the one on
its left has it, `right` the one on its right.
"""

from __future__ import annotations

from pathlib import Path

_PEOPLE = "  Person : thinking, want, left, right, eating;\n  Fork : none, left, right;\n"


def dining(count: int, *formulas: str) -> str:
    """Dining philosophers (004 §4.1.1): each takes both forks in any order, and all may be stuck with one each. With
    other formulas than that a deadlock never happens, and that it can be avoided for ever."""
    people = range(count)
    edges = []
    for one in people:
        left, right = f"fork{one}", f"fork{(one + 1) % count}"
        me = f"person{one}"
        edges += [
            f"{me}=thinking => {me}=want",
            f"{me}=want, {left}=none => {me}=left, {left}=right",
            f"{me}=want, {right}=none => {me}=right, {right}=left",
            f"{me}=left, {right}=none => {me}=eating, {right}=left",
            f"{me}=right, {left}=none => {me}=eating, {left}=right",
            f"{me}=eating => {me}=thinking, {left}=none, {right}=none",
        ]
    initial = [f"person{one}=thinking, fork{one}=none" for one in people]
    stuck = " | ".join(f"({' & '.join(f'person{one}={hand}' for one in people)})" for hand in ("left", "right"))
    variables = [f"Person person{one}; Fork fork{one}" for one in people]
    return _module(_PEOPLE, variables, initial, edges, formulas or (f"AG !({stuck})", f"EG !({stuck})"))


def with_token(count: int, *formulas: str) -> str:
    """The same with a token (004 §4.1.2): whoever has it takes both forks, eats and passes it on. With other formulas
    than that the last one eats, whatever happens."""
    people = range(count)
    edges = []
    for one in people:
        left, right, me = f"fork{one}", f"fork{(one + 1) % count}", f"person{one}"
        edges += [
            f"{me}=thinking => {me}=want",
            f"{me}=want, token={one}, {left}=none => {me}=left, {left}=right",
            f"{me}=left, token={one}, {right}=none => {me}=eating, {right}=left",
            f"{me}=eating, token={one} => {me}=thinking, {left}=none, {right}=none, token={(one + 1) % count}",
        ]
    initial = ["token=0", *(f"person{one}=thinking, fork{one}=none" for one in people)]
    variables = [f"Token token; {' '.join(f'Person person{one}; Fork fork{one};' for one in people)}".rstrip(";")]
    types = f"{_PEOPLE}  Token : 0..{count - 1};\n"
    return _module(types, variables, initial, edges, formulas or (f"AF(person{count - 1}=eating)",))


def _module(types: str, variables: list[str], initial: list[str], edges: list[str], formulas: tuple[str, ...]) -> str:
    return (
        f"DEFINE\n{types}MODULE\nVAR\n"
        + "".join(f"  {one};\n" for one in variables)
        + f"INIT\n  {', '.join(initial)};\nTRANS\n"
        + "".join(f"  {one};\n" for one in edges)
        + "SPEC\n"
        + ";\n".join(f"  CTLSPEC {one}" for one in formulas)
        + "\n"
    )


EXAMPLES = {
    "examples/lotus-philosophers/philosophers.lotus": dining(4),
    "examples/lotus-token/token.lotus": with_token(4),
}
"""The files of the repository that are generated."""


if __name__ == "__main__":
    for file, text in EXAMPLES.items():
        (Path(__file__).parents[2] / file).write_text(text)
