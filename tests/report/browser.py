"""A headless Chromium for tests: the page, the console, and the network requests."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
MISSING = not (CHROMIUM and DRIVER and importlib.util.find_spec("selenium"))
needs_browser = pytest.mark.skipif(
    MISSING, reason="Chromium, its driver or selenium is not installed: pages are not opened in a browser"
)
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--force-prefers-reduced-motion",
)  # fmt: skip


class Browser:
    """One browser; a test opens one page after the other in it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, address: str | Path) -> None:
        self.driver.get(address.as_uri() if isinstance(address, Path) else address)

    def size(self, width: int, height: int) -> None:
        """The page's own size: a window of Chromium cannot be as narrow as a telephone."""
        shape = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._command("Emulation.setDeviceMetricsOverride", **shape)

    def scheme(self, name: str) -> None:
        """`light` or `dark`."""
        self._command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def _command(self, name: str, **given: Any) -> Any:
        return self.driver.execute_cdp_cmd(name, given)

    def run(self, program: str, *given: Any) -> Any:
        return self.driver.execute_script(program, *given)

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector))

    def press(self, *keys: str) -> None:
        """Keys as a person presses them, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        chain = ActionChains(self.driver)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def wait(self, what: Callable[[], Any], seconds: float = 20) -> Any:
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, seconds, poll_frequency=0.05).until(lambda _: what())

    def complaints(self) -> list[str]:
        """What the console was told since the last time."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last time."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [one["params"]["request"]["url"] for one in events if one["method"] == "Network.requestWillBeSent"]

    def picture(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(path))


@contextmanager
def opened(profile: Path) -> Iterator[Browser]:
    """A browser with a profile of its own, closed at the end."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
