"""Replay shows only true traces: every claim is checked, every corruption is detected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.interpreted_kernel import interpret_system

from strandline.compile.kernel import DEADLOCK_BIT, FaultSite, Kernel
from strandline.errors import ReplayError
from strandline.languages import dve
from strandline.source import Source, Span
from strandline.traces.log import ParentLog
from strandline.traces.replay import replay
from strandline.traces.trace import Change

MODELS = Path(__file__).resolve().parent.parent / "checker" / "models"
MUTEX, INDEX, COUNTER = ((MODELS / f"{name}.dve").read_text() for name in ("mutex", "index", "counter"))


def _kernel(text: str, predicate: str | None = None) -> Kernel:
    system = dve.load(Source("model.dve", text))
    predicates = [] if predicate is None else [system.scope.parse(predicate)]
    return interpret_system(system, predicates)


def test_a_trace_shows_actions_and_changes() -> None:
    trace = replay(_kernel(MUTEX, "P.critical and Q.critical").reference, 0, [0, 1, 0, 1], labels=1).trace
    assert trace.initial == {"flag": (0, 0), "P": "idle", "Q": "idle"}
    assert [step.action for step in trace.steps] == [
        "P: idle -> seen",
        "Q: idle -> seen",
        "P: seen -> critical",
        "Q: seen -> critical",
    ]
    assert trace.steps[2].changes == (Change("flag[0]", 0, 1), Change("P", "seen", "critical"))
    assert trace.final == {"flag": (1, 1), "P": "critical", "Q": "critical"}
    assert list(trace.states())[-1] == trace.final
    assert len(list(trace.states())) == len(trace) + 1
    assert trace.loop is None


def test_a_claimed_label_must_be_there() -> None:
    reference = _kernel(MUTEX, "P.critical and Q.critical").reference
    with pytest.raises(ReplayError, match=r"does not have the label that was claimed \(bit 0\)"):
        replay(reference, 0, [0, 1, 0], labels=1)
    with pytest.raises(ReplayError, match=r"claimed \(bit 63\)"):
        replay(reference, 0, [0, 1, 0, 1], labels=1 | 1 << DEADLOCK_BIT)


def test_a_deadlock_is_checked() -> None:
    reference = _kernel(COUNTER).reference
    assert len(replay(reference, 0, [1], labels=1 << DEADLOCK_BIT).trace) == 1
    with pytest.raises(ReplayError, match="bit 63"):
        replay(reference, 0, [0], labels=1 << DEADLOCK_BIT)


def test_an_initial_state_that_is_not_there_is_refused() -> None:
    with pytest.raises(ReplayError, match="begins in initial state 1, but there are only 1"):
        replay(_kernel(MUTEX).reference, 1, [])


def test_a_step_that_is_not_there_is_refused() -> None:
    with pytest.raises(ReplayError, match="step 2 of the trace is edge 9, but the state has only 2"):
        replay(_kernel(MUTEX).reference, 0, [0, 9])


def test_a_fault_on_the_way_is_refused() -> None:
    with pytest.raises(ReplayError, match="step 4 of the trace, 'P: s -> s', faults: array index out of range"):
        replay(_kernel(INDEX).reference, 0, [0, 0, 0, 0, 0])


def test_a_fault_at_the_end_must_be_the_one_that_was_claimed() -> None:
    reference = _kernel(INDEX).reference
    place = INDEX.index("a[i]")
    site = FaultSite("array index out of range", Span(place, place + 4))
    fault = replay(reference, 0, [0, 0, 0], fault=site).trace.fault
    assert fault is not None
    assert (fault.kind, fault.span, fault.action) == (site.kind, site.span, "P: s -> s")
    with pytest.raises(ReplayError, match="the search found 'division by zero' at None, the replay found 'array index"):
        replay(reference, 0, [0, 0, 0], fault=FaultSite("division by zero", None))
    with pytest.raises(ReplayError, match="the replay found no fault"):
        replay(reference, 0, [0, 0], fault=site)


def test_a_fault_in_a_predicate_has_no_action() -> None:
    kernel = _kernel("byte a[2]; byte i; process P { state s; init s; trans s -> s { effect i = i + 1; }; }"
                     "system async;", "a[i] == 0")  # fmt: skip
    fault = replay(kernel.reference, 0, [0, 0], fault=FaultSite("array index out of range", Span(0, 4))).trace.fault
    assert fault is not None
    assert fault.action is None


@given(st.integers(0, 4), st.integers(0, 2**64 - 1))
def test_a_damaged_log_never_yields_a_wrong_trace(
    tmp_path_factory: pytest.TempPathFactory, place: int, mask: int
) -> None:
    """Flip bits of one link on the way: either the replay refuses, or what it shows does end where it
    claims."""
    links = [((1 << 40) - 1) << 24, 0, 1 << 24 | 1, 2 << 24, 3 << 24 | 1]
    links[place] ^= mask
    path: Path = tmp_path_factory.mktemp("log") / "log"
    log = ParentLog(path)
    log.append(np.array(links, dtype=np.uint64))
    try:
        number, steps = log.path_to(4)
        trace = replay(_kernel(MUTEX, "P.critical and Q.critical").reference, number, steps, labels=1).trace
    except ReplayError:
        assert mask != 0
    else:
        assert (trace.final["P"], trace.final["Q"]) == ("critical", "critical")
    finally:
        log.close()
