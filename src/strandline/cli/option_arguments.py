"""Options of the command line, generated from the fields of the option classes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Container
from dataclasses import Field
from typing import Any, TypeVar

from strandline.checker.options.fields import OptionFacts, flag_of, options_in
from strandline.errors import UsageError

Options = TypeVar("Options")


def add_options(parser: argparse.ArgumentParser, options: type[Any], only: Container[str] | None = None) -> None:
    """Add the options of a class to the parser, all or only some, in the groups that their fields name.

    `only` contains the names of the fields to add. An option that the user does not give is not in the parsed
    arguments: the class alone has the defaults.
    """
    groups: dict[str, Any] = {}
    for field, facts in options_in(options):
        if only is not None and field.name not in only:
            continue
        if facts.group not in groups:
            groups[facts.group] = parser.add_argument_group(facts.group)
        keywords = {"dest": field.name, "default": argparse.SUPPRESS, "help": facts.help, **_kind(field, facts)}
        groups[facts.group].add_argument(flag_of(field, facts), **keywords)


def options_of(arguments: argparse.Namespace, options: type[Options]) -> Options:
    """Return an object of the class with the options that the user gave, validated."""
    names = [field.name for field, _ in options_in(options)]
    return options(**{name: getattr(arguments, name) for name in names if hasattr(arguments, name)})


def _kind(field: Field[Any], facts: OptionFacts) -> dict[str, Any]:
    """Return the keywords of `add_argument` that depend on the type of an option's default."""
    if field.default is False:
        return {"action": "store_true"}
    if facts.flag is not None and facts.flag.startswith("--no-"):
        return {"action": "store_false"}
    if "bool" in str(field.type):
        return {"action": argparse.BooleanOptionalAction}
    keywords: dict[str, Any] = {"metavar": facts.metavar, "choices": facts.choices or None}
    if facts.parse is not None:
        keywords["type"] = _argparse_type(facts.parse)
    return {**keywords, "action": "append"} if field.default == () else keywords


def _argparse_type(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    def parse_argument(text: str) -> Any:
        try:
            return parse(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse_argument
