"""The profile of a search from the outside: as data, as JSON and as a chart."""

from __future__ import annotations

from pathlib import Path

import pytest

import strandline
from strandline.engine.parts.profile import LayerFigures
from strandline.languages import dve
from strandline.report.data import result_data
from strandline.report.style import Style
from strandline.report.text import exploration_text
from strandline.source import Source

STOP_AND_WAIT = Path(__file__).resolve().parents[2] / "examples" / "stop-and-wait" / "stop-and-wait.dve"
CLOCK = dve.load(
    Source(
        "clock.dve",
        "byte hand; byte turns; process Clock { state on; init on; trans"
        " on -> on { guard hand < 3; effect hand = hand + 1; },"
        " on -> on { guard hand == 3 and turns < 2; effect hand = 0, turns = turns + 1; }; } system async;",
    )
)


def test_a_sweep_has_a_line_for_every_layer() -> None:
    """The hand goes round three times: three sweeps, of which the second and the third begin with a persistent
    state."""
    statistics = strandline.explore(CLOCK, measure="hand").statistics
    assert statistics.sweeps == 3
    assert statistics.profile == (
        LayerFigures((0, 0), (0, 0), 1, 3, 3, 2, 2),
        LayerFigures((0, 1), (0, 1), 1, 4, 3, 2, 0),
        LayerFigures((0, 2), (0, 2), 1, 4, 3, 2, 0),
        LayerFigures((0, 3), (0, 3), 1, 3, 3, 2, 0),
    )
    assert sum(one.visited for one in statistics.profile) == statistics.visited
    assert max(one.stored for one in statistics.profile) == statistics.peak_states


def test_breadth_first_search_has_the_same_shape() -> None:
    statistics = strandline.explore(CLOCK).statistics
    assert [one.visited for one in statistics.profile] == list(statistics.levels) == [1] * 12
    assert statistics.profile[-1] == LayerFigures((0, 11), (0, 11), 1, 12, 1, 0, 0)


@pytest.mark.parametrize("options", [{"order": "dfs"}, {"cache_states": 5}])
def test_other_orders_have_no_layers(options: dict[str, object]) -> None:
    explored = strandline.explore(CLOCK, **options)  # type: ignore[arg-type]
    assert explored.statistics.profile == ()
    assert result_data(explored, 0)["profile"] is None
    assert "there are no layers with --order" in exploration_text(explored, Style(), chart=80)


def test_json_has_a_list_for_every_figure() -> None:
    data = result_data(strandline.explore(CLOCK, measure="hand"), 0)
    assert data["profile"] == {
        "first": [(0, 0), (0, 1), (0, 2), (0, 3)],
        "last": [(0, 0), (0, 1), (0, 2), (0, 3)],
        "layers": [1, 1, 1, 1],
        "stored": [3, 4, 4, 3],
        "visited": [3, 3, 3, 3],
        "revisited": [2, 2, 2, 2],
        "persistent": [2, 0, 0, 0],
    }
    assert data["regress"] == {
        "sampled": 2,
        "actions": [
            {
                "action": "Clock: on -> on",
                "share": 1.0,
                "example": {
                    "changes": {"hand": [3, 0], "turns": [0, 1]},
                    "measures": [{"measure": "hand", "old": 3, "new": 0}],
                },
            }
        ],
        "variables": {"hand": 1.0},
    }


def test_json_is_bounded() -> None:
    text = "int n; process P { state s; init s; trans s -> s { guard n < 9000; effect n = n + 1; }; } system async;"
    model = dve.load(Source("long.dve", text))
    for explored in (strandline.explore(model), strandline.explore(model, measure="n")):
        profile = result_data(explored, 0)["profile"]
        assert 500 <= len(profile["stored"]) <= 1000
        assert sum(profile["visited"]) == sum(profile["layers"]) == 9001


def test_the_chart() -> None:
    text = exploration_text(strandline.explore(CLOCK, measure="hand"), Style(), chart=60)
    assert text[text.index("  states stored,") :] == "\n".join(
        [
            "  states stored, at most 4 at layer 1",
            "               4 ┤ ██",
            "                 │ ██",
            "                 │████",
            "                 │████",
            "               2 ┤████",
            "                 │████",
            "                 │████",
            "                 │████",
            "               0 ┼────",
            "                  layer 0  layer 3",
            "       visits 12 │████",
            "  passed again 8 │▆▆▆▆",
            "    persistent 2 │▆",
        ]
    )


@pytest.mark.parametrize("width", [20, 40, 80, 300])
@pytest.mark.parametrize("options", [{}, {"measure": "sent + data.length"}, {"measure": ["mono(sent)", "received"]}])
def test_a_chart_is_as_wide_as_the_terminal(width: int, options: dict[str, object]) -> None:
    explored = strandline.explore(STOP_AND_WAIT, **options)  # type: ignore[arg-type]
    text = exploration_text(explored, Style(), chart=width)
    chart = [line for line in text.splitlines() if "│" in line or "┤" in line or "┼" in line]
    assert max(map(len, chart)) <= max(width, 50)
    assert max(map(len, chart)) >= min(width, 100) - 60


def test_without_a_chart_a_line_tells_the_shape() -> None:
    text = exploration_text(strandline.explore(CLOCK, measure="hand"), Style())
    assert text.endswith("\n\n  ▆██▆\n  states stored, layer by layer")
