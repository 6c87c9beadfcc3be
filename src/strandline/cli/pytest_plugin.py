"""A pytest plugin for expected verdicts: every case of an `expected.toml` is a test.

It is off unless turned on by `--strandline-expected` or by `strandline_expected = true` in pytest's configuration:
users who have this package installed for another reason must not find new tests. Until then, no other module of the
package is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from strandline.checker.expected.cases import Case, CaseResult

_OPTION, _SETTING = "--strandline-expected", "strandline_expected"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command-line option and the configuration setting that turn on the plugin."""
    what = "collect expected.toml files: run models against their expected verdicts"
    parser.getgroup("strandline").addoption(_OPTION, action="store_true", default=False, help=what)
    parser.addini(_SETTING, what, type="bool", default=False)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return a collector for an `expected.toml` if the plugin is on; None for other files."""
    config = parent.config
    if not (config.getoption(_OPTION) or config.getini(_SETTING)):
        return None
    from strandline.checker.expected.reader import FILE_NAME

    if file_path.name != FILE_NAME:
        return None
    file: pytest.Collector = ExpectedFile.from_parent(parent, path=file_path)
    return file


class ExpectedFile(pytest.File):
    """The collector of an `expected.toml`."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the cases of the file as tests.

        If the file cannot be read, that is an error of collection, not a failing test.
        """
        from strandline.checker.expected.reader import read_expected
        from strandline.errors import InputError

        try:
            cases = read_expected(self.path)
        except InputError as error:
            raise self.CollectError(str(error)) from None
        for case in cases:
            yield ExpectedItem.from_parent(self, name=case.name, case=case)


class UnexpectedOutcome(Exception):
    """Raised for a case whose outcome is not as expected."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__(result.outcome.words)
        self.result = result


class ExpectedItem(pytest.Item):
    """One case of an `expected.toml` as a test."""

    def __init__(self, *, case: Case, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.case = case

    def runtest(self) -> None:
        """Run the case in the test's process. Raises `UnexpectedOutcome` if it is not as expected."""
        from strandline.cli.testing import run_case

        result = run_case(self.case)
        self.user_properties.append(("outcome", result.outcome.value))
        if not result.outcome.is_as_expected:
            raise UnexpectedOutcome(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the outcome and the differences as text, without a stack trace of ours."""
        if isinstance(excinfo.value, UnexpectedOutcome):
            from strandline.report.expectations import result_text
            from strandline.report.style import Style

            return result_text(excinfo.value.result, Style())
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the file, no line number, and the title of the test."""
        return self.path, None, f"{self.path.parent.name}: {self.name}"
