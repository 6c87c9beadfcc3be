"""A sliding-window protocol (go back N) that moves a number of packets over channels which lose messages.

Sequence numbers on the wire are taken modulo the window plus one. The sender may fall back to the first
unacknowledged packet at any time. What was acknowledged and delivered is a measure that never falls back.
"""

from __future__ import annotations


def promela(packets: int, window: int, places: int) -> str:
    """The system for SPIN."""
    return f"""\
#define PACKETS {packets}
#define WINDOW {window}
#define NUMBERS {window + 1}
chan data = [{places}] of {{ byte }};
chan answers = [{places}] of {{ byte }};
byte acknowledged, sent, expected;
hidden byte step;

active proctype Sender()
{{
    do
    :: d_step {{ sent < PACKETS && sent < acknowledged + WINDOW && nfull(data) ->
                data!(sent % NUMBERS); sent++ }}
    :: d_step {{ sent > acknowledged -> sent = acknowledged }}
    :: d_step {{ nempty(answers) ->
                answers?step;
                step = (step + NUMBERS - acknowledged % NUMBERS) % NUMBERS;
                if
                :: acknowledged + step <= sent -> acknowledged = acknowledged + step
                :: else -> skip
                fi }}
    od
}}

active proctype Receiver()
{{
    byte number;
    do
    :: data?number;
       if
       :: d_step {{ number == expected % NUMBERS -> expected++; number = 0 }}
       :: d_step {{ number != expected % NUMBERS -> number = 0 }}
       fi;
       d_step {{ nfull(answers) -> answers!(expected % NUMBERS) }}
    od
}}

active proctype Loss()
{{
    do
    :: data?_
    :: answers?_
    od
}}
"""


def dve(packets: int, window: int, places: int) -> str:
    """The same system for Strandline."""
    numbers = window + 1
    step = f"(answers[0] + {numbers} - acknowledged % {numbers}) % {numbers}"

    def pop(channel: str) -> str:
        shift = [f"{channel}[{place}] = {channel}[{place + 1}]" for place in range(places - 1)]
        return ", ".join([*shift, f"{channel}[{places - 1}] = 0", f"{channel}_used = {channel}_used - 1"])

    def push(channel: str, text: str) -> str:
        return f"{channel}[{channel}_used] = {text}, {channel}_used = {channel}_used + 1"

    return f"""\
byte data[{places}], answers[{places}];
byte data_used, answers_used;
byte acknowledged, sent, expected;

process Sender {{
  state ready;
  init ready;
  trans
    ready -> ready {{ guard sent < {packets} && sent < acknowledged + {window} && data_used < {places};
                     effect {push("data", f"sent % {numbers}")}, sent = sent + 1; }},
    ready -> ready {{ guard sent > acknowledged; effect sent = acknowledged; }},
    ready -> ready {{ guard answers_used > 0 && acknowledged + {step} <= sent;
                     effect acknowledged = acknowledged + {step}, {pop("answers")}; }},
    ready -> ready {{ guard answers_used > 0 && acknowledged + {step} > sent; effect {pop("answers")}; }};
}}

process Receiver {{
  byte number;
  state wait, judge, answer;
  init wait;
  trans
    wait -> judge {{ guard data_used > 0; effect number = data[0], {pop("data")}; }},
    judge -> answer {{ guard number == expected % {numbers}; effect expected = expected + 1, number = 0; }},
    judge -> answer {{ guard number != expected % {numbers}; effect number = 0; }},
    answer -> wait {{ guard answers_used < {places}; effect {push("answers", f"expected % {numbers}")}; }};
}}

process Loss {{
  state ready;
  init ready;
  trans
    ready -> ready {{ guard data_used > 0; effect {pop("data")}; }},
    ready -> ready {{ guard answers_used > 0; effect {pop("answers")}; }};
}}

system async;
"""


def measure(packets: int, window: int, places: int) -> str:
    """What was acknowledged and delivered."""
    return "acknowledged + expected"
