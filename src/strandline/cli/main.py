"""The guard around the command line: every way to end has its exit code, and Python's own 1 is never one of
them."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from argparse import Namespace
from collections.abc import Collection, Sequence
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from strandline.errors import InputError, ResourceError, UsageError
from strandline.report.exit_codes import BUG, HOLDS, INTERRUPTED, UNKNOWN, USAGE

_REPORT = "This is a bug in strandline. Please report it with the text above and, if you can, the model."


def guarded_main() -> NoReturn:
    """The entry point: run the command line and end the process with its exit code.

    The process ends at once. Unloading the libraries would take as long as a small check, and nothing is left
    to do: the files of a run are removed by then, also after SIGTERM.
    """
    signal.signal(signal.SIGTERM, _terminated)
    code = main(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def main(given: Sequence[str]) -> int:
    """Run a command line and return the exit code; never raises."""
    try:
        code = _attempt(list(given))
    except KeyboardInterrupt:
        # A second Ctrl-C while the first was being answered.
        code = INTERRUPTED
    except BaseException:  # noqa: BLE001  even telling of a bug can fail
        with suppress(OSError):
            traceback.print_exc()
        code = BUG
    return code


def _attempt(given: list[str]) -> int:
    parsed = Namespace(command=None, model=None, json="--json" in given)
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
        raise UsageError(
            "Windows is not supported; strandline works in the Windows Subsystem for Linux (WSL)"
        )
    from strandline.cli.parser import build_parser, flags_with_expressions

    parser = build_parser()
    parser.parse_args(with_expressions(given, flags_with_expressions(parser)), parsed)
    code = parsed.run(parsed)
    return int(code)


def with_expressions(given: Sequence[str], flags: Collection[str]) -> list[str]:
    """The arguments with expressions that begin with a minus sign joined to their flag: `--measure -x` is
    `--measure=-x`, which the parser would else take for another option."""
    joined: list[str] = []
    for argument in given:
        opened = bool(joined) and joined[-1] in flags
        if opened and argument.startswith("-") and not argument.startswith("--"):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _addressed(error: InputError, parsed: Namespace) -> str:
    """A message with a place begins with it, so that editors find it; others say who speaks."""
    if error.source is not None or not isinstance(error, UsageError):
        return error.on_command_line()
    name = "strandline" if parsed.command is None else f"strandline {parsed.command}"
    return f"{name}: {error.on_command_line()}"


def _interrupted(parsed: Namespace, interrupt: KeyboardInterrupt) -> int:
    """A search that was interrupted carries what it knew; see `strandline.check.verdict.Interrupted`."""
    result = getattr(interrupt, "result", None)
    if result is not None:
        return int(parsed.finish(result))
    _say("interrupted")
    return _failed(parsed, KeyboardInterrupt("interrupted"), INTERRUPTED)


def _failed(parsed: Namespace, error: BaseException, code: int) -> int:
    if parsed.json:
        from strandline.cli.console import emit
        from strandline.report.envelope import error_data, render

        emit(render(error_data(parsed.command, parsed.model, error, code)))
    return code


def _say(text: str) -> None:
    print(text, file=sys.stderr)
