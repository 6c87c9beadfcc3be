"""The guard around the command line: every way in which it ends has its exit code, never Python's own code 1."""

from __future__ import annotations

import atexit
import os
import resource
import shlex
import signal
import sys
import time
import traceback
from argparse import Namespace
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

from strandline.errors import CannotWrite, InputError, ResourceError, UsageError
from strandline.report.exit_codes import BUG, HOLDS, UNKNOWN, USAGE, interrupted_code, note_signal

_REPORT = "This is a bug in strandline. Please report it with the text above and, if you can, the model."


def guarded_main() -> NoReturn:
    """Run the command line and end the process with its exit code.

    The process ends without unloading libraries, which would take as long as a small check. Nothing else is left to do
    then: the files of a run are removed before, also after SIGTERM.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        # A hang-up signal that is ignored, as by nohup, stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise_terminated)
    open_closed_streams()
    leave = forbid_exits()
    code = main(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    # Everything to be done at the end is done: files that only this process needed are removed.
    atexit._run_exitfuncs()
    leave(code)
    raise AssertionError("the process has ended")


def forbid_exits() -> Callable[[int], Any]:
    """Make functions that end or replace the process raise `SystemExit`; return the real `os._exit`.

    A Python model is executed in this process and must not end it with an exit code that looks like a verdict: 0 means
    that every property holds. (Native code that a model calls can still end the process.)
    """
    leave = os._exit
    for module in (os, import_module(os.name)):
        for name in ("_exit", "abort", "execv", "execve"):
            if hasattr(module, name):
                setattr(module, name, partial(_refuse_to_exit, f"os.{name}"))
    return leave


def _refuse_to_exit(name: str, *arguments: object) -> NoReturn:
    raise SystemExit(f"{name}({', '.join(map(repr, arguments))})")


class Terminated(KeyboardInterrupt):
    """Raised for a signal that ends the process, such as SIGTERM; handled like Ctrl-C, with its own exit code."""


def _raise_terminated(number: int, frame: FrameType | None) -> NoReturn:
    note_signal(number)
    raise Terminated(f"ended by {signal.Signals(number).name}")


def open_closed_streams() -> None:
    """Open the null device for standard streams that are closed, for which Python has None."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  open as long as the process lives


def main(given: Sequence[str]) -> int:
    """Run a command line and return the exit code; raise no exception whatever happens."""
    try:
        code = _attempt(list(given))
    except KeyboardInterrupt:
        # A second Ctrl-C while the first was being answered.
        code = interrupted_code()
    except BaseException:  # noqa: BLE001  even reporting a bug can fail
        with suppress(OSError):
            traceback.print_exc()
        code = BUG
    return code


def _attempt(given: list[str]) -> int:
    parsed = Namespace(command=None, model=None, json="--json" in given, started=time.perf_counter())
    try:
        return _dispatch(given, parsed)
    except SystemExit as end:
        # argparse raises it after --help and --version.
        return end.code if isinstance(end.code, int) else HOLDS
    except KeyboardInterrupt as interrupt:
        return _report_interrupt(parsed, interrupt)
    except BrokenPipeError:
        # A verdict is printed by `emit`, which ignores a closed pipe and so does not end here.
        return UNKNOWN
    except CannotWrite as error:
        # The output is lost, so the exit code must not report a verdict either.
        _say(f"strandline: {error}")
        return UNKNOWN
    except InputError as error:
        _say(_add_place(error, parsed))
        _write_sarif(parsed, error)
        return _report_error(parsed, error, USAGE)
    except ResourceError as error:
        _say(f"strandline: {error}")
        return _report_error(parsed, error, UNKNOWN)
    except BaseException as error:  # noqa: BLE001  the guard: every exception is reported in full
        cause = _interrupt_behind(error)
        if cause is not None:
            return _report_interrupt(parsed, cause)
        if _is_shortage(error):
            return _report_shortage(parsed, error)
        traceback.print_exc()
        _say(_REPORT)
        return _report_error(parsed, error, BUG)


def _interrupt_behind(error: BaseException) -> KeyboardInterrupt | None:
    """Return the interrupt that led to an exception: while a class is being made, Python replaces it by another one."""
    behind: BaseException | None = error
    while behind is not None and not isinstance(behind, KeyboardInterrupt):
        behind = behind.__cause__ or behind.__context__
    return behind


def _is_shortage(error: BaseException) -> bool:
    """Return True if memory is used up, or if a limit on the address space (`ulimit -v`) is the probable cause."""
    if isinstance(error, MemoryError):
        return True
    limited = resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    no_thread = isinstance(error, RuntimeError) and "start new thread" in str(error)
    return limited and (no_thread or isinstance(error, ImportError | OSError))


def _report_shortage(parsed: Namespace, error: BaseException) -> int:
    shortage = ResourceError("the machine's memory is used up")
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        shortage = ResourceError(f"the limit of {limit >> 20} MB on the address space (ulimit -v) is too low: {error}")
    _say(f"strandline: {shortage}")
    return _report_error(parsed, shortage, UNKNOWN)


def _dispatch(given: list[str], parsed: Namespace) -> int:
    if sys.platform == "win32":
        raise UsageError("Windows is not supported; strandline works in the Windows Subsystem for Linux (WSL)")
    return run_command(given, parsed)


def run_command(given: list[str], parsed: Namespace) -> int:
    """Parse a command line into `parsed`, run it and return the exit code."""
    from strandline.cli.parser import build_parser, flags_with_expressions
    from strandline.cli.spin import translate
    from strandline.languages import NO_PYTHON

    if given[:1] == ["spin"] and not {"-h", "--help"} & set(given):
        # Flags of SPIN are not in the form that the parser knows.
        parsed.command = "spin"
        given = translate(given[1:])
        _say(f"strandline {shlex.join(given)}")
    parsed.given = given
    parser = build_parser()
    parser.parse_args(with_expressions(given, flags_with_expressions(parser)), parsed)
    if getattr(parsed, "no_python", False):
        # In the environment, so that it holds for processes that this one starts.
        os.environ[NO_PYTHON] = "1"
    try:
        code = parsed.run(parsed)
    except SystemExit as error:
        raise UsageError(f"the model ends the program: {error}") from error
    return int(code)


def with_expressions(given: Sequence[str], flags: Collection[str]) -> list[str]:
    """Join an expression that begins with a minus sign to its flag: `--measure -x` becomes `--measure=-x`.

    Otherwise the parser would take it for another option. `flags` are those that take an expression.
    """
    joined: list[str] = []
    for argument in given:
        opened = bool(joined) and joined[-1] in flags
        if opened and argument.startswith("-") and not argument.startswith("--"):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _add_place(error: InputError, parsed: Namespace) -> str:
    """Return the message with its file position, so that editors find it, or else with the name of the command."""
    if error.source is not None or not isinstance(error, UsageError):
        return error.on_command_line()
    name = "strandline" if parsed.command is None else f"strandline {parsed.command}"
    return f"{name}: {error.on_command_line()}"


def _report_interrupt(parsed: Namespace, interrupt: KeyboardInterrupt) -> int:
    """Print the partial result of an interrupted search, if there is one, and return the exit code.

    See `strandline.checker.verdicts.verdict.Interrupted`.
    """
    result = getattr(interrupt, "result", None)
    if result is not None:
        return int(parsed.finish(result))
    reason = str(interrupt) if isinstance(interrupt, Terminated) else "interrupted"
    _say(reason)
    return _report_error(parsed, KeyboardInterrupt(reason), interrupted_code())


def _report_error(parsed: Namespace, error: BaseException, code: int) -> int:
    if parsed.json:
        from strandline.cli.console import emit
        from strandline.report.envelope import error_data, render

        emit(render(error_data(parsed.command, parsed.model, error, code)))
    return code


def _write_sarif(parsed: Namespace, error: InputError) -> None:
    """Write the mistake to the file of `--sarif`, if there is one that can be written."""
    path = getattr(parsed, "sarif", None)
    if path is not None and not path.is_dir():
        from strandline.report.sarif import error_sarif, write_sarif

        with suppress(OSError):
            write_sarif(path, error_sarif(error))


def _say(text: str) -> None:
    """Print to stderr, if it is open."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)
