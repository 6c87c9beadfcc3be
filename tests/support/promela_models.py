"""Small models with the figures that SPIN 6.5.2 gives for them: states, edges, assertion errors, invalid end states.

SPIN's commands: `spin -a -o1 -o2 -o3`, `gcc -DNOREDUCE -DSAFETY -DNOCLAIM`, `pan -n -c0`, with `-A -E`, `-A` and `-E`.
"""

from __future__ import annotations

MODELS = {
    "handshake in atomic": """
        chan c = [0] of { byte, bit }; byte got;
        active [2] proctype S() { atomic { c!_pid + 1, 1; got++ } }
        active proctype R() { byte v; atomic { c?v, 1; got = got + v }; c?v, _; assert(got > v) }
        """,
    "paths through atomic": """
        byte x, y;
        active proctype P() { atomic { if :: x = 1 :: x = 2 :: skip fi;
          do :: x > 0 -> x-- :: break od; (y != 1); y = 2 } }
        active proctype Q() { y = 1; y = 0 }
        """,
    "processes that come and go": """
        byte done;
        proctype C(byte n; bool last) { byte k = n; done = done + k;
          if :: last -> (done > 2) :: else fi }
        init { byte i; do :: i < 3 -> run C(i, i == 2); i++ :: else -> break od; (_nr_pr == 1); assert(done == 3) }
        """,
    "sorted and random": """
        mtype = { low, mid, high }; chan q = [3] of { mtype, byte }; byte n;
        active proctype S() { q!!mid(2); q!!high(1); q!!low(3); q!!mid(1) }
        active proctype R() { mtype m; byte v; do :: q??mid(v) -> n++ :: q?m,eval(n)
          :: q??[low,_] && n == 2 -> break od }
        """,
    "an escape": """
        chan c = [1] of { byte }; byte x;
        active proctype P() { { do :: x < 2 -> x++ :: x == 2 -> x = 0 od } unless { c?x -> x = 9 }; assert(x != 9) }
        active proctype Q() { c!1 }
        """,
    "a deterministic step": """
        typedef T { byte a[2]; bit b }; T t[2]; short s = 32767;
        active proctype P() { d_step { byte i; i = 0; do :: i < 2 -> t[i].a[1] = i + 1; i++ :: else -> break od;
          s++ } ;
          t[1].b = 3; assert(t[1].b == 1 && s < 0) }
        active proctype Q() { d_step { (t[1].a[1] == 2); t[0].a[0] = t[1].a[1] << 7 } }
        """,
    "timeout and else": """
        byte x; chan c = [0] of { byte };
        active proctype P() { do :: c!x :: timeout -> x++; if :: x == 3 -> break :: else fi od }
        active proctype Q() { byte v; c?v; end: do :: c?v :: else -> skip; (false) od }
        """,
    "macros and inlines": """
        #define WAIT(c) (c) -> skip
        #define N 2
        inline add(v, n) { byte old; old = v; v = old + n; if :: v > N -> goto out :: else fi; out: skip }
        byte x;
        active [N] proctype P() { for (i : 1 .. N) { add(x, i) };
          WAIT(x >= N); select(j : 0 .. N); assert(x != 4 || j < N) }
        """.replace("for (i", "byte i, j; for (i"),
    "channels of channels": """
        chan hub = [1] of { chan, byte }; chan own[2] = [1] of { byte };
        active [2] proctype P() { byte v; hub!own[_pid], _pid; own[_pid]?v; assert(v == _pid) }
        active proctype Q() { chan to; byte who; do :: hub?to,who -> to!who
          :: full(own[1]) && empty(own[0]) -> break od }
        """,
    "provided": """
        bool turn;
        active proctype A() provided (!turn) { byte k; do :: k < 2 -> k++; turn = 1 :: else -> break od }
        active proctype B() provided (turn) { do :: turn = 0 od }
        """,
}
FIGURES = {
    "handshake in atomic": (35, 56, 3, 0),
    "paths through atomic": (37, 57, 0, 0),
    "processes that come and go": (281, 668, 0, 0),
    "sorted and random": (26, 32, 0, 1),
    "an escape": (25, 38, 2, 0),
    "a deterministic step": (11, 14, 0, 0),
    "timeout and else": (13, 13, 0, 1),
    "macros and inlines": (3925, 7887, 122, 0),
    "channels of channels": (78, 130, 0, 3),
    "provided": (10, 9, 0, 1),
}
