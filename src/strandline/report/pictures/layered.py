"""A layered layout of graphs, after Sugiyama, Tagawa and Toda (1981).

Nodes are in rows, below those from which edges lead to them. An edge over several rows gets a bend in each of them;
bends are ordered with the nodes, by the mean positions of their neighbours, a few times down and up, and the order with
the fewest crossings is kept. Then rows are spread so that nodes are near the middle of their neighbours. An edge that
leads upwards, because it closes a cycle, is laid out like one that leads downwards.

Limits: the order is not optimal, labels of edges may lie on other edges, and with more than some hundred nodes no
layout is readable: more than `MOST_NODES` are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from strandline.errors import UsageError

MOST_NODES = 400
_ROUNDS = 12
_GAP, _ROW_GAP, _BEND = 26.0, 58.0, 10.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """The rectangle of a node: its centre and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A finished layout: a box for each node and the points of each edge, from its source to its target."""

    boxes: tuple[Box, ...]
    ways: tuple[tuple[Point, ...], ...]
    width: float
    height: float


@dataclass(slots=True)
class _Rows:
    """Nodes and bends, by number, in rows, with their neighbours in the rows above and below.

    The numbers of bends begin after those of the nodes.
    """

    rows: list[list[int]]
    above: dict[int, list[int]] = field(default_factory=dict)
    below: dict[int, list[int]] = field(default_factory=dict)

    def join(self, upper: int, lower: int) -> None:
        self.below.setdefault(upper, []).append(lower)
        self.above.setdefault(lower, []).append(upper)


def place(sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]], initial: Sequence[int]) -> Placed:
    """Return a layout of nodes of these sizes. Raises `UsageError` if there are more than `MOST_NODES`."""
    if len(sizes) > MOST_NODES:
        raise UsageError(
            f"a picture of {len(sizes):,} nodes is not drawn (at most {MOST_NODES}): nobody could read it. "
            "Write it as dot and use a program for large graphs"
        )
    row_of = _rows(len(sizes), edges, initial)
    rows, bends = _add_bends(row_of, edges)
    _order(rows)
    widths = {node: size[0] for node, size in enumerate(sizes)}
    xs = _spread(rows, widths)
    heights = [max((sizes[one][1] for one in row if one < len(sizes)), default=_BEND) for row in rows.rows]
    ys, y = [], 0.0
    for height in heights:
        ys.append(y + height / 2)
        y += height + _ROW_GAP
    left = min((xs[one] - widths.get(one, _BEND) / 2 for row in rows.rows for one in row), default=0.0)
    right = max((xs[one] + widths.get(one, _BEND) / 2 for row in rows.rows for one in row), default=0.0)
    boxes = tuple(Box(xs[node] - left, ys[row_of[node]], *size) for node, size in enumerate(sizes))
    places = {one: (xs[one] - left, ys[number]) for number, row in enumerate(rows.rows) for one in row}
    ways = tuple(
        (places[source], *(places[bend] for bend in passed), places[target])
        for (source, target), passed in zip(edges, bends, strict=True)
    )
    return Placed(boxes, ways, right - left, max(y - _ROW_GAP, 0.0))


def _rows(count: int, edges: Sequence[tuple[int, int]], initial: Sequence[int]) -> list[int]:
    """Return the row of each node: the longest path to it from the initial nodes along edges that close no cycle.

    So no edge connects two different nodes of the same row.
    """
    following: dict[int, list[int]] = {}
    for source, target in edges:
        following.setdefault(source, []).append(target)
    order = _downwards(count, following, initial)
    place = {node: number for number, node in enumerate(order)}
    rows = [0] * count
    for node in order:
        for target in following.get(node, ()):
            if place[target] > place[node]:
                rows[target] = max(rows[target], rows[node] + 1)
    return rows


def _downwards(count: int, following: dict[int, list[int]], initial: Sequence[int]) -> list[int]:
    """Return the nodes in an order in which only edges that close a cycle lead backwards.

    It is the reverse postorder of a depth-first search.
    """
    left: list[int] = []
    seen: set[int] = set()
    for root in [*initial, *range(count)]:
        work = [] if root in seen else [(root, 0)]
        seen.add(root)
        while work:
            node, number = work.pop()
            targets = following.get(node, [])
            if number == len(targets):
                left.append(node)
                continue
            work.append((node, number + 1))
            if targets[number] not in seen:
                seen.add(targets[number])
                work.append((targets[number], 0))
    return left[::-1]


def _add_bends(row_of: Sequence[int], edges: Sequence[tuple[int, int]]) -> tuple[_Rows, list[list[int]]]:
    """Return the rows with bends in them, and the bends of every edge, in their order from its source."""
    rows = _Rows([[] for _ in range(max(row_of, default=-1) + 1)])
    for node, row in enumerate(row_of):
        rows.rows[row].append(node)
    following = len(row_of)
    bends: list[list[int]] = []
    for source, target in edges:
        upper, lower = (source, target) if row_of[source] <= row_of[target] else (target, source)
        passed = []
        last = upper
        for row in range(row_of[upper] + 1, row_of[lower]):
            rows.rows[row].append(following)
            rows.join(last, following)
            passed.append(following)
            last = following
            following += 1
        if row_of[upper] != row_of[lower]:
            rows.join(last, lower)
        bends.append(passed if upper == source else passed[::-1])
    return rows, bends


def _order(rows: _Rows) -> None:
    """Sort each row by the mean positions of neighbours, several times; keep the order with the fewest crossings."""
    best, fewest = [list(row) for row in rows.rows], _crossings(rows)
    for turn in range(_ROUNDS):
        down = turn % 2 == 0
        neighbours = rows.above if down else rows.below
        numbers = range(1, len(rows.rows)) if down else range(len(rows.rows) - 2, -1, -1)
        for number in numbers:
            other = rows.rows[number - 1 if down else number + 1]
            place = {one: at for at, one in enumerate(other)}
            own = {one: at for at, one in enumerate(rows.rows[number])}
            rows.rows[number].sort(key=lambda one: (_mean(neighbours.get(one, ()), place, own[one]), own[one]))
        crossings = _crossings(rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows.rows], crossings
    rows.rows = best


def _mean(neighbours: Sequence[int], place: dict[int, int], otherwise: float) -> float:
    known = [place[one] for one in neighbours if one in place]
    return sum(known) / len(known) if known else otherwise


def _crossings(rows: _Rows) -> int:
    """Return the number of pairs of edges between neighbouring rows that cross."""
    count = 0
    for upper, lower in zip(rows.rows, rows.rows[1:], strict=False):
        place = {one: at for at, one in enumerate(lower)}
        ends: list[int] = []
        for one in upper:
            targets = sorted(place[other] for other in rows.below.get(one, ()) if other in place)
            count += sum(1 for end in ends for target in targets if end > target)
            ends += targets
    return count


def _spread(rows: _Rows, widths: dict[int, float]) -> dict[int, float]:
    """Return the x coordinates of nodes and bends, as near to the middle of their neighbours as possible."""
    xs: dict[int, float] = {}
    for row in rows.rows:
        _pack(row, dict.fromkeys(row, 0.0), widths, xs)
    for turn in range(_ROUNDS):
        neighbours = rows.above if turn % 2 == 0 else rows.below
        for row in rows.rows if turn % 2 == 0 else rows.rows[::-1]:
            wanted = {}
            for one in row:
                near = neighbours.get(one, ())
                wanted[one] = sum(xs[other] for other in near) / len(near) if near else xs[one]
            _pack(row, wanted, widths, xs)
    return xs


def _pack(row: Sequence[int], wanted: dict[int, float], widths: dict[int, float], xs: dict[int, float]) -> None:
    """Set the x coordinate of each node as near to its wanted one as possible, in the order of the row.

    Nodes that would overlap are joined to a block, which is centred on the mean of their wanted coordinates.
    """
    blocks: list[tuple[list[int], list[float]]] = []
    for one in row:
        members, offsets = [one], [0.0]
        blocks.append((members, offsets))
        while len(blocks) > 1 and _right(blocks[-2], wanted, widths) > _left(blocks[-1], wanted, widths):
            later, earlier = blocks.pop(), blocks.pop()
            last = earlier[0][-1]
            shift = earlier[1][-1] + (_half(last, widths) + _GAP + _half(later[0][0], widths))
            blocks.append((earlier[0] + later[0], earlier[1] + [offset + shift for offset in later[1]]))
    for block in blocks:
        start = _start(block, wanted)
        for one, offset in zip(*block, strict=True):
            xs[one] = start + offset


def _half(one: int, widths: dict[int, float]) -> float:
    return widths.get(one, _BEND) / 2


def _start(block: tuple[list[int], list[float]], wanted: dict[int, float]) -> float:
    members, offsets = block
    return sum(wanted[one] - offset for one, offset in zip(members, offsets, strict=True)) / len(members)


def _left(block: tuple[list[int], list[float]], wanted: dict[int, float], widths: dict[int, float]) -> float:
    return _start(block, wanted) - _half(block[0][0], widths)


def _right(block: tuple[list[int], list[float]], wanted: dict[int, float], widths: dict[int, float]) -> float:
    return _start(block, wanted) + block[1][-1] + _half(block[0][-1], widths) + _GAP
