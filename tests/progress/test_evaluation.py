"""Expressions over whole samples: the values of the interpreter, wherever it gives one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from strategies import Case, cases

from strandline.compile.interpret import Fault, Interpreter, evaluate
from strandline.progress.evaluation import values


@settings(max_examples=200)
@given(cases())
def test_values_are_those_of_the_interpreter(case: Case) -> None:
    system = case.system
    interpreter = Interpreter(system)
    seen = list(dict.fromkeys(system.initial))
    for state in seen:
        if len(seen) >= 40:
            break
        seen += [one.target for one in interpreter.steps(state) if one.target is not None and one.target not in seen]
    table = np.array(seen, dtype=np.int64)
    expressions = list(case.predicates)
    if case.measure is not None:
        expressions += [case.measure.column, case.measure.layer]
    for expression in expressions:
        with np.errstate(all="ignore"):
            found = values(expression, lambda one, index: table[:, system.offsets[one] + index], len(seen))
        for number, state in enumerate(seen):
            try:
                expected = evaluate(expression, state, system.offsets)
            except Fault:
                continue
            assert found[number] == expected
