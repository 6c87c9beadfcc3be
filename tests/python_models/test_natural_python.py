"""What is natural to write in an action means the same as plain Python, in the interpreter and as machine code.

Every paragraph below is the body of an action.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from programs import define
from test_three_ways import compare_everywhere

import strandline

MODEL = """
LIMIT = 2
ORDER = [2, 0, 1]
class Job(Record):
    a: Range[0, 2]
    b: bool
class Msg(Record):
    kind: Enum["req", "ack"]
    n: Optional[Range[0, 1]]
def clamp(v, low=0, high=3):
    if v < low: return low
    if v > high: return high
    return v
def free(m):
    for i, v in enumerate(m.a):
        if v == 0:
            return i
    return None
def some(m, v):
    if v > 1:
        return v
    return None
def job(m, f):
    return m.p if f else None
def set_x(m, v):
    m.x = v
    return v
def wipe(m, v=None):
    m.x = 0
    if v is None:
        return
    m.y = v
def both_of(m): return m.x, m.y
class Natural(Model):
    N = param(2)
    x: Range[0, 3] = 1
    y: Range[0, 3]
    z: Range[-3, 3]
    f: bool
    e: Enum["a", "b", "c"]
    o: Optional[Range[0, 2]]
    u: Optional[Range[-1, 1]]
    oe: Optional[Enum["a", "b", "d"]]
    ob: Optional[bool]
    r: Optional[Job]
    p: Job
    q: Fifo[Job, 2] = [Job(1, True)]
    ms: Fifo[Msg, 2] = [Msg("req", None)]
    bo: Bag[Optional[Range[0, 2]], 2] = [None]
    so: Set[Optional[Range[0, 2]]]
    b: Bag[Job, 2] = [Job(1, True)]
    c: Bag[Range[0, 3], 2] = [1, 2]
    s: Set[Range[0, 3]] = [1]
    a: Array[Range[0, 3], 2]
    aj: Array[Job, 2]
    ao: Array[Optional[Range[0, 2]], 2]
    g: Array[Array[Range[0, 3], 2], 2]
    class P(Process, count=2):
        k: Range[0, 2]
        w: Optional[Range[0, 1]]
        j: Job
        @action
        def own(m, me):
            me.k = (me.k + 1) % 3
            if me.k == 1: me.w = me
    @action
    def turn(m):
        m.y = (m.y + 1) % 4
        if m.y == 3: m.f = not m.f
"""
PARAGRAPHS = {
    "optionals": """
m.o = some(m, m.y)

v = m.y if m.f else None
m.o = v

v = None
if m.f:
    v = m.x
m.x = 0 if v is None else v
m.o = v

i = free(m)
require(i is not None)
m.a[i] = m.y

i = free(m)
if i is None: m.a[0] = 0
else: m.a[i] = 2

m.o = m.y if m.f else None
m.x = m.o + 1

m.u = m.y - 2 if m.f else m.o
m.o = m.u

m.u = m.y - 3
require(m.u == -2)
m.u = 0

m.u = m.y - 3
m.x = m.u + 3
require(m.x < 2)

m.u = m.y - 3
m.z = m.u
m.u = None if m.f else m.z + 1

m.o = m.u

m.u = m.o

if m.o != m.u: m.o = m.u
else: m.u = 1

require(m.o == m.u)
m.u = m.y % 2

m.o = m.y % 3
if m.o == m.u: m.x = 2

r = m.p if m.f else None
m.x = r.a

m.bo.put(m.y if m.f else None)

m.bo.put(m.o)
m.o = m.y

m.bo.take(m.o)
m.o = m.y % 3

m.bo.take(m.y if m.f else None)

if None in m.bo: m.x = 2
if m.o in m.bo: m.o = None
m.bo.take(None)

m.so.add(m.o)
m.o = m.y

m.so.add(m.y if m.f else None)

m.so.discard(m.u)
m.u = m.y - 2

if m.o in m.c: m.x = 2
if m.o in m.s: m.x = 3
m.o = m.y % 3

m.c.put(m.o)

m.c.take(m.o)

m.s.add(m.o)

m.ao[m.y % 2] = m.o
m.o = m.y % 3

m.ao = [m.o, None]
m.o = some(m, m.y - 1)

m.ao[0], m.o = m.o, m.ao[0]
m.ao[1] = m.y if m.y < 3 else None

require(any(v is None for v in m.ao))
m.ao[0] = m.y % 3

m.x = sum(v for v in m.ao if v is not None)
m.ao[1] = m.y % 2

m.x = sum(1 for v in m.ao if v is None)

i = next((i for i in range(2) if m.a[i] < m.y), None)
require(i is not None)
m.a[i] += 1

if m.oe is not None and m.oe != "d": m.x = 3
m.oe = "d" if m.f else None

m.ob = m.f if m.y > 1 else None
m.f = m.ob

m.ob = m.y > 2
if m.ob == True: m.x = 0
if m.ob is None: m.x = 2

m.ms.put(Msg("ack", m.y if m.f else None))

t = m.ms.get()
m.o = t.n
m.ms.put(Msg("ack" if t.kind == "req" else "req", m.y % 2))

t = m.ms.get()
if t.n is None: m.ms.put(Msg(t.kind, m.u))
m.u = m.y - 2

if Msg("ack", m.o) in m.ms: m.x = 2
m.ms.put(Msg("ack", 1))
m.o = m.y % 3

m.o += 1

m.f = m.o is None or m.o < 1
m.o = m.y % 3

m.f = not m.f if m.o is None else m.o == m.y
m.o = m.y % 3

i = min((i for i in range(2) if m.a[i] == m.y), default=None)
if i is not None: m.a[i] = 0

m.f = m.e == m.oe
m.oe = "b"
m.e = "b" if m.y > 2 else "c"

m.o = True if m.f else None

m.o = None
m.x = m.o + 1

m.o = None
m.x = m.o

m.c.take(None)

m.f = None in m.c

m.f = m.x is None

j = next((j for j in m.aj if j.a == m.y), None)
if j is not None: m.p = j
m.aj[0].a = m.y % 3

m.ao[m.y % 2] = next((i for i in range(2) if m.a[i] == m.x), None)
m.a[1] = m.y

m.o = max((v for v in m.ao if v is not None), default=None)
m.ao[0] = m.y % 3

m.a[m.o] = 1

if m.o is not None and m.o < 2: m.a[m.o] = m.y
m.o = m.y % 3

if m.o is None or m.a[m.o] == 0: m.o = m.y % 3

m.o = m.o if m.o == m.y else None if m.f else m.y % 3

m.o = -m.u if m.u is not None else None
m.u = 0 - m.y

m.u = m.y - 2 if m.f else None
v = m.u
m.u = 0
require(v is None or v >= -1)
m.x = 0 if v is None else v + 1

m.u = m.y - 3
v = m.u
if v is not None and v < -1: return
m.u = None

m.u = m.y + 1
if m.u == 2: m.u = None

m.ao[0] = m.y
m.ao[1] = m.ao[0]
require(m.ao[1] != 3)

t = m.ms.head
if t.kind == "req" and t.n is not None: m.x = t.n
m.ms.get()
m.ms.put(Msg(kind="ack", n=None if m.f else m.y % 2))

m.ms.put(Msg("req", m.o))

m.ms.put(Msg("req", m.u))
m.u = m.y - 2

if Msg("req", m.u) in m.ms: m.x = 3
m.u = m.y - 2

m.x = m.ms.count(Msg("req", None)) + m.bo.count(None) + m.bo.count(m.o)
m.o = m.y % 3

m.x = (m.o, 2)[m.f]

m.o = (None, 1, 2)[m.y % 3]

m.o = (None, 1)[m.y]

m.f = m.o == m.o

m.f = m.u < m.o

m.f = m.u is not None and m.o is not None and m.u < m.o <= m.y
m.u = m.y - 2
m.o = m.y

m.f = (m.o is None) == (m.u is None)
m.o = None if m.f else 2

m.f = (m.o is None) != m.f

m.o, m.u = m.u, m.o

m.o = m.u = m.y % 2

m.x = int(m.o is None) + (m.u is not None)

m.ob = not m.f if m.ob is None else None

m.ob = m.ob != m.f

m.oe = None if m.oe == "a" else "a"
m.f = m.oe in ("a", None)

m.f = m.o in (None, 1)
m.o = m.y % 3

m.f = m.oe in (m.e, "d")
m.e = "c" if m.oe is None else "a"

m.e = "a" if m.oe == "b" else m.e
m.oe = "b" if m.y == 2 else m.oe

m.f = m.o in m.ao
m.ao[1] = m.y % 3

m.o += 1
m.o = m.y % 2

m.x = m.y + (m.o if m.o is not None else m.q.head.a)

m.x = clamp(clamp(m.y + 1, 0, 2) + some(m, m.y))

m.ao = [some(m, m.y), None if m.f else m.x % 3]

m.ao = [m.u] * 2
m.u = m.y % 2

m.ao[0] = m.ao[1] = m.y if m.y < 2 else None

m.so.add(None)
m.f = None in m.so and m.o in m.so
m.so.remove(m.o)

m.f = m.o in range(1, 3)
m.o = m.y % 3

m.f = m.x not in (m.y, 2, m.o)
m.o = m.y % 3
""",
    "optional_records": """
m.r = m.p if m.f else None
m.p.a = m.y % 3

r = job(m, m.f)
if r is not None: m.x = r.a

m.r = job(m, m.f)
m.p = Job(m.y % 3, m.f)
if m.r is not None and m.r.b: m.x = m.r.a

m.r = Job(m.y, m.f)

m.r = Job(m.y, m.f)
require(m.r.a < 2)

if m.r == m.p: m.x = 3
m.r = None if m.y == 2 else m.p
m.p.a = 1

if m.r is not None: m.b.put(m.r)
m.r = m.p

m.b.put(m.r)

m.r = None
m.x = m.r.a

r = m.r
m.r = Job(m.y % 3, m.f)
if r is not None: m.x = r.a

r = m.r if m.f else m.p
m.x = r.a

m.r, m.p = m.p, m.r

if m.r is None: m.r = m.p
else: m.p, m.r = m.r, None
m.p.a = m.y % 3

m.aj[0] = m.r if m.r is not None else Job(2, False)
m.r = m.p
m.p.a = m.y % 3

if m.r in m.b: m.b.take(m.r)
m.r = m.p if m.y > 1 else Job(1, True)

m.b.take(m.r)

m.q.put(m.r)
m.r = m.p

m.aj = [m.r, m.p]
m.r = m.p
""",
    "loops": """
v = None
for i in range(2):
    if m.a[i] == m.y:
        v = i
require(v is not None)
m.a[v] = m.x

for v in m.a:
    m.a = [m.y, (v + 1) % 4]

for i, v in enumerate(m.a):
    m.a[1 - i] = (v + m.y) % 4

for i, v in enumerate(m.a, 1):
    m.x = (i + v) % 4
    m.a[1] = m.y

for v, w in zip(m.a, reversed(m.a)):
    m.x = (v - w) % 4
    m.a[1] = m.y

for i in reversed(range(2)):
    m.a[i] = m.y - i

for j in m.aj:
    m.aj = [Job(m.y % 3, True), j]
    m.x = j.a

for row in m.g:
    m.g[1] = [m.y, row[0]]
    m.x = row[1]

for row in m.g:
    for v in row:
        row[1] = (v + m.y) % 4

for row in m.g:
    m.g = [[m.y, 1], [row[0], row[1]]]
    m.x = row[1]

for j in (m.p, m.aj[0]):
    m.p = Job(m.y % 3, True)
    m.x = j.a

for v in m.a:
    if v == m.y: break
    m.a = [3, m.y]

for v in m.a:
    if m.f:
        m.a = [3, m.y]
        break
    m.x = v

m.x = sum(i * v for i, v in enumerate(m.a)) % 4
m.a[0] = m.y

require(all(v <= w for v, w in zip(m.a, m.a)))
m.a[1] = m.y

m.g[m.y % 2][m.x] = m.y

m.g[0], m.g[1] = m.g[1], [m.y, m.x]

m.a = list(reversed(m.a))

m.a = [v for v in reversed(m.a)]
m.a[0] = m.y

if m.f: return
m.x = 2
for i in range(2):
    if m.a[i] == m.y: return
    m.a[i] = m.y

best = None
for v in m.a:
    if best is None or v > best: best = v
m.x = best
m.a[m.y % 2] = m.y

best = None
for i, v in enumerate(m.a):
    if v > m.y and (best is None or v > m.a[best]): best = i
if best is not None: m.a[best] = m.y
else: m.a[0] = 3

total = 0
for v in m.ao:
    if v is None: continue
    total += v
m.x = total
m.ao[m.y % 2] = m.y

n = 0
for v in m.a:
    n += v == m.y
m.x = n
m.a[1] = m.y

found = False
for v in m.a:
    if v == m.y:
        found = True
        break
m.f = found
m.a[0] = 2

m.x = max((i for i, v in enumerate(m.a) if v == m.y), default=-1) + 1
m.a[1] = 2

row = m.g[m.y % 2]
row[0] = m.x

for i, row in enumerate(m.g):
    for j, v in enumerate(row):
        m.g[j][i] = (v + m.y) % 4

m.g = [[m.g[j][i] for j in range(2)] for i in range(2)]
m.g[0][1] = m.y

m.g = [row for row in reversed(m.g)]
m.g[0][1] = m.y

a, b = m.g
m.g = [b, a]
m.g[1][0] = m.y

for v in range(4):
    if v in m.s and v != m.y: m.s.discard(v)
m.s.add(m.x)

for _ in range(2):
    m.x = (m.x + m.y) % 4

for c in (m.c, m.bo): c.clear()

m.g[m.y % 2][0] ^= 1

for i in range(2):
    for v in m.a:
        if v == m.y: break
    else:
        m.a[i] = m.y
    m.x = i
""",
    "processes": """
m.P[m.y].w = m.y

m.P[m.y % 2].w = None if m.f else 1

m.P[m.y % 2].w = m.o
m.o = m.y % 3

w = m.P[0].w
if w is not None: m.P[w].k = 0

m.x = m.P[m.P[0].w].k

p = m.P[0] if m.f else m.P[1]
m.x = p.k

p = m.P[0] if m.f else m.P[1]
p.k = m.y

p = m.P[0] if m.f else None
m.x = p.k

p = next((q for q in m.P if q.k == m.y), None)
if p is not None: p.k = 0

for (i, v), p in zip(enumerate(m.a), m.P, strict=True):
    p.k = (i + v) % 3

for p in reversed(m.P):
    m.x = p.k

m.P[0].j = m.P[1].j
m.P[1].j.a = m.y

m.P[m.y % 2].j = m.p

m.x = count(p.k == m.y for p in m.P)

m.f = m.P[0] == m.P[1]

m.f = m.P[0].k == m.P[1].k != m.y

m.x = m.P[0]

for p, j in zip(m.P, m.aj):
    p.j = j
    j.a = m.y % 3

for p in m.P:
    for q in m.P:
        if p != q and p.k == q.k: m.x = 0

others = [p for p in m.P if p != 0]
for p in others: p.k = m.y % 3

m.x = sum(p.k * q.k for p in m.P for q in m.P if p < q) % 4

m.P[m.o].k = 1

m.P[0].w = m.y
if m.P[0].w == 3: m.P[0].w = None
m.x = 0 if m.P[0].w is None else m.P[0].w

m.P[m.y % 2].w = m.y
require(m.P[1].w is None)

w = [p.w for p in m.P]
if w[0] == w[1]: m.x = 2

if all(p.w is None for p in m.P): m.P[1].w = m.y % 2
else: m.P[1].w = None

m.ms.put(Msg("req", m.P[m.y % 2].w))

p, q = m.P
p.k, q.k = q.k, m.y % 3

p, q = m.P
m.x = p.k if p.k > q.k else q.k

m.x = len(m.P)

m.P[m.y % 2].k += 1

m.P[m.y].k += m.q.get().a

m.f = m.f or any(p.k == m.q.head.a for p in m.P)

for p in m.P:
    if p.w is None:
        p.w = p
        break
else:
    m.x = 0

m.f = m.x in m.P
""",
    "records_and_queues": """
m.x = 1 // m.y + m.q.get().a

m.q.put(Job(m.y, 1 // m.x > 0))

m.q.put(Job(m.y, True))
require(m.y < 2)

m.c.put(m.y + 1)
require(m.c.count(4) == 1)

m.x = m.y + 1
m.c.put(m.x)
m.x = 0

m.p.a, m.p.b = m.y % 3, m.f
m.b.put(m.p)

m.b.take(Job(m.y, m.f))
m.b.put(m.p)

t = m.q.get()
m.q.put(Job(a=(t.a + 1) % 3, b=not t.b))
m.q.put(t)

m.q.put(m.q.head)

require(not m.q.empty and m.q.head.a == m.y)
m.q.get()

if m.q.full: m.q.clear()
else: m.q.put(Job(m.y % 3, m.f))

m.aj[m.y % 2].a = m.x
m.x = m.aj[0].a

m.aj[m.y % 2] = m.p
m.p.a = m.y % 3

m.aj[0], m.aj[1] = m.aj[1], m.aj[0]
m.aj[0].a = m.y % 3

j = m.aj[m.y % 2]
j.a = m.x

m.x = len(m.s) % 4
m.s.add(m.y)

if len(m.s) > 2: m.s.clear()
m.s.add(m.y)

t = m.p, m.x
m.p.a = m.y % 3
m.x = t[0].a

m.p.a, m.aj[0] = m.y % 3, m.p

m.p = (Job(1, True), Job(2, False))[m.y % 2]

if m.s.empty: m.s.add(m.y)
else: m.s.remove(m.y)

m.f = m.p in m.aj
m.p.a = m.y % 3

m.f = m.p == m.aj[m.y % 2]
m.p = Job(m.y % 3, True)

c = m.c
c.put(m.y)

m.a[m.q.get().a % 2] += 1

m.aj[m.y % 2].a += 1

m.a[m.y] += m.q.get().a

m.f = any(m.q.head.a == v for v in (m.y, 1 // m.y))

m.aj = [Job(m.y, True), m.p]
""",
    "numbers_and_names": """
m.x = next((v for v in m.a if 2 // v > 0), 3)
m.a[1] = m.y

m.x = max(v for v in m.a)
m.a = [m.y, 0]

m.x, m.y = both_of(m)

a, b = both_of(m)
m.x = (a + b) % 4

wipe(m, m.x)

wipe(m)

wipe(m, v=m.x)

m.x = (m.x + set_x(m, m.y)) % 4

if m.x == set_x(m, m.y): m.f = True

require(m.x in (m.x, 1 // m.y))

m.z = -m.y // 2
m.x = -m.y % 3

m.z = (m.z - m.y) // -2

m.z = (m.z - 5) % -3

m.x += m.f
m.x -= True

m.z = m.f - (m.y > 1)

m.x = int(m.f) + int(m.y == 2)

m.f = bool(m.y)
m.x = abs(m.z - m.y)
m.z = -m.y

if 0 <= m.x < m.y <= 3: m.x += 1
elif m.y == 0 or m.x == 3: m.x = 0

m.f ^= m.y > 1

m.f |= m.x == m.y
m.x <<= 1

m.x = m.x & m.y | 1

if m.e in ("a", "c"): m.e = "b"
elif m.e == "b": m.e = "c"

if m.f and m.e != "a" or not m.f and m.y == 2: m.e = "c"
else: m.e = "a"

m.x = clamp(m.y + 1, high=2)

m.x = clamp(m.y * 3 - 2)

m.x = clamp(v=m.z, low=0)
m.z = m.y - 2

m.x = m.x if m.x > m.y else m.y if m.f else 0

m.x = m.a[-1]

m.a[m.y - 1] = 2

m.x = ORDER[m.y % 3]

m.x = ORDER[LIMIT]

m.x = len(list(m.a))

m.a = [(v + 1) % 4 for v in m.a]

m.a = [m.y] * 2

m.x = min((v for v in m.a if v > 0), default=3)
m.a[0] = m.y

m.x = max(m.a, default=0)

m.f = all([1 // m.y > 0, m.f])

m.f = any([m.f, 1 // m.y > 0])

m.f = any(1 // v > 0 for v in m.a)
m.a[1] = m.y

v = m.x
m.x, m.y = m.y, v

x = y = m.y
m.x = x
m.z = y - 3

m.x = m.z = m.y

_, m.x = both_of(m)

(m.x, m.y), m.f = (m.y, m.x), not m.f

n: int = m.y
m.x = n

x, y = m.a
m.a = [y, x]
m.a[0] = m.y

m.x = "a" == m.e

m.e = ["a", "b", "c"][m.y]

m.x = True if m.f else 2

lo, hi = min(m.a), max(m.a)
m.x = hi - lo
m.a[0] = m.y

lo, hi = (m.x, m.y) if m.x < m.y else (m.y, m.x)
m.x = hi - lo

m.e = ("a", "b", "c")[m.y % 3]

m.x = ORDER[ORDER[m.y % 3]]

m.x = min(3, m.x + 1) if m.f else max(0, m.x - 1)

m.x = m.x + 1 if m.x < 3 else m.x - 3
m.x = (m.x + m.y) // 2

require(m.x < 3); m.x += 1; require(m.y < 2)

m.x += 1
require(m.x <= 3)

if m.x == 3: return
m.x += 1

m.x = m.x % (m.y + 1)

m.x = m.x % m.y

m.x = m.y >> 1 | m.f

m.x = ~m.y & 3

m.z = ~m.y + 1

m.x = 7 // (m.z + 1)
m.z = m.y - 3

m.x: int = 2

m.a[m.x % 2] += set_x(m, m.y) % 2

x = m.x
x += m.y
m.x = x % 4

m.x -= 1 if m.x > 0 else m.y - 3

m.x = clamp(v=1 // m.y)

m.bo.put(m.y)
require(m.bo.count(3) == 0)

m.f = m.x in range(1, 3)
""",
}


ACTIONS = 8
"""So many bodies become one model."""


def bodies(paragraphs: str) -> list[str]:
    return paragraphs.strip("\n").split("\n\n")


def model_of(chosen: list[str]) -> str:
    actions = (
        f"    @action\n    def step{number}(m):\n{indent(body, ' ' * 8)}\n" for number, body in enumerate(chosen)
    )
    return MODEL + "".join(actions)


@pytest.mark.parametrize(
    ("name", "first"),
    [(name, first) for name, text in PARAGRAPHS.items() for first in range(0, len(bodies(text)), ACTIONS)],
)
def test_three_ways_agree(name: str, first: int) -> None:
    chosen = bodies(PARAGRAPHS[name])[first : first + ACTIONS]
    compare_everywhere(define(model_of(chosen), "Natural")(), limit=50)


def test_there_are_many() -> None:
    assert sum(len(bodies(text)) for text in PARAGRAPHS.values()) > 200


@pytest.mark.parametrize("above", [True, False])
def test_a_parameter_is_a_first_value(above: bool, tmp_path: Path) -> None:
    declared = "N = param(3)\n"
    model = tmp_path / "model.py"
    model.write_text(
        "from strandline import *\n"
        + (declared if above else "")
        + "class A(Model):\n"
        + ("" if above else f"    {declared}")
        + "    x: Range[0, N] = N\n"
        "    y: Range[0, 9] = N\n"
        "    @action\n"
        "    def down(m): require(m.x > 0); m.x -= 1\n"
    )
    assert strandline.explore(model).statistics.states == 4
    assert strandline.explore(strandline.load(model, N=5)).statistics.states == 6
