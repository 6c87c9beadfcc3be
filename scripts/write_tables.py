"""Write the tables that docs/cli.md takes from the program: the statistics, and where options have an effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from strandline.report.combinations import effects_table
from strandline.report.statistics import statistics_page

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
TABLES: Mapping[str, Callable[[], str]] = {"statistics": statistics_page, "effects": effects_table}


def with_tables(page: str) -> str:
    """Return the page with the tables as they should be."""
    for name, table in TABLES.items():
        begin, end = re.compile(rf"<!-- {name}: [^>]*-->\n"), f"<!-- end of {name} -->"
        found = begin.search(page)
        if found is None or end not in page:
            raise SystemExit(f"{PAGE}: there is no place for the table '{name}'")
        page = f"{page[: found.end()]}\n{table()}\n\n{page[page.index(end) :]}"
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
