"""Reports as files: content, size, and content security policy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.verdicts.verdict import Exploration, Verdict
from strandline.cli.main import main
from strandline.model.values import Multiset, RecordValue
from strandline.report.html.data import page_data
from strandline.report.html.page import report_page
from strandline.report.html.runs import encode_tagged, run_data
from strandline.report.html.sequence import sequence_data
from strandline.traces.following import actions_along
from strandline.traces.trace import Change, Step, Trace

EXAMPLES = Path(__file__).parents[2] / "examples"
ONE_OF_EACH_LANGUAGE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("stop-and-wait/stop-and-wait.dve", {"reach": "Sender.done"}),
    ("python-two-phase-commit/two_phase_commit.py", {"reach": "all_committed"}),
    ("process-stop-and-wait/deaf.psl", {"deadlock": True}),
    ("petri-crossing/crossing.pnml", {}),
    ("lotus-token/token.lotus", {}),
)


def data_of(page: str) -> dict[str, Any]:
    """The data in a page, as its program reads it."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_a_page_holds_all_it_needs_and_may_do_nothing_else() -> None:
    verdict = strandline.check(EXAMPLES / "ltl-starvation/semaphore.dve", ltl="G (P.wait -> F P.critical)")
    page = verdict.report().html
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert not re.search(r"(src|href)=", page.replace("default-src=", ""))
    assert len(page) < 200_000
    data = data_of(page)
    assert (data["verdict"], data["properties"][0]["answer"]) == ("VIOLATED", "VIOLATED")
    trace = data["traces"][0]
    assert trace["loop"] is not None
    start, end = trace["places"]["spans"][0]
    assert data["source"]["text"][start:end].split()[:3] == ["idle", "->", "wait"]


def test_a_text_that_ends_a_script_does_not_end_the_page(tmp_path: Path) -> None:
    model = tmp_path / "evil.dve"
    comment = "// </script><script>alert(1)</script> <!-- \u2028"
    process = "process P { state s; init s; trans s -> s {}; }"
    model.write_text(f"{comment}\nbyte x;\n{process}\nsystem async;\n")
    page = strandline.check(model, invariants="x == 0").report().html
    assert page.count("</script>") == 2
    assert data_of(page)["source"]["text"].startswith("// </script><script>alert(1)")


@pytest.mark.parametrize(("model", "claims"), ONE_OF_EACH_LANGUAGE, ids=[name for name, _ in ONE_OF_EACH_LANGUAGE])
def test_every_language_has_a_report(model: str, claims: dict[str, Any]) -> None:
    verdict = strandline.check(EXAMPLES / model, **claims)
    data = data_of(report_page(verdict))
    assert data["verdict"] == verdict.answer.value
    assert len(data["traces"]) == len({id(one.trace) for one in verdict.properties if one.trace is not None})
    for trace, told in zip(data["traces"], [one.trace for one in verdict.properties if one.trace], strict=False):
        assert trace["length"] == len(told)
        assert len(trace["pieces"][0]["steps"]) == len(told)
        assert trace["places"] is not None
        assert all(trace["places"]["steps"]), "every step stands somewhere in the text"


def test_what_a_verdict_rests_on() -> None:
    model = EXAMPLES / "stop-and-wait/stop-and-wait.dve"
    swept = page_data(strandline.check(model, measure="mono(sent + received)"))
    told = [(one["mark"], one["text"]) for one in swept["grounds"]]
    assert ("sure", "All reachable states were explored: 110,526 states, 317,521 transitions.") in told
    assert ("note", "Sweep by the measure mono(sent + received).") in told
    assert ("sure", "No step fell back behind the line, so every state was forgotten for good.") in told
    assert ("sure", "Every action of the model was taken (11).") in told
    search = swept["searches"][0]
    assert (search["peak_states"], search["states"], sum(search["profile"]["visited"])) == (3362, 110526, 110526)
    limited = page_data(strandline.check(model, max_states=100))
    assert ("open", "Not all reachable states were explored: the limit of 100 states is reached.") in [
        (one["mark"], one["text"]) for one in limited["grounds"]
    ]


def test_vacuity_and_fairness_are_told() -> None:
    model = EXAMPLES / "ltl-starvation/semaphore.dve"
    verdict = strandline.check(model, ltl="G (free == 7 -> F P.critical)", fair=True)
    texts = [one["text"] for one in page_data(verdict)["grounds"] if one["mark"] == "open"]
    assert any(text.startswith("Only fair runs count: ") for text in texts)
    assert any("free == 7" in text for text in texts), texts


def test_a_trace_that_is_too_long_loses_its_middle() -> None:
    steps = tuple(Step(f"tick {n % 3}", (Change("x", n, n + 1),), {"x": n + 1}) for n in range(1000))
    whole = run_data(Trace({"x": 0}, steps), 10**6)
    assert [len(piece["steps"]) for piece in whole["pieces"]] == [1000]
    assert (whole["actions"], whole["names"]) == (["tick 0", "tick 1", "tick 2"], ["x"])
    cut = run_data(Trace({"x": 0}, steps), 2_000)
    first, last = cut["pieces"]
    assert len(first["steps"]) == len(last["steps"]) > 50
    assert last["first"] + len(last["steps"]) == 1000
    assert last["state"] == {"x": last["first"]}
    assert len(json.dumps([first["steps"], last["steps"]])) < 2_100


def test_values_keep_their_kinds() -> None:
    record = RecordValue("Msg", {"kind": "ack", "of": 2**60})
    assert encode_tagged((1, True, None, "a")) == [1, True, None, "a"]
    fields = {"kind": "ack", "of": {"integer": str(2**60)}}
    assert encode_tagged(Multiset([record])) == {"set": [{"record": "Msg", "fields": fields}]}
    assert encode_tagged(frozenset({2, 1})) == {"set": [1, 2]}


def test_who_sends_what_to_whom() -> None:
    system = strandline.load(EXAMPLES / "stop-and-wait/stop-and-wait.dve")
    trace = strandline.check(system, reach="sent == 1").trace
    assert trace is not None
    chart = sequence_data(system, trace, actions_along(system, trace))
    assert chart["lifelines"] == ["Sender", "Receiver"]
    assert [step.action.partition(":")[0] for step in trace] == ["Sender", "Receiver", "Receiver", "Sender"]
    assert chart["steps"] == [[0], [1], [1], [0]]
    assert chart["messages"] == [
        {"from": [0, 0], "to": [1, 1], "text": "0", "channel": "data"},
        {"from": [2, 1], "to": [3, 0], "text": "1", "channel": "acknowledgement"},
    ]


def test_a_process_without_variables_has_its_line(tmp_path: Path) -> None:
    tutorial = (EXAMPLES.parent / "docs/tutorial.md").read_text("utf-8")
    (tmp_path / "wire.py").write_text(tutorial.partition('title="wire.py"\n')[2].partition("```")[0])
    verdict = strandline.check(tmp_path / "wire.py")
    assert verdict.trace is not None
    chart = sequence_data(verdict.system, verdict.trace, actions_along(verdict.system, verdict.trace))
    assert chart["lifelines"] == ["Sender", "Receiver"]
    sent = [(one["channel"], one["text"], one["from"], one["to"]) for one in chart["messages"]]
    assert sent == [
        ("data", "0", [0, 0], [1, 1]),
        ("acks", "True", [1, 1], [5, 0]),
        ("data", "0", [3, 0], [4, 1]),
        ("acks", "True", [4, 1], [7, 0]),
        ("data", "1", [6, 0], None),
    ]


def test_a_meeting_of_two_processes_is_an_arrow() -> None:
    system = strandline.load(EXAMPLES / "process-stop-and-wait/deaf.psl")
    verdict = strandline.check(system, deadlock=True)
    assert verdict.trace is not None
    chart = sequence_data(system, verdict.trace, actions_along(system, verdict.trace))
    meeting = [number for number, actors in enumerate(chart["steps"]) if len(actors) == 2]
    assert [one["from"][0] for one in chart["messages"]] == meeting
    assert meeting


def test_models_without_processes_have_no_chart() -> None:
    system = strandline.load(EXAMPLES / "python-stop-and-wait/stop_and_wait.py")
    trace = strandline.check(system, reach="send == 1").trace
    assert trace is not None
    assert sequence_data(system, trace, actions_along(system, trace)) == {"why": "the model has no processes"}


def test_callables_have_a_report_without_a_text() -> None:
    model = strandline.from_callables([0], lambda n: [("up", n + 1)] if n < 5 else [], labels={"top": lambda n: n == 5})
    data = page_data(strandline.check(model, reach="top"))
    assert data["source"]["why"] == "the model has no text: it was put together by a program"
    assert data["traces"][0]["places"] is None


def test_evidence_is_a_tree() -> None:
    data = page_data(strandline.check(EXAMPLES / "ltl-starvation/semaphore.dve", ctl="AG AF P.critical"))
    evidence = data["properties"][0]["evidence"]
    assert evidence["holds"] is False
    assert evidence["formula"] == "AG AF P.critical"
    assert evidence["parts"]
    assert data["traces"][evidence["parts"][0]["trace"] or 0]["loop"] is not None


def test_the_command_line_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, model = tmp_path / "out.html", str(EXAMPLES / "naive-mutex/naive-mutex.dve")
    claim = "not (P.critical and Q.critical)"
    assert main(["check", model, "--invariant", claim, "--report", str(report)]) == 12
    assert data_of(report.read_text())["answer"] == "VIOLATED"
    assert main(["explore", model, "--report", str(report)]) == 0
    assert data_of(report.read_text())["answer"] == "EXPLORED"
    capsys.readouterr()
    assert main(["explore", model, "--report", str(tmp_path / "no" / "out.html")]) == 2
    assert "no/out.html: the report cannot be written: No such file or directory" in capsys.readouterr().err


def test_results_save_their_reports(tmp_path: Path) -> None:
    model = EXAMPLES / "naive-mutex/naive-mutex.dve"
    results: list[Verdict | Exploration] = [strandline.check(model), strandline.explore(model)]
    for result in results:
        result.save_report(tmp_path / "r.html")
        assert data_of((tmp_path / "r.html").read_text())["title"] == "naive-mutex"
        assert result.report()._repr_html_().startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!doctype html&gt;')
