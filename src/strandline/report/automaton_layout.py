"""Layout of a small automaton: coordinates of states, edges and labels, without any outside tool.

States are in columns by their distance from the initial states; inside a column they are ordered by the positions of
their neighbours. For every edge a few curves and for every label a few positions along its edge are tried; the one is
taken that collides least with the parts already placed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

RADIUS = 18.0
CHARACTER_WIDTH = 6.7
LINE_HEIGHT = 14.0
_COLUMN_GAP = 70.0
_ROW_GAP = 95.0
_LOOP_HEIGHT = 34.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge to draw: its ends and the lines of its label."""

    source: int
    target: int
    label: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic Bézier curve, and the position of its label's centre."""

    points: tuple[Point, Point, Point, Point]
    label_at: Point


@dataclass(frozen=True, slots=True)
class Layout:
    """The coordinates of all parts; none lies outside `left, top, right, bottom`."""

    states: tuple[Point, ...]
    curves: tuple[Curve, ...]
    left: float
    top: float
    right: float
    bottom: float


def lay_out(state_count: int, initial: Sequence[int], edges: Sequence[DrawnEdge]) -> Layout:
    """Return the positions of states and edges; the curves are in the order of `edges`."""
    columns = _columns(state_count, initial, edges)
    states = _coordinates(columns, edges)
    placer = _Placer(states)
    order = sorted(range(len(edges)), key=lambda number: _difficulty(states, edges[number]))
    curves: dict[int, Curve] = {number: placer.place(edges[number]) for number in order}
    placed = tuple(curves[number] for number in range(len(edges)))
    return _bound(states, placed, edges)


def _columns(count: int, initial: Sequence[int], edges: Sequence[DrawnEdge]) -> list[list[int]]:
    distance = dict.fromkeys(initial, 0)
    work = list(initial)
    for state in work:
        for edge in edges:
            if edge.source == state and edge.target not in distance:
                distance[edge.target] = distance[state] + 1
                work.append(edge.target)
    for state in range(count):
        distance.setdefault(state, 0)
    columns: list[list[int]] = [[] for _ in range(max(distance.values(), default=0) + 1)]
    for state in range(count):
        columns[distance[state]].append(state)
    return _order(columns, edges)


def _order(columns: list[list[int]], edges: Sequence[DrawnEdge]) -> list[list[int]]:
    """Sort each column by the mean row of each state's neighbours, a few times from left to right."""
    neighbours: dict[int, set[int]] = {}
    for edge in edges:
        neighbours.setdefault(edge.source, set()).add(edge.target)
        neighbours.setdefault(edge.target, set()).add(edge.source)
    for _ in range(4):
        place = {state: number - (len(column) - 1) / 2 for column in columns for number, state in enumerate(column)}
        for column in columns:
            means = {
                state: _mean([place[other] for other in neighbours.get(state, ()) if other not in column])
                for state in column
            }
            column.sort(key=lambda state: (means[state], state))
            place |= {state: number - (len(column) - 1) / 2 for number, state in enumerate(column)}
    return columns


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _coordinates(columns: list[list[int]], edges: Sequence[DrawnEdge]) -> tuple[Point, ...]:
    column_of = {state: number for number, column in enumerate(columns) for state in column}
    places: dict[int, Point] = {}
    x = 0.0
    for number, column in enumerate(columns):
        for row, state in enumerate(column):
            # Odd columns of several states are shifted a little, so that rows do not line up behind each
            # other.
            places[state] = (x, (row - (len(column) - 1) / 2) * _ROW_GAP)
        widths = [
            _width(edge.label)
            for edge in edges
            if {column_of[edge.source], column_of[edge.target]} == {number, number + 1}
        ]
        loops = [
            _width(edge.label) / 2
            for edge in edges
            if edge.source == edge.target and column_of[edge.source] in (number, number + 1)
        ]
        x += 2 * RADIUS + max([_COLUMN_GAP, *(width + 24 for width in widths), *loops])
    return tuple(places[state] for state in range(len(places)))


def _width(lines: Iterable[str]) -> float:
    return max((len(line) for line in lines), default=0) * CHARACTER_WIDTH


def _difficulty(states: Sequence[Point], edge: DrawnEdge) -> tuple[bool, float]:
    """Return the sort key by which edges are placed: loops and short edges have the least choice and come first."""
    (x, y), (other_x, other_y) = states[edge.source], states[edge.target]
    return edge.source != edge.target, math.hypot(other_x - x, other_y - y)


_Box = tuple[float, float, float, float]


class _Placer:
    """Places edges one after the other, and keeps track of the space that states, curves and labels occupy."""

    def __init__(self, states: tuple[Point, ...]) -> None:
        self.states = states
        self.boxes: list[_Box] = [(x - RADIUS - 2, y - RADIUS - 2, x + RADIUS + 2, y + RADIUS + 2) for x, y in states]
        self.samples: list[list[Point]] = []

    def place(self, edge: DrawnEdge) -> Curve:
        """Return the curve and label position of least cost for an edge, and mark their space as occupied."""
        best: tuple[float, Curve] | None = None
        for bow_cost, points in self._candidates(edge):
            cost = bow_cost + self._curve_cost(points, edge)
            for shift_cost, centre in self._label_places(points, edge):
                total = cost + shift_cost + self._label_cost(_label_box(centre, edge.label), points)
                if best is None or total < best[0]:
                    best = total, Curve(points, centre)
        assert best is not None
        self.boxes.append(_label_box(best[1].label_at, edge.label))
        self.samples.append(_sample(best[1].points))
        return best[1]

    def _candidates(self, edge: DrawnEdge) -> Iterable[tuple[float, tuple[Point, Point, Point, Point]]]:
        x, y = self.states[edge.source]
        if edge.source == edge.target:
            for cost, side in ((0.0, -1.0), (20.0, 1.0)):
                tip = y + side * (RADIUS + _LOOP_HEIGHT)
                foot = y + side * RADIUS * 0.86
                yield cost, ((x - 9, foot), (x - 24, tip), (x + 24, tip), (x + 9, foot))
            return
        other = self.states[edge.target]
        length = math.hypot(other[0] - x, other[1] - y)
        for bow in (0, 26, -26, 48, -48, 80, -80, 120, -120, 170, -170):
            yield abs(bow) * 0.25, _bow((x, y), other, length, float(bow))

    def _label_places(
        self, points: tuple[Point, Point, Point, Point], edge: DrawnEdge
    ) -> Iterable[tuple[float, Point]]:
        height = len(edge.label) * LINE_HEIGHT / 2
        if edge.source == edge.target:
            side = -1 if points[1][1] < points[0][1] else 1
            tip = (points[1][1] * 3 + points[0][1]) / 4
            yield 0.0, (self.states[edge.source][0], tip + side * (height + 3))
            return
        for at, cost in ((0.5, 0.0), (0.4, 3.0), (0.6, 3.0), (0.3, 8.0), (0.7, 8.0)):
            x, y = _at(points, at)
            for offset, extra in ((-height - 4, 0.0), (height + 4, 1.0)):
                yield cost + extra, (x, y + offset)

    def _curve_cost(self, points: tuple[Point, Point, Point, Point], edge: DrawnEdge) -> float:
        cost = 0.0
        for x, y in _sample(points)[2:-2]:
            for number, (left, top, right, bottom) in enumerate(self.boxes):
                own = number in (edge.source, edge.target)
                if not own and left - 3 < x < right + 3 and top - 3 < y < bottom + 3:
                    cost += 40.0
            for other in self.samples:
                cost += sum(2.0 for p, q in other if abs(p - x) < 5 and abs(q - y) < 5)
        return cost

    def _label_cost(self, box: _Box, points: tuple[Point, Point, Point, Point]) -> float:
        cost = sum(120.0 for other in self.boxes if _overlap(box, other))
        for curve in [*self.samples, _sample(points)]:
            cost += sum(8.0 for x, y in curve if box[0] < x < box[2] and box[1] < y < box[3])
        return cost


def _bow(start: Point, end: Point, length: float, bow: float) -> tuple[Point, Point, Point, Point]:
    """Return a curve between the rims of two circles that bends to the left of its direction by `bow`."""
    along = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
    across = (along[1], -along[0])
    angle = math.atan2(bow * 4 / 3, length / 3)
    out = _turn(along, across, angle)
    back = _turn((-along[0], -along[1]), across, angle)
    first = (start[0] + out[0] * RADIUS, start[1] + out[1] * RADIUS)
    last = (end[0] + back[0] * (RADIUS + 2), end[1] + back[1] * (RADIUS + 2))
    third = length / 3
    control = (
        start[0] + along[0] * third + across[0] * bow * 4 / 3,
        start[1] + along[1] * third + across[1] * bow * 4 / 3,
    )
    other = (
        end[0] - along[0] * third + across[0] * bow * 4 / 3,
        end[1] - along[1] * third + across[1] * bow * 4 / 3,
    )
    return first, control, other, last


def _turn(along: Point, across: Point, angle: float) -> Point:
    cosine, sine = math.cos(angle), math.sin(angle)
    return along[0] * cosine + across[0] * sine, along[1] * cosine + across[1] * sine


def _at(points: tuple[Point, Point, Point, Point], t: float) -> Point:
    weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
    return (
        sum(weight * point[0] for weight, point in zip(weights, points, strict=True)),
        sum(weight * point[1] for weight, point in zip(weights, points, strict=True)),
    )


def _sample(points: tuple[Point, Point, Point, Point]) -> list[Point]:
    return [_at(points, number / 20) for number in range(21)]


def _label_box(centre: Point, lines: Sequence[str]) -> _Box:
    width, height = _width(lines) / 2 + 2, len(lines) * LINE_HEIGHT / 2
    return centre[0] - width, centre[1] - height, centre[0] + width, centre[1] + height


def _overlap(first: _Box, second: _Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def _bound(states: tuple[Point, ...], curves: tuple[Curve, ...], edges: Sequence[DrawnEdge]) -> Layout:
    boxes = [(x - RADIUS - 30, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in states]
    boxes += [_label_box(curve.label_at, edge.label) for curve, edge in zip(curves, edges, strict=True)]
    boxes += [(x, y, x, y) for curve in curves for x, y in _sample(curve.points)]
    return Layout(
        states,
        curves,
        min((box[0] for box in boxes), default=0.0),
        min((box[1] for box in boxes), default=0.0),
        max((box[2] for box in boxes), default=0.0),
        max((box[3] for box in boxes), default=0.0),
    )
