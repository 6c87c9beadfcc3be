"""Write the parts of the documentation that come from the program: tables of pages, and the schema of JSON objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from strandline.report.combinations import effects_table
from strandline.report.options import options_table
from strandline.report.schema import schema_text
from strandline.report.statistics import statistics_page

DOCS = Path(__file__).parent.parent / "docs"
Tables = Mapping[str, Callable[[], str]]
PAGES: Mapping[str, Tables] = {
    "cli.md": {"statistics": statistics_page, "effects": effects_table},
    "reference.md": {"options": options_table},
}
"""The tables of each page, by name."""
FILES: Mapping[str, Callable[[], str]] = {"schema.json": schema_text}


def with_tables(page: str, tables: Tables) -> str:
    """Return the text of a page with the tables as they should be."""
    for name, table in tables.items():
        begin, end = re.compile(rf"<!-- {name}: [^>]*-->\n"), f"<!-- end of {name} -->"
        found = begin.search(page)
        if found is None or end not in page:
            raise SystemExit(f"there is no place for the table '{name}'")
        page = f"{page[: found.end()]}\n{table()}\n\n{page[page.index(end) :]}"
    return page


if __name__ == "__main__":
    for name, tables in PAGES.items():
        (DOCS / name).write_text(with_tables((DOCS / name).read_text("utf-8"), tables), "utf-8")
    for name, text in FILES.items():
        (DOCS / name).write_text(text(), "utf-8")
