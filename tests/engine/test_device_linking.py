"""The kernels compile and link where NVIDIA's packages are: neither NVRTC nor nvJitLink needs a GPU."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from device_runs import device_kernel
from graph_kernel import Graph
from support.fake_device import FakeDevice

import strandline
from strandline.compile.device import compile_for_device
from strandline.compile.ptx import ptx
from strandline.engine.device import linking, store
from strandline.engine.device.layout import Shape, declarations
from strandline.engine.device.store import DeviceStore, plan_sizes
from strandline.errors import ResourceError

PETERSON = Path(__file__).resolve().parents[2] / "examples" / "peterson" / "peterson.dve"
SHAPES = [
    Shape(1, False, 32),
    Shape(1, True, 32),
    Shape(2, False, 8),
    Shape(3, True, 8, carries=True),
    Shape(7, True, 8, carries=True, wide_keys=True),
]


def _linkers() -> bool:
    try:
        linking._versions()
    except (ResourceError, RuntimeError):
        return False
    return True


needs_linkers = pytest.mark.skipif(not _linkers(), reason="NVRTC and nvJitLink are not installed")


@needs_linkers
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_kernels_compile(shape: Shape) -> None:
    text = linking._compile_kernels(linking._source(shape), "sm_90").decode()
    for kernel in ("rounds", "seed", "scan", "reenter", *(("survey", "pick", "relocate") if shape.measured else ())):
        assert f".entry {kernel}()" in text


@needs_linkers
def test_what_was_linked_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernel = compile_for_device(strandline.load(PETERSON))
    assert kernel.device is not None
    code = linking.link_model(kernel.device, Shape(kernel.words, False, 8), "sm_90")
    assert code[:4] == b"\x7fELF"
    assert sorted(path.name.split("-")[0] for path in (tmp_path / "strandline" / "device").iterdir()) == [
        "kernels",
        "model",
    ]
    monkeypatch.setattr(linking, "_link", None)
    assert linking.link_model(kernel.device, Shape(kernel.words, False, 8), "sm_90") == code


def test_a_model_becomes_ptx() -> None:
    """For a state of many words the copy goes word by word."""
    kernel = compile_for_device(strandline.load(PETERSON))
    assert kernel.device is not None
    text = kernel.device.ptx("sm_80")
    assert ".target sm_80" in text
    assert ".visible .func  (.param .b64 func_retval0) successors" in text
    copying = (
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
        "define void @f(ptr %to, ptr %from) {\n"
        "  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 176, i1 false)\n  ret void\n}"
    )
    assert "ld.u8" not in ptx(copying, "sm_80")


def test_the_records_are_the_same_on_both_sides() -> None:
    text = declarations()
    assert text.count("struct ") == 2
    assert "found[64]" in text


def test_there_is_room_for_all_that_may_be_repeated() -> None:
    """Every thread may meet a state that must be repeated as often as it fetches states at a time."""
    kernel = device_kernel(Graph(((0,),), progress=((0, 0),)))
    device = FakeDevice(kernel, 1 << 22)
    device.lanes = 64
    with patch.object(store, "_MUCH", 0):
        made = DeviceStore(device, Shape(1, True, 8))
    assert made._blocks["again"][1] == 8 * 64 * int(made.plan.batch)
    assert made.reserve == 64 * 8 * 4


def test_sizes_fit_the_budget() -> None:
    for shape in SHAPES:
        for few in (False, True):
            for taken in (0, 10**9):
                sizes = plan_sizes(10**10, shape, 1, few=few, taken=taken)
                assert 0.95 * (10**10 - taken) < sizes.places * shape.place_bytes + 8 * sizes.slots <= 10**10 - taken
            assert plan_sizes(10**10, shape, 16, few=few).places * 16 <= 10**10 // shape.place_bytes
