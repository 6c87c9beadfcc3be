"""Leader election in a one-way ring (Chang and Roberts), with bounded channels and an announcement.

A node may stand for election at any time before it has heard of anyone; it passes on larger numbers,
drops smaller ones, and has won when its own comes back. The winner is announced once round the ring.
The largest number seen and the leader known are never given up, which gives a measure.
"""

from __future__ import annotations

from math import gcd


def stride(nodes: int) -> int:
    """The step by which the numbers 1..nodes are dealt round the ring, neither rising nor falling."""
    return next(step for step in range(2, nodes + 2) if gcd(step, nodes) == 1)


def promela(nodes: int, places: int) -> str:
    """The system for SPIN."""
    return f"""\
#define N {nodes}
#define number (((_pid * {stride(nodes)}) % N) + 1)
#define next ((_pid + 1) % N)
chan ring[N] = [{places}] of {{ byte }};
byte best[N];
byte leader[N];

active [N] proctype Node()
{{
    byte message;
listen:
    if
    :: d_step {{ best[_pid] == 0 && nfull(ring[next]) -> best[_pid] = number; ring[next]!number }};
       goto listen
    :: ring[_pid]?message
    fi;
    if
    :: d_step {{ message <= N && message < best[_pid] -> message = 0 }}; goto listen
    :: d_step {{ message <= N && message > best[_pid] -> best[_pid] = message }}
    :: d_step {{ message == best[_pid] && message == number ->
                leader[_pid] = message; message = message + N }}
    :: d_step {{ message > N && leader[_pid] == 0 -> leader[_pid] = message - N }}
    :: d_step {{ message > N && leader[_pid] != 0 -> message = 0 }}; goto listen
    fi;
    d_step {{ nfull(ring[next]) -> ring[next]!message; message = 0 }};
    goto listen
}}
"""


def dve(nodes: int, places: int) -> str:
    """The same system for Strandline."""
    lines = [f"const int N = {nodes};"]
    for i in range(nodes):
        lines += [f"byte ring_{i}[{places}];", f"byte used_{i};"]
    lines += [f"byte best[{nodes}];", f"byte leader[{nodes}];"]
    for i in range(nodes):
        number = (i * stride(nodes)) % nodes + 1
        following = (i + 1) % nodes
        space = f"used_{following} < {places}"
        take = ", ".join(
            [f"message = ring_{i}[0]"]
            + [f"ring_{i}[{place}] = ring_{i}[{place + 1}]" for place in range(places - 1)]
            + [f"ring_{i}[{places - 1}] = 0", f"used_{i} = used_{i} - 1"]
        )

        def send(text: str, to: int = following) -> str:
            return f"ring_{to}[used_{to}] = {text}, used_{to} = used_{to} + 1"

        lines.append(
            f"""
process Node_{i} {{
  byte message;
  state listen, judge, pass;
  init listen;
  trans
    listen -> listen {{ guard best[{i}] == 0 && {space}; effect best[{i}] = {number}, {send(str(number))}; }},
    listen -> judge {{ guard used_{i} > 0; effect {take}; }},
    judge -> listen {{ guard message <= N && message < best[{i}]; effect message = 0; }},
    judge -> pass {{ guard message <= N && message > best[{i}]; effect best[{i}] = message; }},
    judge -> pass {{ guard message == best[{i}] && message == {number};
                     effect leader[{i}] = message, message = message + N; }},
    judge -> pass {{ guard message > N && leader[{i}] == 0; effect leader[{i}] = message - N; }},
    judge -> listen {{ guard message > N && leader[{i}] != 0; effect message = 0; }},
    pass -> listen {{ guard {space}; effect {send("message")}, message = 0; }};
}}"""
        )
    return "\n".join([*lines, "", "system async;", ""])


def measure(nodes: int, places: int) -> str:
    """The largest numbers seen, and who knows the leader."""
    return " + ".join(f"best[{i}] + leader[{i}]" for i in range(nodes))
