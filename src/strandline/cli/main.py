"""The guard around the command line: every end has its exit code, and Python's own 1 is never one of them."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
import traceback
from argparse import Namespace
from collections.abc import Collection, Sequence
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from strandline.errors import CannotWrite, InputError, ResourceError, UsageError
from strandline.report.exit_codes import BUG, HOLDS, UNKNOWN, USAGE, interrupted_code, note_signal

_REPORT = "This is a bug in strandline. Please report it with the text above and, if you can, the model."


def guarded_main() -> NoReturn:
    """Run the command line and end the process with its exit code.

    The process ends at once. Unloading the libraries would take as long as a small check, and nothing is left to do:
    the files of a run are removed by then, also after SIGTERM.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Who asked not to be told of a hang-up, as nohup does, is not told.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _terminated)
    open_closed_streams()
    code = main(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    # What was to be done at the end is done: files that only this process needed are removed.
    atexit._run_exitfuncs()
    os._exit(code)


class Terminated(KeyboardInterrupt):
    """A signal that ends the process, such as SIGTERM: answered as Ctrl-C is, with an exit code of its own."""


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    note_signal(number)
    raise Terminated(f"ended by {signal.Signals(number).name}")


def open_closed_streams() -> None:
    """Open standard streams that were closed before the program began; Python has none then."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  open as long as the process lives


def main(given: Sequence[str]) -> int:
    """Run a command line and return the exit code; never raises."""
    try:
        code = _attempt(list(given))
    except KeyboardInterrupt:
        # A second Ctrl-C while the first was being answered.
        code = interrupted_code()
    except BaseException:  # noqa: BLE001  even telling of a bug can fail
        with suppress(OSError):
            traceback.print_exc()
        code = BUG
    return code


def _attempt(given: list[str]) -> int:
    parsed = Namespace(command=None, model=None, json="--json" in given, started=time.perf_counter())
    try:
        return _dispatch(given, parsed)
    except SystemExit as end:
        # argparse ends so after --help and --version.
        return end.code if isinstance(end.code, int) else HOLDS
    except KeyboardInterrupt as interrupt:
        return _interrupted(parsed, interrupt)
    except BrokenPipeError:
        # A verdict that was reached is told by `emit`, which does not end here.
        return UNKNOWN
    except CannotWrite as error:
        # What was to be told cannot be, so it is not told by the exit code alone either.
        _say(f"strandline: {error}")
        return UNKNOWN
    except InputError as error:
        _say(_addressed(error, parsed))
        return _failed(parsed, error, USAGE)
    except ResourceError as error:
        _say(f"strandline: {error}")
        return _failed(parsed, error, UNKNOWN)
    except BaseException as error:  # noqa: BLE001  the guard: whatever it is, it is told in full
        traceback.print_exc()
        _say(_REPORT)
        return _failed(parsed, error, BUG)


def _dispatch(given: list[str], parsed: Namespace) -> int:
    if sys.platform == "win32":
        raise UsageError("Windows is not supported; strandline works in the Windows Subsystem for Linux (WSL)")
    return run_command(given, parsed)


def run_command(given: list[str], parsed: Namespace) -> int:
    """Parse a command line into `parsed` and run it; the exit code."""
    from strandline.cli.parser import build_parser, flags_with_expressions

    parsed.given = given
    parser = build_parser()
    parser.parse_args(with_expressions(given, flags_with_expressions(parser)), parsed)
    code = parsed.run(parsed)
    return int(code)


def with_expressions(given: Sequence[str], flags: Collection[str]) -> list[str]:
    """Join expressions that begin with a minus sign to their flag: `--measure -x` becomes `--measure=-x`.

    The parser would take them for another option.
    """
    joined: list[str] = []
    for argument in given:
        opened = bool(joined) and joined[-1] in flags
        if opened and argument.startswith("-") and not argument.startswith("--"):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _addressed(error: InputError, parsed: Namespace) -> str:
    """Begin a message with its place, so that editors find it, or else with the name of the command."""
    if error.source is not None or not isinstance(error, UsageError):
        return error.on_command_line()
    name = "strandline" if parsed.command is None else f"strandline {parsed.command}"
    return f"{name}: {error.on_command_line()}"


def _interrupted(parsed: Namespace, interrupt: KeyboardInterrupt) -> int:
    """Print the partial result of an interrupted search, see `strandline.checker.verdicts.verdict.Interrupted`."""
    result = getattr(interrupt, "result", None)
    if result is not None:
        return int(parsed.finish(result))
    reason = str(interrupt) if isinstance(interrupt, Terminated) else "interrupted"
    _say(reason)
    return _failed(parsed, KeyboardInterrupt(reason), interrupted_code())


def _failed(parsed: Namespace, error: BaseException, code: int) -> int:
    if parsed.json:
        from strandline.cli.console import emit
        from strandline.report.envelope import error_data, render

        emit(render(error_data(parsed.command, parsed.model, error, code)))
    return code


def _say(text: str) -> None:
    """On stderr, if somebody reads that."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)
