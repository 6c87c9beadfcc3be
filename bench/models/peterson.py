"""Peterson's mutual exclusion for N processes (the filter lock), each of which passes a few times.

A process climbs N-1 levels; at each it names itself the last comer and waits, looking at the others one at a
time, until nobody is at its level or above, or somebody came later. The passes are counted, which
gives a measure that never falls back.
"""

from __future__ import annotations


def promela(processes: int, passes: int) -> str:
    """The system for SPIN."""
    return f"""\
#define N {processes}
byte place[N];
byte last[N];
byte passed[N];

active [N] proctype P()
{{
    byte level, other;
    do
    :: d_step {{ passed[_pid] < {passes} -> level = 1 }};
climb: place[_pid] = level;
       last[level] = _pid;
       do
       :: d_step {{ other < N && (other == _pid || place[other] < level) -> other++ }}
       :: d_step {{ other == N || last[level] != _pid -> other = 0; level++ }}; break
       od;
       if
       :: level < N -> goto climb
       :: level == N
       fi;
       d_step {{ place[_pid] = 0; level = 0; passed[_pid]++ }}
    od
}}
"""


def dve(processes: int, passes: int) -> str:
    """The same system for Strandline."""
    lines = [
        f"const int N = {processes};",
        "byte place[N];",
        "byte last[N];",
        "byte passed[N];",
    ]
    for i in range(processes):
        lines.append(
            f"""
process P_{i} {{
  byte level, other;
  state idle, climb, name, look, decide, critical;
  init idle;
  trans
    idle -> climb {{ guard passed[{i}] < {passes}; effect level = 1; }},
    climb -> name {{ effect place[{i}] = level; }},
    name -> look {{ effect last[level] = {i}; }},
    look -> look {{ guard other < N && (other == {i} || place[other] < level); effect other = other + 1; }},
    look -> decide {{ guard other == N || last[level] != {i}; effect other = 0, level = level + 1; }},
    decide -> climb {{ guard level < N; }},
    decide -> critical {{ guard level == N; }},
    critical -> idle {{ effect place[{i}] = 0, level = 0, passed[{i}] = passed[{i}] + 1; }};
}}"""
        )
    return "\n".join([*lines, "", "system async;", ""])


def measure(processes: int, passes: int) -> str:
    """Passes and levels climbed: a level is lost only by passing."""
    return " + ".join(f"{processes + 1} * passed[{i}] + P_{i}->level" for i in range(processes))
