"""Reports opened in a real browser: nothing is complained about, nothing is asked of the network, keys are enough, and
what is evaluated there is what the interpreter says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, needs_browser, opened
from test_report_page import ONE_OF_EACH_LANGUAGE

import strandline
from strandline.checker.verdicts.verdict import Verdict
from strandline.traces.evaluate import Evaluator, render_answer
from strandline.traces.following import steps_along
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.replay import replay

pytestmark = needs_browser
EXAMPLES = Path(__file__).parents[2] / "examples"
STARVATION = EXAMPLES / "ltl-starvation/semaphore.dve"
STOP_AND_WAIT = EXAMPLES / "stop-and-wait/stop-and-wait.dve"
COUNTER = """int x, square;
process Counter { state up, down; init up; trans
  up -> down { guard x < 10000; effect x = x + 1, square = (x * x) % 97; },
  down -> up {}; }
system async;
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with opened(tmp_path_factory.mktemp("browser")) as one:
        yield one


def show(browser: Browser, verdict: Verdict, path: Path) -> None:
    verdict.save_report(path)
    browser.open(path)
    browser.size(1280, 900)


def keys() -> Any:
    from selenium.webdriver.common.keys import Keys

    return Keys


def chosen(browser: Browser) -> int:
    return int(browser.run("return strandline.traces.view.chosen"))


def test_a_violated_formula(browser: Browser, tmp_path: Path) -> None:
    report = tmp_path / "ltl.html"
    show(browser, strandline.check(STARVATION, ltl="G (P.wait -> F P.critical)"), report)
    browser.requests()
    browser.open(report)
    assert browser.text(".answer") == "VIOLATED"
    key = keys()
    for _ in range(30):
        if browser.run("return document.activeElement === strandline.traces.view.list"):
            break
        browser.press(key.TAB)
    else:
        pytest.fail("the steps cannot be reached by the Tab key")
    browser.press(key.ARROW_DOWN, key.ARROW_DOWN)
    assert (chosen(browser), browser.text(".row.chosen .action")) == (2, "Q: idle -> wait")
    browser.press(key.END)
    assert chosen(browser) == 4
    browser.press("l")
    assert chosen(browser) == 1
    assert browser.text(".state h4") == "State 1, after P: idle -> wait"
    assert "P.wait is true" in browser.text(".atoms")
    assert browser.text(".row.back") == "back in state 1: from there the same steps again and again"
    assert browser.run("return document.querySelectorAll('.lasso .dot').length") == 4
    browser.press("/", "critical", key.ENTER)
    assert browser.run("return document.querySelectorAll('.row').length") == 2
    assert browser.requests() == [report.as_uri()]
    assert browser.complaints() == []


def test_a_sweep_of_a_million_states(browser: Browser, tmp_path: Path) -> None:
    system = strandline.load(STOP_AND_WAIT, PACKETS=125)
    verdict = strandline.check(system, measure="mono(sent + received)")
    report = tmp_path / "sweep.html"
    show(browser, verdict, report)
    assert verdict.statistics.states == 1_004_301
    assert report.stat().st_size < 2_000_000
    assert browser.text(".answer") == "HOLDS"
    assert "1,004,301 states in all" in browser.text(".bars")
    slider = browser.driver.find_element("css selector", "input[type=range]")
    browser.run("arguments[0].focus()", slider)
    browser.press(keys().HOME)
    before = browser.text(".readout")
    browser.press(keys().ARROW_RIGHT)
    assert before.startswith("column 0: 3 states expanded") or before != browser.text(".readout")
    assert browser.run("return document.querySelectorAll('.profile').length") == 2
    assert browser.complaints() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_and_dark(browser: Browser, tmp_path: Path, scheme: str) -> None:
    """Nothing is wider than a telephone, and texts stand out from what is behind them."""
    show(browser, strandline.check(STARVATION, ctl="AG AF P.critical"), tmp_path / "ctl.html")
    browser.scheme(scheme)
    browser.size(400, 800)
    assert browser.run("return document.documentElement.scrollWidth") <= 400
    assert "AF P.critical is false" in browser.text(".tree")
    colours = browser.run("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
    assert (colours[1] == "rgb(22, 24, 28)") is (scheme == "dark")
    assert colours[0] != colours[1]
    browser.scheme("light")


@pytest.mark.parametrize(("model", "claims"), ONE_OF_EACH_LANGUAGE, ids=[name for name, _ in ONE_OF_EACH_LANGUAGE])
def test_every_language(browser: Browser, tmp_path: Path, model: str, claims: dict[str, Any]) -> None:
    """Every tab is opened, every step can be chosen, and its first variable be watched."""
    verdict = strandline.check(EXAMPLES / model, **claims)
    show(browser, verdict, tmp_path / "page.html")
    assert browser.text(".answer") == verdict.answer.value
    if verdict.trace is not None:
        browser.run("""
            const view = strandline.traces.view;
            document.querySelectorAll("[role=tab]").forEach((tab) => tab.click());
            view.run.known.forEach((number) => view.select(number));
            view.watch(Object.keys(view.run.state(0))[0]);""")
        assert chosen(browser) == len(verdict.trace)
        assert browser.run("return strandline.traces.view.watches.length") == 1
    assert browser.complaints() == []


def test_ten_thousand_steps_stay_usable(browser: Browser, tmp_path: Path) -> None:
    model, report = tmp_path / "counter.dve", tmp_path / "deep.html"
    model.write_text(COUNTER)
    show(browser, strandline.check(model, reach="x == 5000 and Counter.up"), report)
    assert report.stat().st_size < 2_000_000
    assert browser.run("return document.querySelectorAll('.row').length") < 60, "only rows in sight are elements"
    browser.run("strandline.traces.view.list.focus()")
    browser.press(keys().END)
    assert (chosen(browser), browser.text(".row.chosen .number")) == (10000, "10000")
    took = browser.run("""
        const began = performance.now(), view = strandline.traces.view;
        for (let n = 0; n < 100; n += 1) view.select(n * 100);
        view.watch("x == square");
        return performance.now() - began""")
    assert took < 5000, "a hundred moves and an expression in all states"
    assert "True in 3 of 10,001 states" in browser.text(".watches")
    browser.run("strandline.traces.view.search.focus()")
    browser.press("x: 4999 ")
    assert browser.text(".count") == "1 of 10,001 states"
    assert browser.complaints() == []


QUESTIONS: dict[Path, tuple[dict[str, Any], list[str]]] = {
    STOP_AND_WAIT: (
        {"reach": "sent == 2"},
        ["sent", "sent + received * 2 - 1", "Sender.wait", "not Sender.wait", "Sender.wait and received > sent",
         "data.length",
         "data.0[0]", "data.0[data.length - 1 + (data.length == 0)]", "(sent - 3) / 2", "(sent - 3) % 2",
         "sent == 1 or received == 2", "sent < 2 imply Receiver.ready", "Sender.number", "-sent", "~received",
         "(sent << 3) | received"],
    ),
    EXAMPLES / "python-two-phase-commit/two_phase_commit.py": (
        {"reach": "all_committed"},
        ["Coordinator.yes", "Participant[1].pc", "Participant[1].pc == 'prepared'", "len(votes)",
         "Coordinator.yes % 2",
         "(Coordinator.yes - 3) % 2", "(Coordinator.yes - 3) // 2", "0 < Coordinator.yes <= 2",
         "Coordinator.pc in ('asking', 'committed')", "len(votes) > 0 and Coordinator.yes == 0",
         "min(Coordinator.yes, 2)"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("model", QUESTIONS, ids=lambda path: path.suffix)
def test_expressions_are_what_the_interpreter_says(browser: Browser, tmp_path: Path, model: Path) -> None:
    claims, texts = QUESTIONS[model]
    verdict = strandline.check(model, **claims)
    show(browser, verdict, tmp_path / "trace.html")
    assert verdict.trace is not None
    reference = reference_of(verdict.system)
    found = steps_along(reference, verdict.trace)
    assert found is not None
    states = replay(reference, *found).states
    evaluator = Evaluator(reference)
    for text in texts:
        question = verdict.system.scope.question(text)
        expected = [render_answer(evaluator.answer(question, state)) for state in states]
        values = browser.run("""
            const { run, names } = strandline.traces.view, expression = new strandline.Expression(arguments[0], names);
            return run.known.map((number) => {
              const value = expression.value(run.state(number), null);
              return typeof value === "boolean" ? String(value) : strandline.show(value);
            })""", text)  # fmt: skip
        # A condition is a number in some languages; the page says that it is a truth.
        as_truths = [{"1": "true", "0": "false"}.get(one, one) for one in expected]
        assert values in (expected, as_truths), text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("snet + 1", "'snet' is not known (the trace has sent, received, data, acknowledgement, Sender, ...)"),
        ("Sender.wiat", "Sender has no location 'wiat' (it has send, wait, done)"),
        ("sent + ", "the expression ends too early"),
        ("(sent", "')' is missing"),
        ("sent / (sent - sent)", "division by zero"),
        ("data[7]", "data is empty"),
        ("[1, 2][7]", "index 7 is outside 0..1"),
        ("sent ? 1", "'?' is not understood"),
        ("Sender and 1", "send is no condition"),
    ],
)
def test_mistakes_in_expressions_are_told(browser: Browser, tmp_path: Path, text: str, message: str) -> None:
    if browser.driver.title != "mistakes":
        show(browser, strandline.check(STOP_AND_WAIT, reach="sent == 1"), tmp_path / "trace.html")
        browser.run("document.title = 'mistakes'")
    browser.run("const input = document.getElementById('trace-expression'); input.value = ''; input.focus()")
    browser.press(text, keys().ENTER)
    assert browser.text(".state-panel .mistake") == message
