"""The examples and the pages of the documentation, in a checkout or in the installed package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from strandline.errors import UsageError, suggestion
from strandline.languages import LANGUAGES

_SHIPPED = Path(__file__).parent / ".shipped"
"""Hidden, so that `strandline test` in a project does not find the examples in its environment."""
_CHECKOUT = Path(__file__).parents[3]
_LONGEST = 9_000
"""Most characters of a page that are given at once; a longer page is given by sections."""

TOPICS = {
    "dve": "dve",
    "pml": "promela",
    "psl": "process-language",
    "aut": "process-language",
    "lotus": "lotus",
    "pnml": "petri",
    "lola": "petri",
    "py": "python-models",
    "properties": "properties",
    "ltl": "ltl",
    "ctl": "ctl",
    "measures": "progress",
    "reductions": "reductions",
    "traces": "verdicts",
}
"""The page for each language, by its suffix, and for further topics."""


def _folder(name: str) -> Path:
    shipped = _SHIPPED / name
    return shipped if shipped.is_dir() else _CHECKOUT / name


def example_list() -> list[dict[str, Any]]:
    """Return the examples: name, title, and the files of models with their languages."""
    return [
        {"name": folder.name, "title": _title(folder), "models": [one.name for one in _models(folder)]}
        for folder in sorted(_folder("examples").iterdir())
        if (folder / "README.md").is_file()
    ]


def example(name: str) -> dict[str, Any]:
    """Return one example: the texts of its models and its README. Raises `UsageError` if there is none."""
    names = [one["name"] for one in example_list()]
    if name not in names:
        raise UsageError(f"there is no example '{name}'{suggestion(name, names)}")
    folder = _folder("examples") / name
    return {
        "name": name,
        "readme": (folder / "README.md").read_text("utf-8"),
        "models": {one.name: one.read_text("utf-8") for one in _models(folder)},
    }


def _models(folder: Path) -> list[Path]:
    return sorted(one for one in folder.iterdir() if one.suffix in LANGUAGES)


def _title(folder: Path) -> str:
    return (folder / "README.md").read_text("utf-8").partition("\n")[0].lstrip("# ")


def reference(topic: str, section: str = "") -> dict[str, Any]:
    """Return a page of the documentation, or one of its sections.

    Of a long page only the beginning is returned, together with the titles of its sections. Raises `UsageError` if
    there is no such topic or section.
    """
    if topic not in TOPICS:
        raise UsageError(f"there is no topic '{topic}'{suggestion(topic, TOPICS)} (there are {', '.join(TOPICS)})")
    page = (_folder("docs") / f"{TOPICS[topic]}.md").read_text("utf-8")
    parts = re.split(r"^## +(.*)$", page, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    if section:
        if section not in sections:
            hint = suggestion(section, sections)
            raise UsageError(f"'{topic}' has no section '{section}'{hint} (there are {', '.join(sections)})")
        return {"topic": topic, "section": section, "text": sections[section].strip()}
    if len(page) <= _LONGEST:
        return {"topic": topic, "text": page.strip()}
    return {"topic": topic, "text": parts[0].strip(), "sections": list(sections)}
