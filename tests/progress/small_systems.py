"""Small models whose progress is known."""

from __future__ import annotations

from pathlib import Path

from strandline.languages import load
from strandline.model.system import System

ROOT = Path(__file__).parent.parent.parent
STOP_AND_WAIT = ROOT / "examples" / "stop-and-wait" / "stop-and-wait.dve"

COUNTERS = """
byte up = 0, down = 9, reset = 0, wrapping = 0, total[2];
process P { byte mine; state a, b, c; init a;
trans a -> b { guard up < 9; effect up = up + 1, down = 9 - up, total[1] = total[1] + up % 2; },
      b -> a { guard reset < 3; effect reset = reset + 1, wrapping = wrapping + 1; },
      b -> c { guard down == 0; effect reset = 0, mine = 4; };
}
system async;
"""

ELECTION = """
byte best = 9;
process P { byte heard = 3; state idle, got, tell; init idle;
trans idle -> got { guard heard > 0; effect heard = heard - 1; },
      got -> tell { guard heard < best; effect best = heard; },
      got -> idle { guard heard >= best; },
      tell -> idle {};
}
system async;
"""
"""`best` falls, because the guard says so; between two falls of `heard` the locations go round once."""

TWO_LAPS = """
byte lap;
process P { byte place; state a, b, c; init a;
trans a -> b {}, b -> c { effect place = place + 1; }, c -> a { guard lap < 2; effect lap = lap + 1, place = 0; };
}
process Q { byte n; state x; init x; trans x -> x { guard n < 3; effect n = n + 1; }; }
system async;
"""
"""Whatever goes round or falls back does so only when `lap` grows."""


def system_of(text: str, folder: Path) -> System:
    """The System of a text."""
    path = folder / "model.dve"
    path.write_text(text, encoding="utf-8")
    return load(path)
