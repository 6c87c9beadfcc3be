"""`strandline sweepline`: the command-line tool of the sweep-line thesis, for models in all languages.

See docs/papers.md, 000 §7.5.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strandline.checker.options.search import Options
from strandline.cli.console import Console, emit
from strandline.cli.option_arguments import add_options, options_of
from strandline.cli.outputs import Outputs, try_file
from strandline.cli.searching import add_parameters, load_model
from strandline.errors import InputError, UsageError
from strandline.report.exit_codes import USAGE

if TYPE_CHECKING:
    from strandline.checker.properties.ctl_formula import CtlFormula
    from strandline.checker.properties.selection import Property, Selection
    from strandline.checker.verdicts.verdict import Verdict
    from strandline.model.system import System

_LIMITS = ("max_states", "max_seconds", "memory")
TRACE_FILE, TREE_FILE, UPDATE_FILE = "trace.txt", "tree.txt", "mppUpdate.txt"


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "sweepline",
        help="check a property as the tool of the sweep-line thesis does",
        description="Sweep a model by its progress measure and check one property, given by an automaton or by a "
        f"formula of CTL. Where a trace is triggered, it is written to {TRACE_FILE}: a path to a bad state, a path and "
        "an acceptance cycle, or a path and a terminal component. For a formula that says that something is possible, "
        "a trace means that it holds.",
    )
    parser.add_argument("-m", dest="model", metavar="FILE", help="the model, in any language; a state space by default")
    add_parameters(parser)
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("-s", dest="kind", action="store_const", const="safety", help="check for safety properties")
    kinds.add_argument("-l", dest="kind", action="store_const", const="ltl", help="check for LTL properties")
    kinds.add_argument("-c", dest="kind", action="store_const", const="ctl", help="check for CTL properties")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("-f", dest="formula", metavar="FILE", type=Path, help="a file with a formula of CTL")
    given.add_argument("-a", dest="automaton", metavar="FILE", help="a file with an automaton")
    parser.add_argument(
        "--measure",
        metavar="EXPR",
        action="append",
        default=[],
        help="the progress measure (default: the one that the model declares)",
    )
    parser.add_argument(
        "--tree", action="store_true", help=f"write {TREE_FILE}: every state found, with its predecessor"
    )
    parser.add_argument(
        "--updates", action="store_true", help=f"with -l: write {UPDATE_FILE}: the updates of maximal predecessors"
    )
    parser.add_argument("--all-cycles", action="store_true", help="with -l: report every accepting component")
    parser.add_argument("--output", metavar="DIR", type=Path, default=Path(), help="where files go (default: here)")
    add_options(parser, Options, _LIMITS)
    parser.add_argument("--json", action="store_true", help="print one JSON object, also after an error")
    parser.add_argument("--quiet", action="store_true", help="no notices, no progress")
    parser.set_defaults(run=run, show_help=parser.print_help)


def run(arguments: argparse.Namespace) -> int:
    """Check the property and write the requested files; the returned exit code reports the verdict."""
    if (arguments.model, arguments.kind, arguments.formula, arguments.automaton) == (None, None, None, None):
        arguments.show_help()
        return USAGE
    _require(arguments)
    console, limits = Console(quiet=arguments.quiet), options_of(arguments, Options)
    from strandline.languages import LANGUAGES
    from strandline.report.codes import exit_code
    from strandline.report.thesis import trace_lines

    if arguments.language is None and not any(suffix in arguments.model for suffix in LANGUAGES):
        # The thesis's state spaces are text files of any name.
        arguments.language = "ss"
    system = load_model(arguments, limits)
    if arguments.updates and (arguments.kind != "ltl" or not (arguments.measure or system.measures)):
        raise UsageError("--updates is for -l, with a progress measure")
    for name in _files(arguments):
        try_file(arguments.output / name)
    _remove(arguments.output / TRACE_FILE)
    verdict = _check(arguments, system, limits, console)
    console.clear()
    outcome = verdict.properties[0]
    lines = trace_lines(outcome)
    say = (lambda text: None) if arguments.json else emit
    say(f"{outcome.answer.value}  {outcome.name}" + (f"  ({outcome.reason})" if outcome.reason else ""))
    outputs = Outputs(Console(quiet=True))

    def write(name: str, lines: Callable[[], Iterable[str]]) -> None:
        path = arguments.output / name
        outputs.write(path, lambda: _write(path, lines()))

    if lines:
        say(f"trace triggered: {arguments.output / TRACE_FILE}")
        write(TRACE_FILE, lambda: lines)
    else:
        say("no trace was triggered")
    if outcome.search is not None and outcome.search.components:
        say(f"{len(outcome.search.components):,} accepting components")
    if arguments.tree:
        write(TREE_FILE, lambda: _tree(arguments, system, limits, console))
    if arguments.updates:
        write(UPDATE_FILE, lambda: _updates(arguments, system, limits, console))
    code = outputs.exit_code(exit_code(verdict))
    if arguments.json:
        from strandline.report.data import result_data
        from strandline.report.envelope import render

        emit(render(result_data(verdict, code)))
    return code


def _require(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` for a required argument that is missing."""
    if arguments.model is None:
        raise UsageError("the following arguments are required: -m")
    if arguments.kind is None:
        raise UsageError("one of the arguments -s -l -c is required")
    if arguments.formula is None and arguments.automaton is None:
        raise UsageError("one of the arguments -f -a is required")


def _files(arguments: argparse.Namespace) -> list[str]:
    """Return the names of the output files that the arguments ask for."""
    return [TRACE_FILE, *([TREE_FILE] if arguments.tree else []), *([UPDATE_FILE] if arguments.updates else [])]


def _check(arguments: argparse.Namespace, system: System, limits: Options, console: Console) -> Verdict:
    from strandline.checker.decisions.checks import check_selection
    from strandline.checker.options.temporal import TemporalOptions

    kind, measured = arguments.kind, bool(arguments.measure or system.measures)
    options = replace(limits, order="sweep" if measured else None)
    method = "auto"
    if kind == "ltl" and arguments.all_cycles:
        # All components are those of the whole product, which is then kept.
        options, method = replace(limits, measure=()), "scc"
    elif arguments.all_cycles:
        raise UsageError("--all-cycles is for -l")
    elif kind == "ltl" and measured:
        method = "sweep"
    temporal = (
        TemporalOptions(method=method, all_cycles=arguments.all_cycles) if kind != "safety" else TemporalOptions()
    )
    started, selection = arguments.started, _select(arguments, system)
    return check_selection(system, selection, options, console, temporal=temporal, started=started)


def _select(arguments: argparse.Namespace, system: System) -> Selection:
    """Return the selection of the single property that the arguments ask for."""
    from strandline.checker.options.claims import FINITE, INFINITE, Claims
    from strandline.checker.properties.selection import Kind, Property, Selection, select

    kind = arguments.kind
    if arguments.automaton is not None:
        if kind == "ctl":
            raise UsageError("-c needs a formula: give -f")
        words = FINITE if kind == "safety" else INFINITE
        return select(system, Claims(automaton=arguments.automaton, automaton_words=words))
    if kind == "ltl":
        raise UsageError("-l needs an automaton: give -a")
    bound = _formula(arguments.formula, system)
    if kind == "safety":
        return Selection((_safety_property(bound, system.alone),), picked=False)
    return Selection((Property(Kind.CTL, bound.text, source=bound.source, branching=bound),), picked=False)


def _formula(file: Path, system: System) -> CtlFormula:
    """Read the CTL formula in a file of one line; `EFAG p` is `EF AG p` (see docs/papers.md, 000 §7.4.3)."""
    from strandline.checker.properties.ctl_formula import bind_ctl
    from strandline.languages import read_text

    return bind_ctl(read_text(file).strip(), system.alone, name=str(file))


def _safety_property(bound: CtlFormula, system: System) -> Property:
    """Return EF p or AG p as a property of single states if that is equivalent, else as a CTL formula.

    A formula holds if it holds in every initial state, and with fairness only some paths count; that a reachable state
    satisfies p is then a weaker claim.
    """
    from strandline.checker.properties.selection import Kind, Property

    single = _of_states(bound)
    narrower = single.kind is Kind.REACHABILITY and len(system.initial) > 1
    if narrower or system.fairness:
        return Property(Kind.CTL, bound.text, source=bound.source, branching=bound)
    return single


def _of_states(bound: CtlFormula) -> Property:
    """Return the formula EF p or AG p as a property of single states. Raises `UsageError` for other formulas."""
    from strandline.checker.properties.selection import Kind, Property
    from strandline.properties.ltl.formula import Operator

    formula = bound.formula
    path = formula.operands[0] if formula.operands else formula
    kinds = {
        (Operator.EXISTS, Operator.EVENTUALLY): Kind.REACHABILITY,
        (Operator.ALL, Operator.ALWAYS): Kind.INVARIANT,
    }
    kind = kinds.get((formula.operator, path.operator))
    if kind is None or not path.operands[0].is_boolean:
        raise UsageError(f"-s needs 'EF p' or 'AG p', not '{formula}': other formulas are for -c")
    return Property(kind, bound.text, bound.expression(path.operands[0]), bound.source)


def _tree(arguments: argparse.Namespace, system: System, limits: Options, console: Console) -> Iterator[str]:
    """Yield a line for every state that the search stored, with its predecessor, as in listing 6.1 of the thesis."""
    from strandline.checker.graphs import explore_tree
    from strandline.report.thesis import predecessor_line, state_name

    measured = bool(arguments.measure or system.measures)
    options = replace(limits, order="sweep" if measured else "bfs")
    for state, parent in explore_tree(system.alone, options, console):
        yield predecessor_line(state_name(state), None if parent is None else state_name(parent))


def _updates(arguments: argparse.Namespace, system: System, limits: Options, console: Console) -> Iterator[str]:
    """Yield a line for each value update in a search of the product, as in listing 6.3 of the thesis.

    States of the product are named by both of their parts.
    """
    from strandline.checker.graphs import product_graph
    from strandline.checker.ltl.value_updates import value_updates
    from strandline.report.thesis import product_name, update_line

    (asked,) = _select(arguments, system).properties
    watched = None if asked.specification is None else asked.specification.observe(system.alone)
    if watched is None:
        return
    graph = product_graph(watched.system, replace(limits, order="sweep"), console)
    for updated, source in value_updates(graph.successors, graph.progress, graph.accepting):
        yield update_line(product_name(graph.states[updated]), product_name(graph.states[source]))


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _remove(path: Path) -> None:
    """Remove the trace file of an earlier run, which could be taken for the trace of this one."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
