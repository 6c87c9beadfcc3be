"""Events a second of `strandline conform` on logs of random walks: `python bench/conform_speed.py [EVENTS]`.

The model is examples/python-raft-election with many terms, so that a run is long and its states hardly repeat. The log
is a file of JSON lines; the time includes reading it and compiling the model.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import strandline
from strandline.traces.interpreter_walk import reference_of

MODEL = Path(__file__).parent.parent / "examples" / "python-raft-election" / "raft_election.py"
TERMS = 20_000
MAP = {
    "ignore": ["time"],
    "events": {
        "time_out": {"action": "Server_{node}.time_out", "after": {"term": "Server_{node}.term"}},
        "receive": {
            "action": "Server_{node}.receive",
            "arguments": {"kind": "msg.kind", "sender": "msg.sender"},
            "after": {"term": "Server_{node}.term", "role": "Server_{node}.role"},
        },
        "lose": {"action": "lose", "arguments": {"kind": "msg.kind", "to": "msg.to"}},
    },
}


def write_log(system: strandline.System, path: Path, events: int) -> int:
    """Write the log of a random walk, and return its length."""
    random, reference = Random(7), reference_of(system)
    state, written = reference.initial()[0], 0
    with path.open("w") as file:
        while written < events:
            steps = [(edge.action, edge.target) for edge in reference.edges(state) if edge.target is not None]
            if not steps:
                break
            receiving = [one for one in steps if "time_out" not in one[0]]
            action, state = random.choice(receiving if receiving and random.random() < 0.97 else steps)
            file.write(json.dumps(event_of(action, reference.describe(state), written)) + "\n")
            written += 1
    return written


def event_of(action: str, values: dict[str, object], number: int) -> dict[str, object]:
    title, _, arguments = action.partition("(")
    owner, _, name = title.rpartition(".")
    event: dict[str, object] = {"event": name, "time": number / 1000}
    said = dict(part.split("=") for part in arguments.partition("(")[2].strip(")").split(", ") if part)
    if name == "lose":
        return event | {"kind": said["kind"], "to": int(said["to"])}
    event |= {"node": int(owner.rpartition("_")[2]), "term": values[f"{owner}.term"]}
    if name == "receive":
        event |= {"kind": said["kind"], "sender": int(said["sender"]), "role": values[f"{owner}.role"]}
    return event


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 30_000
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "raft.py"
        # The claim about each term would be a formula for thousands of terms; logs do not need it.
        model.write_text(MODEL.read_text().replace("range(m.terms + 1)", "range(2)"))
        system = strandline.load(model, terms=TERMS)
        path = Path(folder) / "run.log"
        written = write_log(system, path, events)
        for _ in range(3):
            started = time.perf_counter()
            verdict = strandline.conform(system, path, map=MAP)
            seconds = time.perf_counter() - started
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            print(f"{verdict.answer.value} {written:,} events {seconds:.2f} s {written / seconds:,.0f}/s {peak} MB")
            if verdict.deviation is not None:
                print(verdict)
                break


if __name__ == "__main__":
    main()
