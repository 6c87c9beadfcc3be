"""The commands of `strandline simulate`: an interactive walk through a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from strandline.cli.simulating_text import SimulationText
from strandline.compile.interpreted import SystemReference
from strandline.errors import UsageError
from strandline.report.style import Style, table, with_noun
from strandline.report.traces import trace_lines, write_trace
from strandline.source import saturated_int
from strandline.traces.evaluate import render_answer
from strandline.traces.interpreter_walk import Walk
from strandline.traces.matching import fit
from strandline.traces.trace_files import read_trace

_MOST_TOLD = 50
"""Most steps of a random walk that are printed; of a longer walk only the last state is."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the simulator: its arguments, its description, and the method that executes it."""

    argument: str
    help: str
    run: Callable[[Simulation, str], None]


class Simulation:
    """A walk through a model, directed by commands.

    All output goes through `say`; a mistake in a command raises `InputError`, and the walk stays in its state. `over`
    is True after the command to leave.
    """

    def __init__(self, reference: SystemReference, style: Style, say: Callable[[str], None], random: Random) -> None:
        self.system = reference.system
        self.walk = Walk(reference)
        self.text = SimulationText(reference, style)
        self._style, self._say, self._random = style, say, random
        self.over = False

    def start(self) -> None:
        """Begin the walk in the initial state; if there are several, list them for the user to choose."""
        self._say(self.text.title())
        self._reset("")

    def execute(self, line: str) -> None:
        """Execute one command line: a command, or numbers of steps. Raises `InputError` for a mistake."""
        words = line.split(maxsplit=1)
        if not words:
            self._say(self.text.menu(self.walk))
        elif all(word.isdecimal() for word in line.split()):
            self._choose([saturated_int(word) for word in line.split()])
        else:
            argument = words[1].strip() if len(words) > 1 else ""
            COMMANDS[_full_name(words[0])].run(self, argument)

    # Moves

    def _choose(self, numbers: list[int]) -> None:
        for number in numbers:
            if self.walk.state is None:
                self._begin(number)
            else:
                self._take(number)
        self._show_arrival()

    def _begin(self, number: int) -> None:
        count = len(self.walk.initial_states)
        if not 1 <= number <= count:
            choice = "there is only 1" if count == 1 else f"choose 1 to {count}"
            raise UsageError(f"there is no initial state {number}: {choice}")
        self.walk.begin(number - 1)
        self._say(self.text.beginning(self.walk))

    def _take(self, number: int) -> None:
        count = len(self.walk.edges)
        if not 1 <= number <= count:
            choice = f"choose 1 to {count}" if count else "there is none; 'undo' or 'reset' lead back"
            raise UsageError(f"there is no step {number}: {choice}")
        before = self.walk.state
        edge = self.walk.take(number - 1)
        self._say(self.text.step(self.walk, before, edge))

    def _undo(self, argument: str) -> None:
        wanted = _number(argument, 1)
        taken = self.walk.undo(wanted)
        if taken == 0:
            raise UsageError("there is no step to undo")
        self._say(f"undone: {with_noun(taken, 'step')}")
        self._show_arrival(state=True)

    def _reset(self, argument: str) -> None:
        if argument or len(self.walk.initial_states) == 1:
            self._begin(_number(argument, 1))
        else:
            self.walk.reset()
        self._show_arrival()

    def _walk_randomly(self, argument: str) -> None:
        wanted = _number(argument, 1)
        if self.walk.state is None:
            self._begin(self._random.randrange(len(self.walk.initial_states)) + 1)
        taken = 0
        try:
            while taken < wanted and self.walk.edges:
                before = self.walk.state
                edge = self.walk.take(self._random.randrange(len(self.walk.edges)))
                taken += 1
                if wanted <= _MOST_TOLD or self.walk.fault is not None:
                    self._say(self.text.step(self.walk, before, edge))
        finally:
            if wanted > _MOST_TOLD:
                self._say(f"{with_noun(taken, 'random step')}")
        self._show_arrival(state=wanted > _MOST_TOLD)

    def _follow(self, argument: str) -> None:
        path = _file(argument, "follow")
        recorded = read_trace(path)
        if recorded.fault is not None and recorded.fault.action is None:
            # No step faults, but a claim does in the last state: the menu warns of it.
            recorded = replace(recorded, fault=None)
        fitted = fit(self.walk.reference, recorded)
        self.walk.follow(fitted.initial, fitted.steps)
        if fitted.fault is not None:
            self.walk.take(len(self.walk.edges) - 1)
        self._show_trace("")
        self._show_arrival()

    def _show_arrival(self, *, state: bool = False) -> None:
        if state and self.walk.state is not None:
            self._say(self.text.state(self.walk.state))
        warnings = self.text.warnings(self.walk)
        if warnings:
            self._say(warnings)
        self._say(self.text.menu(self.walk))

    # Queries

    def _show_steps(self, argument: str) -> None:
        self._say(self.text.menu(self.walk, whole=True))

    def _show_state(self, argument: str) -> None:
        self._say(self.text.state(self._current_state()))
        for part in (self.text.labels(self._current_state()), self.text.warnings(self.walk)):
            if part:
                self._say(part)

    def _evaluate(self, argument: str) -> None:
        if not argument:
            raise UsageError("eval needs an expression")
        state = self._current_state()
        question = self.system.scope.question(argument, name="expression")
        self._say(f"{argument} is {render_answer(self.text.evaluator.answer(question, state))}")

    def _show_trace(self, argument: str) -> None:
        self._current_state()
        self._say("\n".join(trace_lines(self.walk.trace(), self.system, self._style)))

    def _save(self, argument: str) -> None:
        self._current_state()
        path = _file(argument, "save")
        trace = self.walk.trace()
        write_trace(path, trace, self.system, full=False)
        self._say(f"saved: {path}, {with_noun(len(trace), 'step')}")

    def _help(self, argument: str) -> None:
        rows = [("NUMBER ...", "take the steps with these numbers, one after the other")]
        rows += [(f"{name} {one.argument}".strip(), one.help) for name, one in COMMANDS.items()]
        self._say("\n".join(table(rows)))
        self._say("  a command may be cut short as long as it stays the only one of its kind")

    def _quit(self, argument: str) -> None:
        self.over = True

    def _current_state(self) -> tuple[int, ...]:
        if self.walk.state is None:
            raise UsageError("choose an initial state first")
        return self.walk.state


COMMANDS = {
    "undo": Command("[N]", "take back the last step, or the last N", Simulation._undo),
    "reset": Command("[NUMBER]", "back to the beginning, to an initial state of this number", Simulation._reset),
    "random": Command("[N]", "take a random step, or N", Simulation._walk_randomly),
    "follow": Command("FILE", "start anew and follow a saved trace (JSON, ITF)", Simulation._follow),
    "steps": Command("", "list all steps that can be taken here", Simulation._show_steps),
    "state": Command("", "show the whole state, with labels and violated claims", Simulation._show_state),
    "eval": Command("EXPR", "the value of an expression here", Simulation._evaluate),
    "trace": Command("", "show the path so far", Simulation._show_trace),
    "save": Command("FILE", "write the path to a file (.json, .itf.json, else text)", Simulation._save),
    "help": Command("", "this list", Simulation._help),
    "quit": Command("", "leave, as Ctrl-D does", Simulation._quit),
}


def _full_name(word: str) -> str:
    """Return the name of the command that a word abbreviates. Raises `UsageError` if it is not unique or unknown."""
    fitting = [name for name in COMMANDS if name.startswith(word)]
    if word in COMMANDS or word == "exit":
        return "quit" if word == "exit" else word
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(fitting or COMMANDS)
    problem = "is more than one command" if fitting else "is no command"
    raise UsageError(f"'{word}' {problem} ({known})")


def _number(text: str, default: int) -> int:
    if not text:
        return default
    if not text.isdecimal() or saturated_int(text) < 1:
        raise UsageError(f"'{text}' is not a number of 1 or more")
    return saturated_int(text)


def _file(text: str, command: str) -> Path:
    if not text:
        raise UsageError(f"{command} needs the name of a file")
    return Path(text).expanduser()
