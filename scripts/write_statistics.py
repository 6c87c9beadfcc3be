"""Write the list of statistics into docs/cli.md, from the table in `strandline.checker.verdicts.statistics`."""

from __future__ import annotations

import re
from pathlib import Path

from strandline.report.statistics import statistics_page

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
_PLACE = re.compile(r"(<!-- statistics: [^>]*-->\n).*(<!-- end of statistics -->)", re.DOTALL)


def with_statistics(page: str) -> str:
    """Return the page with the list as it should be."""
    return _PLACE.sub(lambda found: f"{found[1]}\n{statistics_page()}\n\n{found[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(with_statistics(PAGE.read_text("utf-8")), "utf-8")
