"""Dining philosophers who count their meals and leave the table after the last one.

Everybody takes the left fork first, so they can all starve together. The meals are counted, which gives a
measure that never falls back.
"""

from __future__ import annotations


def promela(philosophers: int, meals: int) -> str:
    """The system for SPIN."""
    return f"""\
#define N {philosophers}
bool fork[N];
byte eaten[N];

active [N] proctype Philosopher()
{{
    do
    :: d_step {{ eaten[_pid] < {meals} && !fork[_pid] -> fork[_pid] = true }};
       d_step {{ !fork[(_pid + 1) % N] -> fork[(_pid + 1) % N] = true }};
       eaten[_pid]++;
       fork[_pid] = false;
       fork[(_pid + 1) % N] = false
    od
}}
"""


def dve(philosophers: int, meals: int) -> str:
    """The same system for Strandline."""
    lines = [f"byte fork[{philosophers}];", f"byte eaten[{philosophers}];"]
    for i in range(philosophers):
        right = (i + 1) % philosophers
        lines.append(
            f"""
process Philosopher_{i} {{
  state thinking, left, both, fed, right;
  init thinking;
  trans
    thinking -> left {{ guard eaten[{i}] < {meals} && fork[{i}] == 0; effect fork[{i}] = 1; }},
    left -> both {{ guard fork[{right}] == 0; effect fork[{right}] = 1; }},
    both -> fed {{ effect eaten[{i}] = eaten[{i}] + 1; }},
    fed -> right {{ effect fork[{i}] = 0; }},
    right -> thinking {{ effect fork[{right}] = 0; }};
}}"""
        )
    return "\n".join([*lines, "", "system async;", ""])


def with_guests(philosophers: int, meals: int) -> str:
    """The same, where once the first three can be replaced by guests who have not eaten yet, when all three have had
    their last meal: a step back for every measure that counts meals."""
    done = " && ".join(f"eaten[{i}] == {meals} && Philosopher_{i}.thinking" for i in range(3))
    host = f"""
byte guests;

process Host {{
  state seating;
  init seating;
  trans
    seating -> seating {{
      guard guests == 0 && {done};
      effect guests = 1, eaten[0] = 0, eaten[1] = 0, eaten[2] = 0;
    }};
}}"""
    return dve(philosophers, meals).replace("\nsystem async;", f"{host}\n\nsystem async;")


def measure(philosophers: int, meals: int) -> str:
    """The steps taken: five to a meal, which is counted after the second."""
    steps = "5 * eaten[{i}] + {name}.left + 2 * {name}.both - 2 * {name}.fed - {name}.right"
    return " + ".join(steps.format(i=i, name=f"Philosopher_{i}") for i in range(philosophers))
