"""PNML (ISO/IEC 15909-2): place/transition nets as XML.

Nodes are identified by their `id`; names are for drawings. Pages nest, reference nodes stand for nodes on other pages,
and arcs may precede the nodes that they connect: so all elements are collected first and linked afterwards. Graphics
and tool-specific parts are skipped, except for the statement of NUPN (nested-unit Petri nets) that a net is safe. Other
unknown elements are refused: they could mean that the net is no place/transition net.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from strandline.errors import ModelError, ParseError, suggestion
from strandline.languages.parameters import Given
from strandline.languages.petri.lowering import lower_with
from strandline.languages.petri.net import Net, Place, Transition
from strandline.languages.petri.xml import Element, read_xml
from strandline.model.system import System
from strandline.source import Source

_DRAWN = ("graphics", "name")
_TYPES = frozenset({"ptnet", "ptNetb", "PTNet", "P/T net"})
"""The accepted last parts of a net's type, as in the standard and in older files."""
_COLOURED = {
    "symmetricnet": "a symmetric (coloured) net",
    "highlevelnet": "a high-level net",
    "pt-hlpng": "a high-level net",
}
_NATURAL = re.compile(r"[0-9]{1,18}")
_NODES = {"place": "referencePlace", "transition": "referenceTransition"}

Arcs: TypeAlias = dict[tuple[str, str], int]


class OtherNet(ModelError):
    """Raised for a net that is no place/transition net."""


def load(source: Source) -> System:
    """Load the System of a net; raises `InputError` with the source position of the mistake."""
    return load_with(source, {})


def load_with(source: Source, given: Given) -> System:
    """Load the System; the parameter `bound` bounds the places for which the file has no bound."""
    return lower_with(read_pnml(source), given)


def read_pnml(source: Source) -> Net:
    """Parse a net; raises `ParseError` or `ModelError` with the line of the first mistake."""
    return _Reader(source, read_xml(source, ignored=_DRAWN)).net()


class _Reader:
    def __init__(self, source: Source, root: Element) -> None:
        self.source = source
        self.root = self._only_net(root)
        self.nodes: dict[str, Element] = {}
        """Places, transitions and references by their ids."""
        self.arcs: list[Element] = []
        self.safe = False

    def _only_net(self, root: Element) -> Element:
        if root.tag != "pnml":
            root.refuse(f"a PNML file begins with 'pnml', not with '{root.tag}'")
        nets = [one for one in root.children if _is_known(one, ("net",))]
        if len(nets) != 1:
            (nets[1] if nets else root).refuse(f"a file must contain one net, and this one has {len(nets)}")
        net = nets[0]
        kind = net.attribute("type").rpartition("/")[2] if "/T net" not in net.attribute("type") else "P/T net"
        if kind not in _TYPES:
            described = _COLOURED.get(kind, f"of the type '{kind}'")
            message = f"only place/transition nets are supported, and this net is {described}"
            raise OtherNet(message, self.source, net.span_of("type"))
        return net

    def net(self) -> Net:
        self._collect(self.root)
        consumed, produced = self._link()
        places = [one for one in self.nodes.values() if one.tag == "place"]
        transitions = [one for one in self.nodes.values() if one.tag == "transition"]
        numbers = {one.attributes["id"]: number for number, one in enumerate(places)}
        limit = 1 if self.safe else None
        return Net(
            self.root.attributes.get("id", ""),
            self.source,
            tuple(Place(one.attributes["id"], _tokens(one), limit, one.span) for one in places),
            tuple(
                Transition(
                    name, _number_places(consumed, name, numbers), _number_places(produced, name, numbers), one.span
                )
                for one in transitions
                for name in [one.attributes["id"]]
            ),
        )

    def _collect(self, page: Element) -> None:
        """Collect the elements of a page and of the pages in it."""
        waiting = list(reversed(page.children))
        while waiting:
            one = waiting.pop()
            match one.tag:
                case "page":
                    waiting += reversed(one.children)
                case "place" | "transition" | "referencePlace" | "referenceTransition":
                    self._node(one)
                case "arc":
                    self.arcs.append(one)
                case "toolspecific":
                    self._tool(one)
                case _:
                    one.refuse(f"unknown element '{one.tag}' in a net")

    def _node(self, node: Element) -> None:
        name = node.attribute("id")
        if name in self.nodes:
            raise ModelError(f"the id '{name}' is used twice", self.source, node.span_of("id"))
        for part in node.children:
            if not _is_known(part, ("initialMarking",) if node.tag == "place" else ()):
                part.refuse(f"unknown element '{part.tag}' in a {node.tag}")
        self.nodes[name] = node

    def _tool(self, remark: Element) -> None:
        """Read a tool-specific part; that of NUPN states whether the net is safe."""
        if remark.attributes.get("tool") == "nupn":
            structure = remark.child("structure")
            self.safe |= structure is not None and structure.attributes.get("safe") == "true"

    # --- arcs -------------------------------------------------------------------------------------------------

    def _link(self) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
        """Return the consumed and the produced tokens, each by transition id and then by place id."""
        consumed: dict[str, dict[str, int]] = {}
        produced: dict[str, dict[str, int]] = {}
        for arc in self.arcs:
            source, target = self._end(arc, "source"), self._end(arc, "target")
            if source.tag == target.tag:
                arc.refuse(f"an arc connects a place and a transition, not two {source.tag}s")
            table, transition, place = (
                (consumed, target, source) if source.tag == "place" else (produced, source, target)
            )
            amounts = table.setdefault(transition.attributes["id"], {})
            name = place.attributes["id"]
            amounts[name] = amounts.get(name, 0) + _weight(arc)
        return consumed, produced

    def _end(self, arc: Element, side: str) -> Element:
        """Return the node at the end `side` of an arc ("source" or "target"), with references resolved."""
        name, node = arc.attribute(side), self.nodes.get(arc.attributes[side])
        if node is None:
            raise ModelError(f"there is no node '{name}'{suggestion(name, self.nodes)}", self.source, arc.span_of(side))
        passed = {id(node)}
        while node.tag not in _NODES:
            wanted = node.attribute("ref")
            further = self.nodes.get(wanted)
            if further is None:
                message = f"there is no node '{wanted}'{suggestion(wanted, self.nodes)}"
                raise ModelError(message, self.source, node.span_of("ref"))
            kind = "place" if node.tag == "referencePlace" else "transition"
            if further.tag not in (kind, _NODES[kind]):
                message = f"a {node.tag} refers to a {kind}, and '{wanted}' is none"
                raise ModelError(message, self.source, node.span_of("ref"))
            if id(further) in passed:
                raise ModelError(f"the reference '{wanted}' refers to itself", self.source, node.span_of("ref"))
            passed.add(id(further))
            node = further
        return node


def _is_known(part: Element, tags: tuple[str, ...]) -> bool:
    return part.tag in tags or part.tag == "toolspecific"


def _tokens(place: Element) -> int:
    marking = place.child("initialMarking")
    return 0 if marking is None else _number(marking, "an initial marking")


def _weight(arc: Element) -> int:
    for part in arc.children:
        if not _is_known(part, ("inscription",)):
            part.refuse(f"unknown element '{part.tag}' in an arc")
    inscription = arc.child("inscription")
    weight = 1 if inscription is None else _number(inscription, "a weight")
    if weight == 0:
        arc.refuse("an arc has a weight of at least 1")
    return weight


def _number(holder: Element, what: str) -> int:
    """Return the natural number in the `text` of an element."""
    for part in holder.children:
        if not _is_known(part, ("text",)):
            part.refuse(f"unknown element '{part.tag}' in {what}")
    holding = holder.child("text")
    written = "" if holding is None else holding.text.strip()
    if not _NATURAL.fullmatch(written):
        shown = f"not '{written[:40]}'" if written else "and there is none"
        place = holder if holding is None else holding
        raise ParseError(f"{what} is a natural number of at most 18 digits, {shown}", holder.source, place.span)
    return int(written)


def _number_places(
    table: Mapping[str, Mapping[str, int]], transition: str, numbers: Mapping[str, int]
) -> dict[int, int]:
    amounts = {numbers[name]: weight for name, weight in table.get(transition, {}).items()}
    return dict(sorted(amounts.items()))
