"""A model as ordinary Python, in files, cells and at the prompt; and the other door."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import strandline
from strandline.errors import InputError

COUNTER = """from strandline import *
class Counter(Model):
    top = param(3)
    n: Range[0, top]
    q: Fifo[Range[0, top], 1]
    @action
    def up(m, by: Range[1, 2]):
        m.n += by
        require(m.n != 2)
    @action
    def push(m):
        m.n = 0
        m.q.put(1)
    @action
    def pull(m): m.n = m.q.get()
    @invariant
    def small(m): return m.n < m.top
"""


def defined(text: str, filename: str, name: str) -> Any:
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    module = sys.modules[filename] = ModuleType(filename)
    exec(compile(text, filename, "exec", dont_inherit=True), vars(module))
    return getattr(module, name)


@pytest.fixture
def counter() -> Any:
    return defined(COUNTER, "<cell 1>", "Counter")


def test_steps_change_the_state_or_leave_it(counter: Any) -> None:
    m = counter(top=4)
    m.up(1)
    assert m.n == 1
    with pytest.raises(strandline.NotEnabled):
        m.up(1)
    assert m.n == 1
    m.push()
    assert m.n == 0
    with pytest.raises(strandline.NotEnabled, match="full"):
        m.push()
    m.up(1)
    m.pull()
    assert (m.n, len(m.q)) == (1, 0)


def test_out_of_range_is_a_fault_and_changes_nothing(counter: Any) -> None:
    m = counter(top=1)
    with pytest.raises(strandline.OutOfRange, match=r"n = 2 is outside 0\.\.1|not met") as caught:
        m.n = 2
    assert m.n == 0
    assert isinstance(caught.value, ValueError)
    with pytest.raises(strandline.NotEnabled):
        m.up(2)


def test_a_model_of_a_cell_is_checked_as_one_of_a_file(counter: Any, tmp_path: Path) -> None:
    file = tmp_path / "counter.py"
    file.write_text(COUNTER)
    from_cell = strandline.check(counter(top=5), max_states=1000)
    from_file = strandline.check(f"{file}:Counter(top=5)", max_states=1000)
    assert [one.answer for one in from_cell.properties] == [one.answer for one in from_file.properties]
    assert from_cell.statistics.states == from_file.statistics.states
    assert strandline.check(counter, reach="n == 1 and q.empty").properties[0].answer.value == "HOLDS"


def test_several_models_must_be_named(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    file.write_text(COUNTER + "class Other(Counter): pass\n")
    with pytest.raises(InputError, match=r"name one of them: .*two\.py:Counter, .*two\.py:Other"):
        strandline.load(file)
    assert strandline.load(f"{file}:Other").name == "Other"
    with pytest.raises(InputError, match="no parameter 'tip'; did you mean 'top'"):
        strandline.load(f"{file}:Counter(tip=3)")


def test_what_was_typed_at_the_prompt_has_no_text() -> None:
    names: dict[str, Any] = {"__name__": "prompt"}
    exec(compile(COUNTER, "<stdin>", "exec", dont_inherit=True), names)
    with pytest.raises(InputError, match="write the model into a file or a notebook cell"):
        strandline.check(names["Counter"])


def test_annotations_may_be_texts() -> None:
    model = defined("from __future__ import annotations\n" + COUNTER, "<cell 2>", "Counter")
    assert (
        strandline.explore(model(top=5)).statistics.states
        == strandline.explore(defined(COUNTER, "<cell 3>", "Counter")(top=5)).statistics.states
    )


def test_the_other_door() -> None:
    model = strandline.from_callables(
        init=lambda: [0],
        successors=lambda state: [("next", state + 1)] if state < 10 else [],
        progress=lambda state: state,
        labels={"seven": lambda state: state == 7},
    )
    verdict = strandline.check(model, reach="seven")
    assert verdict.trace is not None
    assert verdict.trace.final == {"state": 7}
    assert [step.action for step in verdict.trace.steps] == ["next"] * 7
    assert strandline.check(model, deadlock=True).answer.value == "VIOLATED"
    swept = strandline.explore(model, order="sweep")
    assert (swept.statistics.states, swept.statistics.peak_states) == (11, 2)
    assert "stay in memory" in swept.notes[0]


def test_an_exception_of_a_callable_comes_out() -> None:
    def successors(state: int) -> list[int]:
        if state == 5:
            raise ZeroDivisionError("here")
        return [state + 1]

    with pytest.raises(ZeroDivisionError, match="here"):
        strandline.explore(strandline.from_callables([0], successors))
