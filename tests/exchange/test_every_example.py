"""Every example, in every language: a walk is a trace of values, goes through both formats, and its variables can be
asked for by their names."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from support.trace_texts import itf_text, json_text

from strandline.checker.expected.reader import find_expected, read_expected
from strandline.languages import load
from strandline.model.values import show
from strandline.source import Source
from strandline.traces.evaluate import Evaluator
from strandline.traces.interpreter_walk import Walk, reference_of
from strandline.traces.matching import fit
from strandline.traces.trace_files import read_trace

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MODELS = sorted({str(case.model) for file in find_expected([EXAMPLES]) for case in read_expected(file)})


def test_every_language_is_there() -> None:
    assert {Path(model.partition(":")[0]).suffix for model in MODELS} >= {".dve", ".psl", ".py", ".pnml", ".lotus"}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.removeprefix(f"{EXAMPLES}/"))
def test_a_walk_is_data(model: str, tmp_path: Path) -> None:
    system = load(model).alone
    reference = reference_of(system)
    walk, random = Walk(reference), Random(7)
    walk.begin(0)
    for _ in range(12):
        if walk.edges:
            walk.take(random.randrange(len(walk.edges)))
    trace = walk.trace()
    for text in (json_text, itf_text):
        file = tmp_path / "t.json"
        file.write_text(text(trace, Source("m", "")))
        assert fit(reference, read_trace(file)).replayed.trace == trace
    assert [dict(step.state) for step in trace] == list(trace.states())[1:]
    assert all(step.action in str(trace) for step in trace)
    assert json.loads(json_text(trace, system.source))["length"] == len(trace)
    evaluator, state = Evaluator(reference), walk.state
    assert state is not None
    for name, value in trace.final.items():
        told = evaluator.answer(system.scope.question(name), state)
        assert show(told) == show(value), name
