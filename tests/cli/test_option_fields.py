"""An option is one field: command line, calls, completion and `expected.toml` learn of it from there."""

from __future__ import annotations

import argparse
import inspect
from dataclasses import dataclass, field

import pytest

import strandline
from strandline.checker.options.claims import Claims
from strandline.checker.options.fields import flag_of, option, options_in, parse_count
from strandline.checker.options.search import ExploreOptions, Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.cli.completion import commands_of
from strandline.cli.option_arguments import add_options, options_of
from strandline.cli.parser import build_parser
from strandline.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class WithOneMore(Options):
    depth_limit: int | None = field(
        default=None, metadata=option("steps from the start", group="limits", metavar="N", parse=parse_count)
    )


def parse(*given: str) -> WithOneMore:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_options(parser, WithOneMore)
    return options_of(parser.parse_args(given), WithOneMore)


def test_a_new_field_is_a_new_flag() -> None:
    assert parse("--depth-limit", "2K", "--measure", "x", "--measure", "y") == WithOneMore(
        depth_limit=2000, measure=["x", "y"]
    )
    assert parse() == WithOneMore()


def test_what_a_field_cannot_read_is_told_by_the_parser() -> None:
    with pytest.raises(argparse.ArgumentError, match="'many' is not a number of states"):
        parse("--depth-limit", "many")


def test_calls_and_commands_have_the_same_options() -> None:
    commands = commands_of(build_parser())
    for name, function, classes in (
        ("check", strandline.check, (Claims, TemporalOptions, Options)),
        ("explore", strandline.explore, (ExploreOptions,)),
    ):
        fields = [one for options in classes for one in options_in(options)]
        assert list(inspect.signature(function).parameters) == ["source", *(one.name for one, _ in fields)]
        completed = {flag for action in commands[name]._actions for flag in action.option_strings}
        assert {flag_of(*one) for one in fields} <= completed


def test_the_model_may_be_a_keyword_too() -> None:
    model = strandline.from_callables([0], lambda state: [(state + 1) % 3])
    assert strandline.explore(source=model).statistics.states == 3  # type: ignore[call-arg]
    assert strandline.check(source=model, deadlock=True)  # type: ignore[call-arg]


def test_a_keyword_that_nobody_knows_is_no_option() -> None:
    with pytest.raises(TypeError, match=r"explore\(\) has no keyword 'max_stats'; did you mean 'max_states'\?"):
        strandline.explore("nothing.dve", max_stats=3)  # type: ignore[call-arg]


def test_a_message_speaks_to_who_gave_the_option() -> None:
    with pytest.raises(UsageError) as caught:
        TemporalOptions(fair=True).refuse_without_runs()
    told = "is for temporal properties, and none is checked: give"
    assert str(caught.value) == f"fair=True {told} ltl=FORMULA or ctl=FORMULA"
    assert caught.value.on_command_line() == f"--fair {told} --ltl FORMULA or --ctl FORMULA"
