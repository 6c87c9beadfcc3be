"""`strandline conform`: verdicts, messages with file, line and caret, and formats of logs."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.cli.main import main
from strandline.conformance.coverage import merge_coverage
from strandline.conformance.verdict import Conforms
from strandline.report.html.conformance import conformance_page

ROOT = Path(__file__).resolve().parents[2]
LEASES = ROOT / "examples" / "python-leases" / "leases.py"
RAFT = ROOT / "examples" / "python-raft-election" / "raft_election.py"
PETERSON = ROOT / "examples" / "peterson" / "peterson.dve"
MAP = """\
unlogged = ["tick"]
at_most = 2
ignore = ["time"]

[events.got]
action = "Client_{client}.acquire"
after = { token = "Client_{client}.token" }

[events.write]
action = "Client_{client}.write"
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def conform(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(log: str, text: str = MAP, *flags: str, model: Path = LEASES) -> tuple[int, str, str]:
        (tmp_path / "run.log").write_text(log)
        (tmp_path / "map.toml").write_text(text)
        code = main(["conform", str(model), "run.log", "--map", "map.toml", *flags])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


GOOD = '{"event":"got","client":0,"token":1,"time":0.5}\n{"event":"write","client":0,"time":0.75}\n'
BAD = GOOD + '{"event":"got","client":1,"token":3}\n'


def test_a_log_conforms(conform: Run) -> None:
    code, out, _ = conform(GOOD)
    assert code == 0
    assert out.startswith("CONFORMS  Leases\n\n  2 events\n  the model may be in 9 states at the end\n")
    assert "actions exercised: 3 of 7\n    perhaps: tick\n" in out


def test_a_deviation_names_the_value_that_differs(conform: Run) -> None:
    code, out, _ = conform(BAD)
    assert code == 12
    assert "run.log:3: no step of the model is this event" in out
    assert "Client_1.acquire: Client_1.token is 2 after the step, in the log token is 3 (in 9 of 15 states)" in out


def test_a_deviation_names_the_part_of_the_guard_and_the_missing_step(conform: Run) -> None:
    code, out, _ = conform(BAD.replace(":3}", ":2}"), MAP.replace("at_most = 2", "at_most = 1"))
    assert code == 0, out
    code, out, _ = conform('{"event":"got","client":0}\n{"event":"got","client":1}', MAP.replace("= 2", "= 1"))
    assert code == 12
    assert "the guard is false: m.holder is None or m.now >= m.expires" in out
    assert "the event would match after tick" in out


def test_the_object_has_everything(conform: Run) -> None:
    code, out, _ = conform(BAD, MAP, "--json")
    data = json.loads(out)
    assert (code, data["exit_code"], data["verdict"]) == (12, 12, "DEVIATES")
    deviation = data["deviation"]
    assert deviation["event"] == {"log": "run.log", "line": 3, "fields": {"event": "got", "client": 1, "token": 3}}
    reason = deviation["reasons"][0]
    assert (reason["kind"], reason["part"], reason["model"], reason["logged"]) == ("after", "Client_1.token", 2, 3)
    assert [one and one["line"] for one in deviation["events"]] == [1, 2]
    assert deviation["trace"]["length"] == 2
    assert data["coverage"]["certain"] == ["Client_0.acquire", "Client_0.write"]


def test_the_page_has_the_log_beside_the_model(conform: Run, tmp_path: Path) -> None:
    conform(BAD, MAP, "--report", "out.html")
    page = (tmp_path / "out.html").read_text()
    assert "<td>run.log:1<br>" in page
    assert "<details><summary>Client_0.acquire" in page
    assert "no step of the model" in page
    assert "script" not in page.partition("</style>")[2]


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ('{"event":"gut","client":0}', "run.log:1:10: 'gut' is no action of the model; did you mean 'got'?"),
        ('{"event":"got","client":0,"tokn":1}', "run.log:1:27: the map has no meaning for the field 'tokn' of 'got'"),
        ('\n{"event":"got","client":0', "run.log:2:26: not JSON: Expecting ',' delimiter; the line is cut off"),
        ('{"event":"got"}', "run.log:1:1: the event has no field 'client', which the map needs"),
        ('{"event":"got","client":7}', "run.log:1:2: the model has no action 'Client_7.acquire'"),
        ('[1]', "run.log:1:1: an event is a JSON object"),
        ('{"client":0}', "run.log:1:1: the event has no field 'event', which names it"),
        ('{"event":3}', "run.log:1:2: the event must be a text: field 'event', which names it"),
        ('{"event":"got","client":0,"token":1.5}', "run.log:1:27: 'token' is 1.5, and models have whole numbers only"),
        ("", "run.log: this log has no events, so it says nothing about the model"),
        ("\n\n", "run.log: this log has no events, so it says nothing about the model"),
    ],
)  # fmt: skip
def test_events_that_cannot_be_read(conform: Run, log: str, message: str) -> None:
    code, out, err = conform(log)
    assert (code, out) == (2, "")
    assert err.startswith(message), err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("unlogged = ", "unloged = ", "map.toml:1:1: there is no key 'unloged'; did you mean 'unlogged'?\n  unloged"),
        ('"tick"', '"tock"', "map.toml:1:14: there is no action 'tock'; did you mean 'tick'?"),
        ("at_most = 2", "at_most = 0", "map.toml:2:1: 'at_most' must be a number from 1 on"),
        ("Client_{client}.token", "Client_{client}.tokn", "map.toml:7:"),
        ("action =", "acton =", "map.toml:6:1: there is no key 'acton'; did you mean 'action'?"),
        ("token = ", "tokens = ", "run.log:1:27: the map has no meaning for the field 'token' of 'got'"),
        ("ignore", 'order = "node"\nignore', "map.toml:3:10: 'order' is one of log, nodes, messages, clocks"),
        ("ignore", 'clock = "vc"\nignore', "map.toml:3:1: 'clock' has an effect only with order = \"clocks\""),
        ("ignore", 'order = "messages"\nignore', "map.toml:3:10: order = \"messages\" needs 'sends'"),
        ("ignore = [", "ignore = ", "map.toml:3:16: "),
        ('unlogged = ["tick"]\n', "", "map.toml:1:1: 'at_most' limits the actions of 'unlogged', and there are none"),
    ],
)  # fmt: skip
def test_maps_with_a_typo(conform: Run, old: str, new: str, message: str) -> None:
    code, _, err = conform(GOOD, MAP.replace(old, new, 1))
    assert code == 2
    assert err.startswith(message), err
    assert "^" in err


def test_a_field_of_the_map_that_no_event_has(conform: Run) -> None:
    code, _, err = conform('{"event":"got","client":0}\n')
    assert code == 2
    assert err.startswith("map.toml:7:11: no event 'got' of the log has the field 'token'")


def test_without_a_map_events_are_actions_and_fields_expressions() -> None:
    events: list[dict[str, Any]] = [
        {"event": "tick"},
        {"event": "acquire", "node": 1, "Client_1.token": 1, "holder": 1, "expires": 3},
        {"event": "Client_1.release", "holder": None, "now < 3": True},
    ]
    assert strandline.conform(LEASES, events)
    assert not strandline.conform(LEASES, [*events[:2], events[2] | {"holder": 1}])


def test_locations_are_values_of_dve_processes() -> None:
    run = strandline.check(PETERSON, reach="P.critical").trace
    assert run is not None
    events = [{"event": step.action, "P": step.state["P"]} for step in run.steps]
    verdict = strandline.conform(PETERSON, events)
    assert verdict
    assert "P.critical" in verdict.coverage.locations
    assert not strandline.conform(PETERSON, [*events[:-1], events[-1] | {"P": "idle"}])


def test_arguments_of_actions_are_compared() -> None:
    events: list[dict[str, Any]] = [
        {"event": "time_out", "node": 0},
        {"event": "receive", "node": 1, "msg.kind": "ask", "msg": {"sender": 0}},
        {"event": "lose", "msg.to": 2},
        {"event": "receive", "node": 0, "msg.kind": "grant", "Server_0.role": "leader"},
    ]
    assert strandline.conform(RAFT, events)
    verdict = strandline.conform(RAFT, [*events[:2], {"event": "lose", "msg.to": 1}])
    assert verdict.deviation is not None
    assert verdict.deviation.reasons[0].kind == "argument"


def test_a_map_in_python_translates_events(tmp_path: Path) -> None:
    (tmp_path / "map.py").write_text(
        "import json\n"
        "at = {'a': 0, 'b': 1}\n"
        "events = {'got': {'action': 'Client_{n}.acquire', 'after': ['issued']}}\n"
        "def translate(event):\n"
        "    if event['event'] == 'noise':\n"
        "        return None\n"
        "    return {'event': 'got', 'n': at[event['who']], 'issued': event['token']}\n"
    )
    events: list[dict[str, Any]] = [{"event": "noise"}, {"event": "lease", "who": "b", "token": 1}]
    assert strandline.conform(LEASES, events, map=tmp_path / "map.py")
    with pytest.raises(strandline.InputError, match="translate raises KeyError: 'c'"):
        strandline.conform(LEASES, [{"event": "lease", "who": "c", "token": 1}], map=tmp_path / "map.py")
    with pytest.raises(strandline.InputError, match="translate drops them all"):
        strandline.conform(LEASES, [{"event": "noise"}], map=tmp_path / "map.py")
    (tmp_path / "map.py").write_text("x = 1\n1 / 0\n")
    with pytest.raises(strandline.InputError, match=r"map.py:2:1: the map raises ZeroDivisionError"):
        strandline.conform(LEASES, events, map=tmp_path / "map.py")


def test_a_python_map_is_not_executed_where_that_is_forbidden(tmp_path: Path) -> None:
    (tmp_path / "map.py").write_text("open('executed', 'w')\n")
    (tmp_path / "run.log").write_text('{"event": "x"}\n')
    arguments = ["conform", str(PETERSON), str(tmp_path / "run.log"), "--map", str(tmp_path / "map.py")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STRANDLINE_NO_PYTHON", "1")
        assert main(arguments) == 2
    assert not Path("executed").exists()


def test_itf_is_a_log(tmp_path: Path) -> None:
    from strandline.report.traces import write_trace

    system = strandline.load(RAFT)
    trace = strandline.check(system, reach="elected", deadlock=False).trace
    assert trace is not None
    write_trace(tmp_path / "run.itf.json", trace, system, full=False)
    assert strandline.conform(system, tmp_path / "run.itf.json")
    document = json.loads((tmp_path / "run.itf.json").read_text())
    document["states"][2]["Server_0.term"] = 2
    (tmp_path / "run.itf.json").write_text(json.dumps(document))
    verdict = strandline.conform(system, tmp_path / "run.itf.json")
    assert verdict.deviation is not None
    assert verdict.deviation.matched == 2


def test_a_log_may_begin_in_any_reachable_state() -> None:
    events = [{"event": "release", "node": 0, "now": 4}]
    assert strandline.conform(LEASES, events).answer is Conforms.DEVIATES
    verdict = strandline.conform(LEASES, events, map={"start": "reachable"})
    assert verdict.answer is Conforms.CONFORMS
    assert verdict.candidates > 1
    assert strandline.conform(LEASES, [{"event": "release", "node": 0, "now": 7}], map={"start": "reachable"}).deviation


def test_an_event_that_is_no_step_observes_the_state() -> None:
    log_map = {"events": {"status": {"action": [], "after": ["now", "holder"]}}}
    events: list[dict[str, Any]] = [{"event": "tick"}, {"event": "status", "now": 1, "holder": None}, {"event": "tick"}]
    assert strandline.conform(LEASES, events, map=log_map)
    events[1]["now"] = 2
    verdict = strandline.conform(LEASES, events, map=log_map)
    assert verdict.deviation is not None
    assert "now is 1" in verdict.deviation.reasons[0].words


def test_several_logs_are_several_runs_and_the_first_deviation_counts(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.log", tmp_path / "bad.log"
    good.write_text('{"event":"tick"}\n' * 3)
    bad.write_text('{"event":"tick"}\n' * 7)
    verdict = strandline.conform(LEASES, [good, bad, good])
    assert verdict.deviation is not None
    assert verdict.deviation.event.place == f"{bad}:7"
    assert strandline.conform(LEASES, [good, good]).events == 6


def test_coverage_is_merged_over_logs() -> None:
    first = strandline.conform(LEASES, [{"event": "tick"}]).coverage
    second = strandline.conform(LEASES, [{"event": "acquire", "node": 1}]).coverage
    merged = merge_coverage([first, second])
    assert set(merged.certain) == {"tick", "Client_1.acquire"}
    assert len(merged.never) == 5


def test_a_log_is_followed_until_it_deviates(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text('{"event":"tick"}\n{"event":"ti')

    def append() -> None:
        with log.open("a") as file:
            file.write('ck"}\n{"event":"acquire","node":0,"issued":2}\n')

    writer = threading.Timer(0.3, append)
    writer.start()
    verdict = strandline.conform(LEASES, log, follow=True, max_seconds=60)
    writer.join()
    assert verdict.answer is Conforms.DEVIATES
    assert verdict.deviation is not None
    assert verdict.deviation.event.line == 3


def test_following_ends_with_the_time() -> None:
    with pytest.raises(strandline.InputError, match="one file in one order can be followed"):
        strandline.conform(LEASES, [{"event": "tick"}], follow=True)


def test_a_time_limit_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text('{"event":"tick"}\n')
    verdict = strandline.conform(LEASES, tmp_path / "run.log", follow=True, max_seconds=0.2)
    assert verdict.answer is Conforms.UNKNOWN
    assert verdict.reason == "the time limit of 0.2 s is reached after 1 events"


def test_a_long_log_shows_its_last_events_only() -> None:
    events = [{"event": "acquire", "node": 0}, {"event": "release", "node": 0}] * 2000
    system = strandline.load(LEASES, time=5000)
    verdict = strandline.conform(system, [*events, {"event": "write", "node": 1}])
    deviation = verdict.deviation
    assert deviation is not None
    assert (deviation.matched, deviation.first, len(deviation.trace)) == (4000, 3072, 928)
    assert conformance_page(verdict).count("<details>") == 930


def test_nodes_without_a_global_clock(tmp_path: Path) -> None:
    first, second = tmp_path / "0.log", tmp_path / "1.log"
    first.write_text('{"event":"acquire"}\n{"event":"release"}\n')
    second.write_text('{"event":"acquire"}\n{"event":"release"}\n')
    log_map = {"order": "nodes", "events": {"acquire": "Client_{node}.acquire", "release": "Client_{node}.release"}}
    with pytest.raises(strandline.InputError, match="the event has no field 'node', which the map needs"):
        strandline.conform(LEASES, [first, second], map=log_map)
    for file in (first, second):
        file.write_text(file.read_text().replace("}", f',"node":{file.stem}}}'))
    assert strandline.conform(LEASES, [first, second], map=log_map)
    second.write_text(second.read_text() * 2 + second.read_text().splitlines()[1])
    verdict = strandline.conform(LEASES, [first, second], map=log_map)
    assert verdict.deviation is not None
    assert verdict.deviation.event.place == f"{second}:5"
    assert verdict.deviation.matched == 6


def test_messages_order_events_across_nodes() -> None:
    log_map = {"order": "messages", "message": "id", "sends": ["acquire"]}
    events: list[dict[str, Any]] = [
        {"event": "release", "node": 1, "id": "a"},
        {"event": "acquire", "node": 0, "id": "a"},
    ]
    verdict = strandline.conform(LEASES, events, map=log_map)
    assert verdict.deviation is not None
    assert verdict.deviation.matched == 1
    with pytest.raises(strandline.InputError, match="no event sends message 'b'; sending are acquire"):
        strandline.conform(LEASES, [events[1], events[0] | {"id": "b"}], map=log_map)
    with pytest.raises(strandline.InputError, match="message 'a' is sent twice"):
        strandline.conform(LEASES, [events[1], events[1]], map=log_map)
