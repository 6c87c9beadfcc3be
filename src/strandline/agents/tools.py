"""The tools that agents call.

Their names, parameters and docstrings are the interface: the protocol shows them to the agent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from strandline.agents import library
from strandline.agents.answers import MOST_STEPS, explained, measures_answer, refusal, search_answer
from strandline.agents.models import Folders, Model
from strandline.agents.processes import Budget, OverBudget, run_command
from strandline.errors import InputError, UsageError

_MOST_TRACES = 100


class Tools:
    """The tools, over the folders that they may read from. Answers are plain data; mistakes are answers, too."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._traces: dict[str, tuple[dict[str, Any], Model, list[str]]] = {}

    def all(self) -> list[Callable[..., dict[str, Any]]]:
        """Return the tools, to be registered by a server."""
        return [
            self.check,
            self.explore,
            self.simulate,
            self.measures,
            self.explain_trace,
            self.list_examples,
            self.language_reference,
        ]

    def check(
        self,
        max_seconds: float,
        max_memory_mb: int,
        model: str = "",
        text: str = "",
        language: str = "",
        invariants: list[str] | None = None,
        reach: list[str] | None = None,
        ltl: list[str] | None = None,
        ctl: list[str] | None = None,
        never: list[str] | None = None,
        deadlock: bool = False,
        fair: bool = False,
        measure: str = "",
        parameters: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """Decide properties of a model by visiting all reachable states: HOLDS, VIOLATED or UNKNOWN with the reason.

        Give either `model`, a path below the server's folder, or `text` with `language` (aut, dve, lola, lotus, pnml,
        psl, ss; py where it is allowed). `invariants` hold in every reachable state, `reach` in some; `ltl` and `ctl`
        are formulas, `never` regular expressions over runs; `deadlock` asks for deadlocks. Without any property those
        that the model declares are checked. `fair` assumes weak fairness. `measure`, or "auto", makes a sweep that
        needs less memory. `parameters` are values for constants of the model. The budget is compulsory:
        `max_seconds`, and `max_memory_mb` (512 or more). A violation comes with a shortest trace as data and a
        `trace_id` for `explain_trace`; `never_taken` and `never_reached` name parts of the model without effect.
        """
        claims = {"--invariant": invariants, "--reach": reach, "--ltl": ltl, "--ctl": ctl, "--never": never}
        options = [f"{flag}={one}" for flag, given in claims.items() for one in given or []]
        options += ["--deadlock"] * deadlock + ["--fair"] * fair + ([f"--measure={measure}"] if measure else [])
        return self._search("check", options, (model, text, language), parameters, (max_seconds, max_memory_mb))

    def explore(
        self,
        max_seconds: float,
        max_memory_mb: int,
        model: str = "",
        text: str = "",
        language: str = "",
        measure: str = "",
        parameters: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """Count the reachable states, transitions and deadlocks of a model, and name what was never reached.

        The model, the parameters and the budget are given as for `check`.
        """
        options = [f"--measure={measure}"] if measure else []
        return self._search("explore", options, (model, text, language), parameters, (max_seconds, max_memory_mb))

    def simulate(
        self,
        max_seconds: float,
        max_memory_mb: int,
        model: str = "",
        text: str = "",
        language: str = "",
        walks: int = 1000,
        depth: int = 1000,
        seed: int = 0,
        invariants: list[str] | None = None,
        reach: list[str] | None = None,
        parameters: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """Take random walks through a model that is too large to search. They find violations and prove nothing.

        The model, the parameters and the budget are given as for `check`.
        """
        options = ["--walks", str(walks), "--depth", str(depth), "--seed", str(seed)]
        options += [f"--invariant={one}" for one in invariants or []] + [f"--reach={one}" for one in reach or []]
        return self._search("simulate", options, (model, text, language), parameters, (max_seconds, max_memory_mb))

    def measures(
        self,
        max_seconds: float,
        max_memory_mb: int,
        model: str = "",
        text: str = "",
        language: str = "",
        sample: int = 50_000,
        parameters: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """Find progress measures of a model for `measure` of `check`: sweeps by them forget states that are behind.

        `peak` is the share of states that are stored at the same time, `visits` how often a state is visited. The
        model, the parameters and the budget are given as for `check`; `sample` is the number of states to look at.
        """

        def answer() -> dict[str, Any]:
            found = self._folders.model(model, text, language)
            budget = Budget(max_seconds, max_memory_mb)
            data = self._run(["measures", "--sample", str(sample), *_given(parameters)], found, budget)
            return measures_answer(data, _names(found))

        return _answered(answer)

    def explain_trace(
        self, trace_id: str, expressions: list[str] | None = None, first: int = 0, count: int = MOST_STEPS
    ) -> dict[str, Any]:
        """Show a part of a trace, with the values of expressions before and after each step.

        `trace_id` is that of an answer of `check`, `explore` or `simulate`. The trace is replayed by the interpreter
        that defines the semantics, within the budget of that call. `first` is the number of steps to pass over.
        """

        def answer() -> dict[str, Any]:
            if trace_id not in self._traces:
                raise UsageError(f"there is no trace '{trace_id}'; the last {_MOST_TRACES} are kept")
            trace, model, options = self._traces[trace_id]
            file = self._folders.texts / f"{trace_id}.json"
            file.write_text(json.dumps(trace), encoding="utf-8")
            flags = [f"--eval={one}" for one in expressions or []]
            budget = Budget(float(options[0]), int(options[1]))
            data = self._run(["trace", str(file), "--model", model.path, *flags, *options[2:]], None, budget)
            return explained(data, first, count, {str(file): trace_id, **_names(model)})

        return _answered(answer)

    def list_examples(self, name: str = "") -> dict[str, Any]:
        """List the examples that come with the model checker, or return the texts of one of them."""
        return _answered(lambda: library.example(name) if name else {"examples": library.example_list()})

    def language_reference(self, topic: str = "", section: str = "") -> dict[str, Any]:
        """Return the reference of a modelling language (by its suffix), or of properties, ltl, ctl and measures.

        Without a topic, list the topics. Long pages come as a list of sections, to be asked for one by one.
        """
        return _answered(lambda: library.reference(topic, section) if topic else {"topics": list(library.TOPICS)})

    def _search(
        self,
        command: str,
        options: list[str],
        model: tuple[str, str, str],
        parameters: Mapping[str, str] | None,
        budget: tuple[float, int],
    ) -> dict[str, Any]:
        def answer() -> dict[str, Any]:
            found = self._folders.model(*model)
            limits = Budget(*budget)
            data = self._run([command, *options, *_given(parameters), *limits.limits], found, limits)
            given = search_answer(data, _names(found))
            if data.get("trace") is not None:
                again = [str(limits.seconds), str(limits.megabytes), *_given(parameters)]
                given["trace_id"] = self._keep(data["trace"], found, again)
            return given

        return _answered(answer)

    def _run(self, arguments: list[str], model: Model | None, budget: Budget) -> dict[str, Any]:
        command = [*arguments, "--json"] if model is None else [*arguments, "--json", "--", model.path]
        return run_command(command, budget, self._folders.variables, self._folders.root)

    def _keep(self, trace: dict[str, Any], model: Model, options: list[str]) -> str:
        """Keep a trace for `explain_trace` and return its identifier; the oldest one is forgotten."""
        last = int(next(reversed(self._traces)).removeprefix("trace-")) if self._traces else 0
        if len(self._traces) >= _MOST_TRACES:
            del self._traces[next(iter(self._traces))]
        self._traces[f"trace-{last + 1}"] = (trace, model, options)
        return f"trace-{last + 1}"


def _given(parameters: Mapping[str, str] | None) -> list[str]:
    return [part for name, value in (parameters or {}).items() for part in ("-D", f"{name}={value}")]


def _names(model: Model) -> dict[str, str]:
    return {model.path: model.name}


def _answered(answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the answer; a mistake or an exceeded budget is one, too."""
    try:
        return answer()
    except InputError as error:
        return refusal(str(error))
    except OverBudget as limit:
        return {"verdict": "UNKNOWN", "complete": False, "reason": str(limit), "properties": []}
