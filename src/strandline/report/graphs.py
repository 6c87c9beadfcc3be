"""Write graphs of states to files: the thesis's `.ss`, Aldebaran's `.aut`, DOT, GraphML.

Each writer receives states one by one and keeps none of them. The thesis is A. Lilleskare's (see docs/papers.md, 000).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from strandline.checker.graphs import GraphTask, Node
from strandline.compile.kernel import Reference
from strandline.errors import UsageError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INTERNAL = "*"
"""The name in an `.ss` file of an action that has none."""


class GraphWriter(ABC):
    """Base class of graph writers; each node is passed to `take`.

    If `end` returns a header, the caller writes it before the text in `file`, which it must be able to read again.
    """

    def __init__(self, task: GraphTask, reference: Reference, file: TextIO) -> None:
        self.task, self.reference, self.file = task, reference, file
        self.states = self.transitions = 0
        self.begin()

    def take(self, node: Node) -> None:
        self.states += 1
        self.transitions += len(node.edges)
        self.write(node)

    def begin(self) -> None:
        """Write the text before the first state."""
        return None

    @abstractmethod
    def write(self, node: Node) -> None: ...

    def end(self) -> str:
        """Write the text after the last state; return a header that must precede the whole file, or ""."""
        return ""

    def describe(self, node: Node) -> str:
        """Return a description of the state in one line."""
        return " ".join(f"{name}={value}" for name, value in self.reference.describe(node.state).items())

    def true_ones(self, node: Node) -> Sequence[str]:
        return [name for name, truth in zip(self.task.propositions, node.truths, strict=True) if truth]


class SpaceWriter(GraphWriter):
    """Writes `.ss` files (see docs/papers.md, 000 §7.4.1), with propositions and progress.

    Blanks in names of actions become underscores, because blanks separate words.
    """

    def begin(self) -> None:
        if len(self.task.system.initial) > 1:
            raise UsageError("an .ss file has one initial state, and the model has several")
        for name in self.task.propositions:
            if not _NAME.fullmatch(name):
                raise UsageError(f"an .ss file cannot hold a proposition called '{name}': give it another name")

    def write(self, node: Node) -> None:
        words = [str(node.number + 1), str(node.progress), str(len(node.truths))]
        propositions = zip(self.task.propositions, node.truths, strict=True)
        words += [name if truth else f"!{name}" for name, truth in propositions]
        for action, target in node.edges:
            words += [re.sub(r"\s+", "_", action.strip()) or _INTERNAL, str(target + 1)]
        self.file.write(" ".join(words) + "\n")


class AldebaranWriter(GraphWriter):
    """Writes `.aut` files, without propositions and progress; quotes in names of actions become apostrophes."""

    def begin(self) -> None:
        if len(self.task.system.initial) > 1:
            raise UsageError("an .aut file has one initial state, and the model has several")

    def write(self, node: Node) -> None:
        for action, target in node.edges:
            name = action.replace('"', "'").replace("\n", " ")
            self.file.write(f'({node.number}, "{name}", {target})\n')

    def end(self) -> str:
        return f"des (0, {self.transitions}, {self.states})\n"


class DotWriter(GraphWriter):
    """Writes DOT, for Graphviz: initial states have a double border, propositions stand below the state."""

    def begin(self) -> None:
        self._initial = set(self.reference.initial())
        self.file.write(f"digraph {_quote(self.task.system.name)} {{\n  node [shape=box];\n")

    def write(self, node: Node) -> None:
        text = self.describe(node) + "".join(f"\n{name}" for name in self.true_ones(node))
        border = ", peripheries=2" if node.state in self._initial else ""
        self.file.write(f"  {node.number} [label={_quote(text)}{border}];\n")
        for action, target in node.edges:
            self.file.write(f"  {node.number} -> {target} [label={_quote(action)}];\n")

    def end(self) -> str:
        self.file.write("}\n")
        return ""


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


class GraphmlWriter(GraphWriter):
    """Writes GraphML, which yEd, Gephi and networkx read."""

    def begin(self) -> None:
        self._edge = 0
        self._initial = set(self.reference.initial())
        keys = (("node", "state"), ("node", "labels"), ("node", "progress"), ("node", "initial"), ("edge", "action"))
        kinds = {"progress": "long", "initial": "boolean"}
        self.file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self.file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        for where, name in keys:
            kind = kinds.get(name, "string")
            self.file.write(f'  <key id="{name}" for="{where}" attr.name="{name}" attr.type="{kind}"/>\n')
        self.file.write(f'  <graph id={quoteattr(self.task.system.name)} edgedefault="directed">\n')

    def write(self, node: Node) -> None:
        data = {
            "state": self.describe(node),
            "labels": " ".join(self.true_ones(node)),
            "progress": str(node.progress),
            "initial": str(node.state in self._initial).lower(),
        }
        self.file.write(f'    <node id="n{node.number}">{_data(data)}</node>\n')
        for action, target in node.edges:
            ends = f'id="e{self._edge}" source="n{node.number}" target="n{target}"'
            self.file.write(f"    <edge {ends}>{_data({'action': action})}</edge>\n")
            self._edge += 1

    def end(self) -> str:
        self.file.write("  </graph>\n</graphml>\n")
        return ""


def _data(values: Mapping[str, str]) -> str:
    return "".join(f'<data key="{name}">{escape(value)}</data>' for name, value in values.items())


FORMATS: Mapping[str, type[GraphWriter]] = {
    "ss": SpaceWriter,
    "aut": AldebaranWriter,
    "dot": DotWriter,
    "graphml": GraphmlWriter,
}
"""The writer class for each format name."""
