"""Render the coverage of a model as text, if something is uncovered or was full, and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strandline.checker.diagnosis.coverage import Coverage
from strandline.report.style import with_noun

_SHOWN, _LISTED = 8, 1_000
"""Most names shown in a row of text, and most names listed in JSON."""


def coverage_rows(coverage: Coverage | None, *, complete: bool) -> list[tuple[str, str]]:
    """Return rows for actions never taken, locations never reached, and full buffers; none if there are none.

    For an incomplete search, only the number of actions taken so far.
    """
    if coverage is None or not coverage.remarkable:
        return []
    if not complete:
        taken = coverage.actions - len(coverage.never_taken)
        return (
            [("taken so far", f"{taken:,} of {with_noun(coverage.actions, 'action')}")] if coverage.never_taken else []
        )
    rows = _rows("never taken", [f"{one.action}: {one.why}" for one in coverage.never_taken], "action")
    rows += _join("never reached", coverage.never_reached)
    return rows + _join("full at times", coverage.full)


def product_rows(coverage: Coverage | None, *, complete: bool) -> list[tuple[str, str]]:
    """Return a row for the actions not taken in a product, or none.

    Only that part of the product is searched where the property can still be violated, and the row says so.
    """
    if coverage is None or not complete or not coverage.never_taken:
        return []
    names = ", ".join(one.action for one in coverage.never_taken[:_SHOWN])
    more = ", ..." if len(coverage.never_taken) > _SHOWN else ""
    return [("not taken", f"{names}{more} (where the property can still be violated)")]


def _rows(title: str, lines: Sequence[str], noun: str) -> list[tuple[str, str]]:
    """Return rows with one of the lines each, and the title in the first."""
    rows = [(title if number == 0 else "", line) for number, line in enumerate(lines[:_SHOWN])]
    left = len(lines) - _SHOWN
    return [*rows, ("", f"... and {with_noun(left, f'more {noun}')}")] if left > 0 else rows


def _join(title: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return one row with all names, separated by commas."""
    if not names:
        return []
    left = len(names) - _SHOWN
    return [(title, ", ".join(names[:_SHOWN]) + (f" and {left:,} more" if left > 0 else ""))]


def coverage_data(coverage: Coverage | None, *, complete: bool) -> dict[str, Any] | None:
    """Return the coverage as plain data for `--json`."""
    if coverage is None:
        return None
    return {
        "complete": complete,
        "actions": coverage.actions,
        "never_taken": [{"action": one.action, "reason": one.why} for one in coverage.never_taken[:_LISTED]],
        "locations": coverage.locations,
        "never_reached": list(coverage.never_reached[:_LISTED]),
        "bounds": coverage.bounds,
        "full": list(coverage.full[:_LISTED]),
    }
