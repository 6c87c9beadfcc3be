"""The explorer in a real browser, by the keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, needs_browser, opened
from serving import LARGE, serving

pytestmark = needs_browser
SEMAPHORE = Path(__file__).parents[2] / "examples/ltl-starvation/semaphore.dve"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with opened(tmp_path_factory.mktemp("browser")) as one:
        yield one


def at(browser: Browser) -> tuple[int, int]:
    """Where on the path one stands, and how long that is."""
    number, length = browser.run("const e = strandline.explorer; return [e.here?.number ?? -1, e.run?.length ?? -1]")
    return int(number), int(length)


def tab_to(browser: Browser, keys: Any, selector: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(60):
        if browser.run("return document.activeElement === document.querySelector(arguments[0])", selector):
            return
        browser.press(keys.TAB)
    pytest.fail(f"{selector} cannot be reached by the Tab key")


def test_by_the_keyboard_alone(browser: Browser) -> None:
    """Steps, a check, its counterexample to the loop and back, and away from it; then the server is killed."""
    from selenium.webdriver.common.keys import Keys

    with serving(SEMAPHORE) as server:
        browser.requests()
        browser.open(server.address)
        browser.size(1280, 1000)
        browser.wait(lambda: at(browser) == (0, 0))
        browser.press("2")
        browser.wait(lambda: at(browser) == (1, 1))
        browser.press(Keys.ARROW_DOWN, Keys.ENTER)
        browser.wait(lambda: at(browser) == (2, 2))
        browser.press("b")
        browser.wait(lambda: at(browser) == (1, 2))
        browser.press("f")
        browser.wait(lambda: at(browser) == (2, 2))
        tab_to(browser, Keys, "#check-kind")
        browser.press("L")
        tab_to(browser, Keys, "#check-text")
        browser.press("G (P.wait -> F P.critical)", Keys.ENTER)
        browser.wait(lambda: browser.text(".result .answer") == "VIOLATED")
        browser.wait(lambda: browser.run("return document.activeElement === strandline.traces.view.list"))
        browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, "w")
        browser.wait(lambda: at(browser) == (2, 4))
        browser.press(Keys.END)
        browser.wait(lambda: at(browser) == (4, 4))
        browser.wait(lambda: "This is state 1 of the path again: a loop." in browser.text(".words"))

        def is_at(step: int) -> bool:
            return at(browser) == (step, 4)

        for step in (3, 2, 1):
            browser.press(Keys.ARROW_UP)
            browser.wait(partial(is_at, step))
        assert browser.run("return strandline.explorer.run.loop") == 1
        browser.press("2")
        browser.wait(lambda: at(browser)[0] == 2)
        assert browser.complaints() == []
        asked = {url.partition("?")[0] for url in browser.requests() if not url.startswith("data:")}
        names = ("", *(f"api/{name}" for name in ("open", "take", "go", "check", "checked", "follow")))
        assert asked == {f"{server.base}/{name}" for name in names}
        _second_tab(browser, server.address)
        server.process.kill()
        server.process.wait(20)
        browser.run("strandline.explorer.steps.focus()")
        browser.press("1")
        browser.wait(lambda: "The server does not answer" in browser.text(".banner"))
        assert at(browser)[0] == 2, "what is seen stays"
        assert [text.rpartition("net::")[2] for text in browser.complaints()] == ["ERR_CONNECTION_REFUSED"]


def _second_tab(browser: Browser, address: str) -> None:
    """Another tab begins at the beginning, and the first one stays where it is; it also comes back when reloaded."""
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.open(address)
    browser.wait(lambda: at(browser) == (0, 0))
    browser.press("1")
    browser.wait(lambda: at(browser) == (1, 1))
    browser.driver.close()
    browser.driver.switch_to.window(first)
    assert at(browser)[0] == 2
    browser.driver.refresh()
    browser.wait(lambda: at(browser)[0] == 2)


def test_what_lies_around_and_a_check_that_is_cancelled(browser: Browser, tmp_path: Path) -> None:
    """On a telephone, with a model of a thousand million states: its neighbours are drawn and gone to, a check of it is
    watched and ended."""
    from selenium.webdriver.common.keys import Keys

    model = tmp_path / "large.dve"
    model.write_text(LARGE)
    with serving(model) as server:
        browser.open(server.address)
        browser.size(400, 900)
        browser.wait(lambda: at(browser) == (0, 0))
        browser.run("[...document.querySelectorAll('[role=tab]')].find((one) => one.textContent === 'Around').click()")
        browser.wait(lambda: browser.run("return document.querySelectorAll('.around .node').length") == 7)
        browser.run("document.querySelector('.around .near').focus()")
        browser.press(Keys.ENTER)
        browser.wait(lambda: at(browser) == (1, 1))
        browser.run("document.getElementById('check-measure').focus()")
        browser.press("P0.x", Keys.ENTER)
        browser.wait(lambda: "the line at" in browser.text(".running"))
        assert " stored, " in browser.text(".running figcaption")
        assert browser.run("return document.activeElement.textContent") == "Cancel"
        browser.press(Keys.ENTER)
        browser.wait(lambda: browser.text(".result .answer") == "UNKNOWN")
        assert browser.text(".result .reason") == "interrupted"
        assert browser.run("return document.documentElement.scrollWidth") <= 400
        assert browser.complaints() == []
