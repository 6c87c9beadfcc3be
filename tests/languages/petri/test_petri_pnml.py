"""PNML: parsing, and messages for wrong files, with the line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.errors import InputError
from strandline.languages import load
from strandline.languages.petri.pnml import read_pnml
from strandline.source import Source

ROOT = Path(__file__).parents[3]
CROSSING = (ROOT / "examples/petri-crossing/crossing.pnml").read_text()


def wrapped(inside: str, kind: str = "http://www.pnml.org/version-2009/grammar/ptnet") -> str:
    return f'<pnml>\n<net id="n" type="{kind}">\n<page id="g">\n{inside}\n</page></net></pnml>'


PLACES = '<place id="p"/><place id="q"><initialMarking><text> 12 </text></initialMarking></place><transition id="t"/>'


def test_pages_and_references() -> None:
    net = read_pnml(Source("crossing.pnml", CROSSING))
    assert net.name == "crossing"
    assert [place.id for place in net.places] == [
        *(f"{side}.{colour}" for side in ("north", "east") for colour in ("red", "green", "amber")),
        "turn",
    ]
    assert [place.initial for place in net.places] == [1, 0, 0, 1, 0, 0, 1]
    go = net.transitions[0]
    assert (go.id, go.consumes, go.produces) == ("north.go", {0: 1, 6: 1}, {1: 1})


def test_arcs_before_nodes_weights_and_parallel_arcs() -> None:
    arcs = (
        '<arc id="1" source="q" target="t"><inscription><text>3</text></inscription></arc>'
        '<arc id="2" source="q" target="t"/><arc id="3" source="t" target="p"/>'
    )
    net = read_pnml(Source("n", wrapped(arcs + PLACES)))
    assert (net.transitions[0].consumes, net.transitions[0].produces) == ({1: 4}, {0: 1})
    assert net.places[1].initial == 12


def test_drawings_names_and_remarks_are_skipped() -> None:
    node = (
        '<place id="p"><graphics><position x="1" y="2"/></graphics><name><graphics><offset/></graphics>'
        '<text>other</text></name><toolspecific tool="x" version="1"><anything/></toolspecific></place>'
    )
    assert [place.id for place in read_pnml(Source("n", wrapped(node))).places] == ["p"]


@pytest.mark.parametrize(("safe", "limit"), [("true", 1), ("false", None)])
def test_a_safe_net_says_so(safe: str, limit: int | None) -> None:
    remark = f'<toolspecific tool="nupn" version="1.1"><structure units="1" safe="{safe}"/></toolspecific>'
    assert read_pnml(Source("n", wrapped(PLACES + remark))).places[0].limit == limit


@pytest.mark.parametrize("kind", ["ptnet", "http://www.informatik.hu-berlin.de/top/pntd/ptNetb", "P/T net"])
def test_types_of_place_transition_nets(kind: str) -> None:
    assert len(read_pnml(Source("n", wrapped(PLACES, kind))).places) == 2


def test_nodes_without_a_page() -> None:
    text = f'<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="ptnet">{PLACES}</net></pnml>'
    assert len(read_pnml(Source("n", text)).places) == 2


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "utf-8", "UTF-16"])
def test_encodings(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "net.pnml"
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + wrapped('<place id="pé"/><transition id="t"/>')
    file.write_bytes(text.encode(encoding))
    assert [one.name for one in load(file).variables] == ["pé"]


ENTITY = '<!DOCTYPE pnml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<pnml>&b;</pnml>'
EXTERNAL = '<!DOCTYPE pnml SYSTEM "file:///etc/hostname">\n<pnml/>'
WRONG = [
    ("", "n:1:1: this is not XML: no element found\n  \n  ^"),
    ("<pnml>\n<net>", "n:2:6: this is not XML: no element found\n  <net>\n       ^"),
    ("<pnml>\n</net>", "n:2:3: this is not XML: mismatched tag\n  </net>\n    ^"),
    (ENTITY, ("n:1:1: a document type declaration is not supported: it could define entities\n"
     '  <!DOCTYPE pnml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n  ^^^^^^^^^')),
    (EXTERNAL, ("n:1:1: a document type declaration is not supported: it could define entities\n"
     '  <!DOCTYPE pnml SYSTEM "file:///etc/hostname">\n  ^^^^^^^^^')),
    ("<html/>", "n:1:1: a PNML file begins with 'pnml', not with 'html'\n  <html/>\n  ^^^^^^^"),
    ("<pnml/>", "n:1:1: a file must contain one net, and this one has 0\n  <pnml/>\n  ^^^^^^^"),
    ('<pnml><net id="a"/></pnml>', ("n:1:7: 'net' has no attribute 'type'\n"
     '  <pnml><net id="a"/></pnml>\n        ^^^^^^^^^^^^^')),
    (wrapped("", "http://www.pnml.org/version-2009/grammar/symmetricnet"),
     ("n:2:19: only place/transition nets are supported, and this net is a symmetric (coloured) net\n"
     '  <net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">\n'
     "                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^")),
    (wrapped("", "timed"), ("n:2:19: only place/transition nets are supported, and this net is of the type 'timed'\n"
     '  <net id="n" type="timed">\n                    ^^^^^')),
    (wrapped("<place/>"), "n:4:1: 'place' has no attribute 'id'\n  <place/>\n  ^^^^^^^^"),
    (wrapped('<place id="p"/><place id="p"/>'), ("n:4:27: the id 'p' is used twice\n"
     '  <place id="p"/><place id="p"/>\n                            ^')),
    (wrapped('<place id="p"><capacity><text>1</text></capacity></place>'),
     ("n:4:15: unknown element 'capacity' in a place\n"
     '  <place id="p"><capacity><text>1</text></capacity></place>\n                ^^^^^^^^^^')),
    (wrapped('<transition id="t"><guard/></transition>'), ("n:4:20: unknown element 'guard' in a transition\n"
     '  <transition id="t"><guard/></transition>\n                     ^^^^^^^^')),
    (wrapped('<declaration/>'), ("n:4:1: unknown element 'declaration' in a net\n"
     "  <declaration/>\n  ^^^^^^^^^^^^^^")),
    (wrapped('<place id="p"><initialMarking><text>-1</text></initialMarking></place>'),
     ("n:4:31: an initial marking is a natural number of at most 18 digits, not '-1'\n"
     '  <place id="p"><initialMarking><text>-1</text></initialMarking></place>\n'
     "                                ^^^^^^")),
    (wrapped('<place id="p"><initialMarking/></place>'),
     ("n:4:15: an initial marking is a natural number of at most 18 digits, and there is none\n"
     '  <place id="p"><initialMarking/></place>\n                ^^^^^^^^^^^^^^^^^')),
    (wrapped(PLACES + '\n<arc id="a" source="p" target="tt"/>'),
     ("n:5:32: there is no node 'tt'; did you mean 't'?\n"
     '  <arc id="a" source="p" target="tt"/>\n                                 ^^')),
    (wrapped(PLACES + '\n<arc id="a" source="p"/>'), ("n:5:1: 'arc' has no attribute 'target'\n"
     '  <arc id="a" source="p"/>\n  ^^^^^^^^^^^^^^^^^^^^^^^^')),
    (wrapped(PLACES + '\n<arc id="a" source="p" target="q"/>'),
     ("n:5:1: an arc connects a place and a transition, not two places\n"
     '  <arc id="a" source="p" target="q"/>\n  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^')),
    (wrapped(PLACES + '\n<arc id="a" source="p" target="t"><inscription><text>0</text></inscription></arc>'),
     ("n:5:1: an arc has a weight of at least 1\n"
     '  <arc id="a" source="p" target="t"><inscription><text>0</text></inscription></arc>\n'
     "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^")),
    (wrapped(PLACES + '\n<arc id="a" source="p" target="t"><type value="inhibitor"/></arc>'),
     ("n:5:35: unknown element 'type' in an arc\n"
     '  <arc id="a" source="p" target="t"><type value="inhibitor"/></arc>\n'
     "                                    ^^^^^^^^^^^^^^^^^^^^^^^^^")),
    (wrapped(PLACES + '\n<referencePlace id="r" ref="s"/><referencePlace id="s" ref="r"/>'
             '<arc id="a" source="r" target="t"/>'),
     ("n:5:61: the reference 'r' refers to itself\n"
     '  <referencePlace id="r" ref="s"/><referencePlace id="s" ref="r"/><arc id="a" source="r" target="t"/>\n'
     "                                                              ^")),
    (wrapped(PLACES + '\n<referencePlace id="r" ref="t"/><arc id="a" source="r" target="t"/>'),
     ("n:5:29: a referencePlace refers to a place, and 't' is none\n"
     '  <referencePlace id="r" ref="t"/><arc id="a" source="r" target="t"/>\n'
     "                              ^")),
    (wrapped("<a>" * 1200 + "</a>" * 1200), None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_wrong_files_are_told(text: str, message: str | None) -> None:
    with pytest.raises(InputError) as caught:
        read_pnml(Source("n", text))
    if message is None:
        assert "more than 1000 levels of nested elements" in str(caught.value)
    else:
        assert str(caught.value) == message


@given(st.data())
def test_whatever_a_file_holds_it_is_read_or_refused(data: st.DataObject) -> None:
    """Pieces of a file cut out, doubled, and spoilt by signs that mean something."""
    text = CROSSING
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 60)))
        spoilt = st.sampled_from(["", "<", ">", '"', "&", "<page>", text[start:end] * 2])
        text = text[:start] + data.draw(st.one_of(spoilt, st.text())) + text[end:]
    told = "n:"
    try:
        assert len(read_pnml(Source("n", text)).places) <= 8
    except InputError as error:
        told = str(error)
    assert told.startswith("n:")
