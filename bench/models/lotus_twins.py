"""The two families of `lotus.py` as processes in DVE: the same states and steps, told by locations and an array."""

from __future__ import annotations

NONE, LEFT, RIGHT = 0, 1, 2
"""Who has a fork."""


def dining_dve(count: int) -> str:
    """Dining philosophers."""
    processes = []
    for one in range(count):
        left, right = f"fork[{one}]", f"fork[{(one + 1) % count}]"
        processes.append(
            _person(
                one,
                "thinking -> want {}",
                f"want -> left {{ guard {left} == {NONE}; effect {left} = {RIGHT}; }}",
                f"want -> right {{ guard {right} == {NONE}; effect {right} = {LEFT}; }}",
                f"left -> eating {{ guard {right} == {NONE}; effect {right} = {LEFT}; }}",
                f"right -> eating {{ guard {left} == {NONE}; effect {left} = {RIGHT}; }}",
                f"eating -> thinking {{ effect {left} = {NONE}, {right} = {NONE}; }}",
            )
        )
    return _system([f"byte fork[{count}];"], processes)


def with_token_dve(count: int) -> str:
    """The same with a token."""
    processes = []
    for one in range(count):
        left, right, after = f"fork[{one}]", f"fork[{(one + 1) % count}]", (one + 1) % count
        processes.append(
            _person(
                one,
                "thinking -> want {}",
                f"want -> left {{ guard token == {one} && {left} == {NONE}; effect {left} = {RIGHT}; }}",
                f"left -> eating {{ guard token == {one} && {right} == {NONE}; effect {right} = {LEFT}; }}",
                f"eating -> thinking {{ guard token == {one};"
                f" effect {left} = {NONE}, {right} = {NONE}, token = {after}; }}",
            )
        )
    return _system([f"byte fork[{count}];", "byte token;"], processes)


def stuck(count: int) -> str:
    """Everybody has one fork, and all the same."""
    return " || ".join(f"({' && '.join(f'Person_{one}.{hand}' for one in range(count))})" for hand in ("left", "right"))


def _person(number: int, *steps: str) -> str:
    told = ",\n    ".join(steps)
    states = "  state thinking, want, left, right, eating;\n  init thinking;\n"
    return f"process Person_{number} {{\n{states}  trans\n    {told};\n}}"


def _system(variables: list[str], processes: list[str]) -> str:
    return "\n".join([*variables, *processes, "system async;", ""])
