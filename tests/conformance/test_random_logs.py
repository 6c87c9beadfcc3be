"""Logs of random models against brute force over all their runs, by the definition and by compiled code."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loose_systems import Loose
from random_logs import RandomLog, is_behaviour, is_some_linearisation, mutated, random_log
from strategies import random_case

import strandline
from strandline.conformance.definition import Definition
from strandline.conformance.linear import PatternReader
from strandline.conformance.logs import Batch
from strandline.conformance.maps import read_map
from strandline.conformance.nodes import NodesDefinition
from strandline.conformance.orders import read_nodes
from strandline.conformance.patterns import PatternMaker
from strandline.conformance.questions import Questionnaire
from strandline.conformance.verdict import Conforms
from strandline.model.plain import PlainScope
from strandline.model.system import System

SEEDS = st.integers(0, 2**40)


def random_system(random: Random) -> System:
    system = Loose(random).system() if random.random() < 0.5 else random_case(random, wild=0.1).system
    return replace(system.alone, scope=PlainScope(system.variables))


def by_definition(log: RandomLog) -> bool:
    questionnaire, log_map = Questionnaire(log.system), read_map(log.map())
    maker = PatternMaker(questionnaire, log_map)
    events = log.as_fields()
    batch = Batch("log", events, list(range(1, len(events) + 1)), [])
    patterns = [reading.pattern for _, reading in PatternReader(maker, log_map).read(batch)]
    return Definition(questionnaire, maker.unlogged(), log_map.at_most).conforms(patterns)


def compare(seed: int) -> tuple[int, int]:
    """Compare one random model on some logs; returns how many conform, and how many do not."""
    random = Random(seed)
    system = random_system(random)
    counts = [0, 0]
    log = random_log(random, system)
    if log.events:
        assert is_behaviour(log), "brute force does not find the run that was logged"
        for one in (log, *(mutated(random, log) for _ in range(3))):
            expected = is_behaviour(one)
            assert by_definition(one) == expected
            verdict = strandline.conform(system, one.as_fields(), map=one.map())
            assert verdict.answer is (Conforms.CONFORMS if expected else Conforms.DEVIATES)
            counts[not expected] += 1
            if verdict.deviation is not None:
                check_deviation(one, verdict)
    return counts[0], counts[1]


def check_deviation(log: RandomLog, verdict: strandline.Conformance) -> None:
    """The events in front of a deviation are the longest prefix that conforms."""
    deviation = verdict.deviation
    assert deviation is not None
    prefix = log.events[: deviation.matched]
    assert is_behaviour(RandomLog(log.system, prefix, log.unlogged, log.at_most))
    further = log.events[: deviation.matched + 1]
    assert not is_behaviour(RandomLog(log.system, further, log.unlogged, log.at_most))
    assert [one for one in deviation.events if one is not None][-1:] == [deviation.last][: len(prefix)]
    assert deviation.reasons


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(SEEDS)
def test_logs_conform_exactly_where_brute_force_finds_a_run(seed: int) -> None:
    compare(seed)


def test_the_comparison_sees_both_verdicts() -> None:
    counts = [compare(seed) for seed in range(12)]
    assert min(map(sum, zip(*counts, strict=True))) > 3


def compare_nodes(seed: int) -> tuple[int, int]:
    random = Random(seed)
    system = random_system(random)
    counts = [0, 0]
    log = random_log(random, system, 6, nodes=2)
    if {one.node for one in log.events} == {0, 1} and not system.synchronous:
        for one in (log, mutated(random, log)):
            counts[not compare_clocks(one, random)] += 1
    return counts[0], counts[1]


def compare_clocks(log: RandomLog, random: Random) -> bool:
    """Compare a log with vector clocks of a random partial order; returns whether it conforms."""
    counts: list[int] = [0, 0]
    fields, needs = [], ([], [])  # type: tuple[list[dict[str, object]], tuple[list[dict[int, int]], ...]]
    known: list[list[int]] = [[0, 0], [0, 0]]
    for event in log.events:
        node, other = event.node, 1 - event.node
        counts[node] += 1
        known[node][node] = counts[node]
        if random.random() < 0.5:
            known[node][other] = counts[other]
        needs[node].append({other: known[node][other]} if known[node][other] else {})
        clock = {"node0": known[node][0], "node1": known[node][1]}
        fields.append({**event.fields(log.system), "clock": clock})
    if not all(counts):
        return is_behaviour(log)
    expected = is_some_linearisation(log, needs)
    log_map = log.map(order="clocks")
    verdict = strandline.conform(log.system, fields, map=log_map)
    assert verdict.answer is (Conforms.CONFORMS if expected else Conforms.DEVIATES)
    assert defined(log, fields, log_map) == expected
    if verdict.deviation is not None:
        assert verdict.deviation.matched < len(log.events)
    return expected


def defined(log: RandomLog, fields: list[dict[str, object]], given: dict[str, object]) -> bool:
    questionnaire, log_map = Questionnaire(log.system), read_map(given)
    maker = PatternMaker(questionnaire, log_map)
    nodes = read_nodes(PatternReader(maker, log_map), log_map, [fields])
    definition = Definition(questionnaire, maker.unlogged(), log_map.at_most)
    found = NodesDefinition(definition, nodes, maker.unlogged(), log_map.at_most).search(log.system.initial)
    assert found is not None
    return found.complete


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(SEEDS)
def test_partial_orders_conform_exactly_where_some_linearisation_does(seed: int) -> None:
    compare_nodes(seed)


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_verdicts_do_not_depend_on_batches(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strandline.conformance.logs.BATCH", size)
    for seed in range(3):
        compare(seed)
