"""Random components and compositions for the tests, and the program text that means them."""

from __future__ import annotations

from csp_definition import TAU, Both, Hide, Leaf, Rename, Tree, graph
from hypothesis import strategies as st

LABELS = ("a", "b", "c", "d[0]", "d[1]")


@st.composite
def leaves(draw: st.DrawFn, name: str) -> Leaf:
    """A component of up to four states, all of them reachable or not as it happens."""
    states = draw(st.integers(1, 4))
    numbers = st.integers(0, states - 1)
    edges = draw(st.frozensets(st.tuples(numbers, st.sampled_from((*LABELS, TAU)), numbers), max_size=7))
    return Leaf(name, states, _reached(edges), draw(st.frozensets(st.sampled_from(LABELS), max_size=1)))


def _reached(edges: frozenset[tuple[int, str, int]]) -> frozenset[tuple[int, str, int]]:
    """Only what can be reached is part of a component of the language: its alphabet is made of that."""
    states = {0}
    while True:
        more = states | {target for source, _, target in edges if source in states}
        if more == states:
            return frozenset(edge for edge in edges if edge[0] in states)
        states = more


@st.composite
def trees(draw: st.DrawFn, most: int = 4) -> Tree:
    """A composition of up to four components in any order, with hiding and renaming at any place."""
    found: list[Tree] = [draw(leaves(f"C{number}")) for number in range(draw(st.integers(1, most)))]
    found = [draw(relabelled(tree)) for tree in found]
    while len(found) > 1:
        place = draw(st.integers(0, len(found) - 2))
        found[place : place + 2] = [draw(relabelled(Both(found[place], found[place + 1])))]
    return found[0]


@st.composite
def relabelled(draw: st.DrawFn, tree: Tree) -> Tree:
    """The tree, or the tree with some labels hidden or renamed; perhaps several to one."""
    known = sorted(graph(tree).alphabet)
    if not known:
        return tree
    match draw(st.sampled_from(["as it is", "as it is", "hidden", "renamed"])):
        case "hidden":
            return Hide(tree, draw(st.frozensets(st.sampled_from(known), min_size=1, max_size=2)))
        case "renamed":
            olds = draw(st.lists(st.sampled_from(known), min_size=1, max_size=2, unique=True))
            return Rename(tree, tuple((old, draw(st.sampled_from([*LABELS, "e"]))) for old in olds))
        case _:
            return tree


def program(tree: Tree) -> str:
    """A text whose system is the composition."""
    lines = [line for leaf in tree.leaves() for line in _definitions(leaf)]
    return "\n".join([*lines, f"system {tree.text()};"])


def _definitions(leaf: Leaf) -> list[str]:
    lines = []
    for state in range(leaf.states):
        leaving = sorted(edge for edge in leaf.edges if edge[0] == state)
        options = [f"{label} -> {_process(leaf, target)}" for _, label, target in leaving]
        extra = f" alphabet {{{', '.join(sorted(leaf.extra))}}}" if state == 0 and leaf.extra else ""
        lines.append(f"process {_process(leaf, state)}{extra} = {' | '.join(options) or 'STOP'};")
    return lines


def _process(leaf: Leaf, state: int) -> str:
    return leaf.name if state == 0 else f"{leaf.name}_{state}"
