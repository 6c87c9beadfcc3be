"""The live line of a long search."""

from __future__ import annotations

from strandline.checker.limits.progress import Progress
from strandline.checker.measures.notation import parse_measures
from strandline.languages.dve import load
from strandline.report.progress import progress_text
from strandline.source import Source

MODEL = """byte x, y;
process P { state a; init a; trans a -> a { guard x < 9; effect x = x + 1, y = x % 4; }; }
system async;
"""


def test_a_search_shows_states_rate_store_memory_and_time() -> None:
    line = progress_text(Progress(3.0, 12_300_000, 12_000_000, 1_100_000, 340 << 20), 4.2e6)
    assert line == "12.3 M states · 4.2 M/s · stored 1.1 M · 340.0 MB · 0:03"


def test_a_sweep_also_shows_how_far_the_line_is() -> None:
    early = progress_text(Progress(3.0, 1, 1, 1, 1 << 20, fraction=0.01), 1.0)
    late = progress_text(Progress(30.0, 1, 1, 1, 1 << 20, fraction=0.25), 1.0)
    assert early.endswith(" · 0:03 · at 1%")
    assert late.endswith(" · 0:30 · at 25%, 1:30 left")


def test_when_the_line_passes_again_nobody_knows_how_long_it_takes() -> None:
    line = progress_text(Progress(5025.0, 10_200_000, 1, 287_000, 32 << 20, fraction=0.25, sweep=4), 4.9e6)
    assert line == "10.2 M states · 4.9 M/s · stored 287 k · 32.0 MB · 1:23:45 · sweep 4 at 25%"
    assert len(line) < 80


def test_the_fraction_is_that_of_columns_refined_by_layers() -> None:
    system = load(Source("m", MODEL))
    by_layers = parse_measures(["x"], system)
    assert [by_layers.fraction((0, x)) for x in (0, 5, 9)] == [0.0, 0.5, 0.9]
    both = parse_measures(["mono(x)", "y"], system)
    assert [both.fraction((x, y)) for x, y in ((0, 0), (5, 2), (9, 3))] == [0.0, 0.55, 0.975]
    assert both.fraction((99, 0)) == 1.0
