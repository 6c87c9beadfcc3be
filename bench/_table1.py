"""What seed paper 001 reports: Table 1, the thirteen products and five algorithms, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

NDFS, MAP, SWEEP, ONLINE, OFFLINE = "NDFS", "MAP", "Sweep", "LTL-Sweep on", "LTL-Sweep off"
ALGORITHMS = (NDFS, MAP, SWEEP, ONLINE, OFFLINE)


@dataclass(frozen=True, slots=True)
class Figures:
    """One entry of the table: fractions of the product's states. `cycle` is S for an accepting cycle inside one layer
    and M for one through several; persistent states are only counted by sweeps."""

    stored: float
    visited: float
    persistent: float | None = None
    cycle: str | None = None

    @property
    def score(self) -> float:
        """The product by which the paper's Table 2 compares algorithms."""
        return self.stored * self.visited


@dataclass(frozen=True, slots=True)
class Instance:
    """One row: a model of BEEM, the number of its property, the size of the product, and the paper's figures."""

    model: str
    property: int
    states: int
    edges: int
    verified: bool
    """The property holds; else there is an accepting cycle."""
    paper: Mapping[str, Figures]
    recounted: tuple[int, int] | None = None
    """States and edges where they are not what the paper prints."""

    @property
    def name(self) -> str:
        return f"{self.model}/{self.property}"

    @property
    def file_name(self) -> str:
        return f"{self.model}.prop{self.property}.dve"

    @property
    def size(self) -> tuple[int, int]:
        """States and edges as they should come out."""
        return self.recounted or (self.states, self.edges)


def _row(
    model: str,
    property: int,
    states: int,
    edges: int,
    *columns: tuple[float, float] | tuple[float, float, float] | tuple[float, float, float, str],
    verified: bool,
    recounted: tuple[int, int] | None = None,
) -> Instance:
    paper = {name: Figures(*column) for name, column in zip(ALGORITHMS, columns, strict=True)}
    return Instance(model, property, states, edges, verified, MappingProxyType(paper), recounted)


INSTANCES = (
    _row("bopdp.3", 4, 1_703_192, 4_619_673, (1.000, 1.000), (1.000, 1.000), (0.074, 2.021, 0.009),
         (0.074, 15.739, 0.009), (0.106, 8.349, 0.009), verified=True),
    _row("leader_filters.5", 2, 1_572_886, 4_319_565, (1.000, 2.000), (1.000, 14.462), (0.086, 1.000, 0.000),
         (0.086, 2.000, 0.000), (0.086, 2.000, 0.000), verified=True),
    _row("lifts.6", 2, 998_570, 2_864_768, (1.000, 1.332), (1.000, 16.564), (0.012, 1.552, 0.006),
         (0.012, 4.076, 0.006), (0.012, 3.387, 0.006), verified=True),
    _row("lup.3", 2, 2_346_373, 4_965_501, (1.000, 1.170), (1.000, 10.954), (0.330, 3.909, 0.111),
         (0.336, 50.486, 0.111), (0.336, 8.511, 0.111), verified=True),
    _row("peterson.4", 4, 2_239_039, 11_449_204, (1.000, 1.500), (1.000, 11.546), (0.184, 5.322, 0.046),
         (0.205, 103.883, 0.046), (0.224, 25.443, 0.046), verified=True),
    _row("pgm_protocol.8", 4, 3_069_399, 7_125_130, (1.000, 1.000), (1.000, 5.000), (0.043, 1.127, 0.025),
         (0.045, 2.995, 0.025), (0.143, 5.029, 0.025), verified=True),
    _row("rether.6", 2, 6_046_531, 7_980_886, (1.000, 1.001), (1.000, 2.000), (0.069, 1.463, 0.045),
         (0.121, 45.663, 0.045), (0.175, 9.681, 0.045), verified=True),
    _row("extinction.4", 2, 2_001_372, 6_856_693, (0.408, 0.817), (1.000, 2.585), (0.068, 1.000, 0.000),
         (0.022, 0.115, 0.000, "S"), (0.022, 0.115, 0.000, "S"), verified=False),
    _row("iprotocol.4", 4, 8_214_324, 30_357_177, (0.006, 0.006), (0.614, 1.077), (0.109, 1.803, 0.108),
         (0.032, 0.938, 0.029, "M"), (0.123, 7.565, 0.108, "M"), verified=False),
    _row("mcs.6", 4, 665_007, 3_283_155, (0.140, 0.279), (1.000, 8.289), (0.339, 3.414, 0.003),
         (0.045, 0.183, 0.000, "S"), (0.045, 0.183, 0.000, "S"), verified=False),
    _row("plc.2", 3, 130_220, 210_710, (0.004, 0.004), (0.005, 0.006), (0.013, 1.051, 0.013),
         (0.000, 0.009, 0.000, "M"), (0.001, 0.053, 0.000, "S"), verified=False),
    _row("rether.3", 6, 607_382, 991_098, (0.001, 0.001), (0.129, 0.193), (0.255, 1.612, 0.040),
         (0.056, 0.413, 0.007, "M"), (0.476, 15.660, 0.040, "M"), verified=False),
    _row("synapse.1", 3, 159_888, 721_531, (0.059, 0.059), (0.103, 0.081), (0.393, 2.099, 0.183),
         (0.219, 1.050, 0.033, "S"), (0.219, 0.270, 0.033, "S"), verified=False, recounted=(159_972, 723_257)),
)  # fmt: skip
