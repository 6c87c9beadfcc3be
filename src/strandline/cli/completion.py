"""`strandline completion`: completion scripts for shells, made from the parser itself."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from strandline.cli.console import emit
from strandline.report.exit_codes import HOLDS

_SHELLS = ("bash", "zsh", "fish")


def configure(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Print a completion script. bash: put 'eval \"$(strandline completion bash)\"' into "
        "~/.bashrc; zsh: the same with zsh, into ~/.zshrc after compinit; fish: "
        "'strandline completion fish | source' in config.fish.",
    )
    parser.add_argument("shell", choices=_SHELLS)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script for the given shell; return 0."""
    from strandline.cli.parser import build_parser

    commands = describe(build_parser())
    emit({"bash": bash, "zsh": zsh, "fish": fish}[arguments.shell](commands))
    return HOLDS


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command, for completion; its value, if any, is one of `choices`, or a file if these are none."""

    flags: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """A command, for completion: its options, and the words for its positional arguments; files if there are none."""

    name: str
    help: str
    options: tuple[Option, ...]
    words: tuple[str, ...]


def describe(parser: argparse.ArgumentParser) -> list[Command]:
    """Return the commands with their options, as they are in the parser's internal tables."""
    commands = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, subparser in action.choices.items():
                commands.append(_command(name, helps.get(name, ""), subparser))
    return commands


def _command(name: str, text: str, parser: argparse.ArgumentParser) -> Command:
    options, words = [], list[str]()
    for action in parser._actions:
        choices = tuple(str(choice) for choice in action.choices or ())
        if action.option_strings:
            help_text = action.help if action.help and action.help is not argparse.SUPPRESS else ""
            options.append(Option(tuple(action.option_strings), help_text, action.nargs != 0, choices))
        else:
            words += choices
    return Command(name, text, tuple(options), tuple(words))


def bash(commands: list[Command]) -> str:
    """Return a completion script for bash."""
    cases = []
    for command in commands:
        flags = " ".join(flag for option in command.options for flag in option.flags)
        cases.append(f'    {command.name}) words="{" ".join((flags, *command.words)).strip()}" ;;')
    values = [
        f'    "{flag}") COMPREPLY=($(compgen -W "{" ".join(option.choices)}" -- "$current")); return ;;'
        for flag, option in _with_choices(commands).items()
    ]
    names = " ".join(command.name for command in commands)
    return "\n".join(
        [
            "_strandline() {",
            '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words',
            '  case "$previous" in',
            *values,
            "  esac",
            '  case "${COMP_WORDS[1]}" in',
            *cases,
            f'    *) words="{names} --help --version" ;;',
            "  esac",
            '  if [[ "$COMP_CWORD" -eq 1 || "$current" == -* ]]; then',
            '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
            "  else",
            '    COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))',
            "  fi",
            "}",
            "complete -o filenames -F _strandline strandline",
        ]
    )


def zsh(commands: list[Command]) -> str:
    """Return a completion script for zsh."""
    listed = " ".join(_quote(f"{command.name}:{command.help}") for command in commands)
    lines = ["#compdef strandline", "_strandline() {", "  local -a commands", f"  commands=({listed})"]
    lines += [
        "  if (( CURRENT == 2 )); then",
        "    _describe command commands",
        "    return",
        "  fi",
        '  case "${words[2]}" in',
    ]
    for command in commands:
        lines.append(f"    {command.name}) shift words; (( CURRENT-- )); _arguments \\")
        specs = [_zsh_option(flag, option) for option in command.options for flag in option.flags]
        rest = f"({' '.join(command.words)})" if command.words else "_files"
        specs.append(_quote(f"*:argument:{rest}"))
        lines += [f"      {spec} \\" for spec in specs[:-1]]
        lines.append(f"      {specs[-1]} ;;")
    return "\n".join([*lines, "  esac", "}", "compdef _strandline strandline"])


def _zsh_option(flag: str, option: Option) -> str:
    text = option.help.replace("[", "(").replace("]", ")").replace(":", "\\:")
    if not option.takes_value:
        return _quote(f"{flag}[{text}]")
    values = f"({' '.join(option.choices)})" if option.choices else "_files"
    return _quote(f"*{flag}[{text}]:value:{values}")


def fish(commands: list[Command]) -> str:
    """Return a completion script for fish."""
    lines = []
    for command in commands:
        lines.append(f"complete -c strandline -n __fish_use_subcommand -f -a {command.name} -d {_quote(command.help)}")
        condition = f"-n '__fish_seen_subcommand_from {command.name}'"
        if command.words:
            lines.append(f"complete -c strandline {condition} -f -a {_quote(' '.join(command.words))}")
        for option in command.options:
            spelled = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
            values = f" -x -a {_quote(' '.join(option.choices))}" if option.choices else ""
            value = values or (" -r" if option.takes_value else "")
            lines.append(f"complete -c strandline {condition} {spelled}{value} -d {_quote(option.help)}")
    return "\n".join(lines)


def _with_choices(commands: list[Command]) -> dict[str, Option]:
    return {
        flag: option for command in commands for option in command.options if option.choices for flag in option.flags
    }


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
