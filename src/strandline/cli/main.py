"""The guard around the command line: every way to end has its exit code, and Python's own 1 is never one of them."""

from __future__ import annotations

import json
import os
import sys
import traceback
from argparse import Namespace
from collections.abc import Sequence

from strandline.errors import InputError, ResourceError, UsageError

_HOLDS, _USAGE, _UNKNOWN, _BUG, _INTERRUPTED = 0, 2, 3, 4, 130

_REPORT = "This is a bug in strandline. Please report it with the text above and, if you can, the model."


def guarded_main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; never raises."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    code = _BUG
    try:
        code = _attempt(given)
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        # Whoever read our output has gone; the verdict stands. Nothing may be written when Python shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        code = _INTERRUPTED
    return code


def _attempt(given: list[str]) -> int:
    parsed = Namespace(command=None, model=None, json="--json" in given)
    try:
        return _dispatch(given, parsed)
    except BrokenPipeError:
        raise
    except SystemExit as end:
        # argparse ends so after --help and --version.
        return end.code if isinstance(end.code, int) else _HOLDS
    except KeyboardInterrupt as interrupt:
        return _interrupted(parsed, interrupt)
    except InputError as error:
        _say(_addressed(error, parsed))
        return _failed(parsed, error, _USAGE)
    except ResourceError as error:
        _say(f"strandline: {error}")
        return _failed(parsed, error, _UNKNOWN)
    except BaseException as error:  # the guard: whatever it is, it is ours, and it is told in full
        traceback.print_exc()
        _say(_REPORT)
        return _failed(parsed, error, _BUG)


def _dispatch(given: list[str], parsed: Namespace) -> int:
    if sys.platform == "win32":
        raise UsageError("Windows is not supported; strandline works in the Windows Subsystem for Linux (WSL)")
    from strandline.cli.parser import build_parser

    build_parser().parse_args(given, parsed)
    code = parsed.run(parsed)
    return int(code)


def _addressed(error: InputError, parsed: Namespace) -> str:
    """A message with a place begins with it, so that editors find it; others say who speaks."""
    if error.source is not None or not isinstance(error, UsageError):
        return str(error)
    name = "strandline" if parsed.command is None else f"strandline {parsed.command}"
    return f"{name}: {error}"


def _interrupted(parsed: Namespace, interrupt: KeyboardInterrupt) -> int:
    from strandline.check.verdict import Interrupted

    if isinstance(interrupt, Interrupted):
        return int(parsed.finish(interrupt.result))
    _say("interrupted")
    return _failed(parsed, KeyboardInterrupt("interrupted"), _INTERRUPTED)


def _failed(parsed: Namespace, error: BaseException, code: int) -> int:
    if parsed.json:
        from strandline.report.data import error_data

        print(json.dumps(error_data(parsed.command, parsed.model, error, code), indent=2, ensure_ascii=False))
    return code


def _say(text: str) -> None:
    sys.stdout.flush()
    print(text, file=sys.stderr)
