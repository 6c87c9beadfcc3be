"""The `successors` functions of explicit graphs, which look up tables."""

from __future__ import annotations

FIELDS = {
    "nodes": "i64",
    "words": "i64",
    "width": "i64",
    "stride": "i64",
    "unknown": "i64",
    "rows": "ptr",
    "offsets": "ptr",
    "targets": "ptr",
    "marks": "ptr",
    "faults": "ptr",
    "falls": "ptr",
    "order": "ptr",
}
"""The fields of a graph in memory: sizes, the code of an unknown state, and tables.

Tables hold rows (a state and its progress), edges and labels; some may be null. `order` lists the nodes sorted by
state; it is null if a state is a node's number.
"""


def _load(*names: str) -> str:
    """Return instructions that load fields of a graph."""
    numbers = {name: number for number, name in enumerate(FIELDS)}
    return "\n".join(
        f"  %{name}.at = getelementptr i64, ptr %graph, i64 {numbers[name]}\n"
        f"  %{name} = load {FIELDS[name]}, ptr %{name}.at"
        for name in names
    )


def lookup_text(slots: int) -> str:
    """Return a module with functions `@successors<k>` for `slots` graphs, each of which is found at `@slots[k]`."""
    entries = [_entry(number, slots) for number in range(slots)]
    return "\n".join([f"@slots = global [{slots} x ptr] zeroinitializer", _FIND, _EXPAND, *entries])


def _entry(number: int, slots: int) -> str:
    return f"""
define i64 @successors{number}(ptr %state, ptr %records, i64 %capacity, ptr %labels) nounwind {{
  %slot = getelementptr [{slots} x ptr], ptr @slots, i64 0, i64 {number}
  %graph = load ptr, ptr %slot
  %count = tail call i64 @expand(ptr %graph, ptr %state, ptr %records, i64 %capacity, ptr %labels)
  ret i64 %count
}}"""


_FIND = f"""
define internal i64 @find(ptr %graph, ptr %state) nounwind {{
entry:
{_load("nodes", "words", "width", "rows", "order")}
  %numbered = icmp eq ptr %order, null
  br i1 %numbered, label %number, label %halve
number:
  %given = load i64, ptr %state
  %known = icmp ult i64 %given, %nodes
  %node = select i1 %known, i64 %given, i64 -1
  ret i64 %node
halve:
  %low = phi i64 [0, %entry], [%low.next, %differ]
  %high = phi i64 [%nodes, %entry], [%high.next, %differ]
  %open = icmp ult i64 %low, %high
  br i1 %open, label %middle, label %missing
middle:
  %sum = add i64 %low, %high
  %half = lshr i64 %sum, 1
  %half.at = getelementptr i64, ptr %order, i64 %half
  %candidate = load i64, ptr %half.at
  %start = mul i64 %candidate, %width
  %row = getelementptr i64, ptr %rows, i64 %start
  br label %word
word:
  %place = phi i64 [0, %middle], [%place.next, %same]
  %all = icmp eq i64 %place, %words
  br i1 %all, label %hit, label %look
look:
  %theirs.at = getelementptr i64, ptr %row, i64 %place
  %theirs = load i64, ptr %theirs.at
  %ours.at = getelementptr i64, ptr %state, i64 %place
  %ours = load i64, ptr %ours.at
  %equal = icmp eq i64 %theirs, %ours
  br i1 %equal, label %same, label %differ
same:
  %place.next = add i64 %place, 1
  br label %word
differ:
  %less = icmp ult i64 %theirs, %ours
  %above = add i64 %half, 1
  %low.next = select i1 %less, i64 %above, i64 %low
  %high.next = select i1 %less, i64 %high, i64 %half
  br label %halve
hit:
  ret i64 %candidate
missing:
  ret i64 -1
}}"""
"""Returns the node of a state, -1 if there is none: by its number, or by binary search."""

_EXPAND = f"""
define internal i64 @expand(ptr %graph, ptr %state, ptr %records, i64 %capacity, ptr %labels) nounwind {{
entry:
{_load("width", "stride", "unknown", "rows", "offsets", "targets", "marks", "faults", "falls")}
  %node = call i64 @find(ptr %graph, ptr %state)
  %known = icmp sge i64 %node, 0
  br i1 %known, label %mark, label %nowhere
nowhere:
  ret i64 %unknown
mark:
  %mark.at = getelementptr i64, ptr %marks, i64 %node
  %marked = load i64, ptr %mark.at
  store i64 %marked, ptr %labels
  %sound = icmp eq ptr %faults, null
  br i1 %sound, label %steps, label %risky
risky:
  %fault.at = getelementptr i64, ptr %faults, i64 %node
  %fault = load i64, ptr %fault.at
  %faulty = icmp slt i64 %fault, 0
  br i1 %faulty, label %leave, label %steps
leave:
  ret i64 %fault
steps:
  %first.at = getelementptr i64, ptr %offsets, i64 %node
  %first = load i64, ptr %first.at
  %last.at = getelementptr i64, ptr %first.at, i64 1
  %last = load i64, ptr %last.at
  %count = sub i64 %last, %first
  %fits = icmp slt i64 %count, %capacity
  %written = select i1 %fits, i64 %count, i64 %capacity
  br label %record
record:
  %number = phi i64 [0, %steps], [%number.next, %next]
  %done = icmp eq i64 %number, %written
  br i1 %done, label %end, label %write
write:
  %edge = add i64 %first, %number
  %target.at = getelementptr i64, ptr %targets, i64 %edge
  %target = load i64, ptr %target.at
  %source.start = mul i64 %target, %width
  %source = getelementptr i64, ptr %rows, i64 %source.start
  %goal.start = mul i64 %number, %stride
  %goal = getelementptr i64, ptr %records, i64 %goal.start
  br label %copy
copy:
  %word = phi i64 [0, %write], [%word.next, %move]
  %copied = icmp eq i64 %word, %width
  br i1 %copied, label %compare, label %move
move:
  %word.from = getelementptr i64, ptr %source, i64 %word
  %moved = load i64, ptr %word.from
  %word.to = getelementptr i64, ptr %goal, i64 %word
  store i64 %moved, ptr %word.to
  %word.next = add i64 %word, 1
  br label %copy
compare:
  %total = icmp eq ptr %falls, null
  br i1 %total, label %next, label %fall
fall:
  %fall.at = getelementptr i8, ptr %falls, i64 %edge
  %fallen = load i8, ptr %fall.at
  %fallen.word = zext i8 %fallen to i64
  %fall.to = getelementptr i64, ptr %goal, i64 %width
  store i64 %fallen.word, ptr %fall.to
  br label %next
next:
  %number.next = add i64 %number, 1
  br label %record
end:
  ret i64 %count
}}"""
"""The `successors` function of a graph."""
