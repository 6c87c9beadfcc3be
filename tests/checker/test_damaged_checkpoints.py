"""Whatever of a run's folder is damaged is noticed; a folder that somebody else could have prepared is refused."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

import strandline
from strandline.checker.checkpoints.checksums import Damaged, GrowingFiles, read_sealed, sealed
from strandline.checker.checkpoints.ownership import refuse_foreign
from strandline.checker.decisions import checks as checks_module
from strandline.checker.verdicts.verdict import Answer
from strandline.cli.main import main
from strandline.engine.search import Event, Search
from strandline.errors import ResourceError, UsageError
from strandline.traces.workspace import RunDirectory

CLOCKS = Path(__file__).parent / "models" / "clocks.dve"


@pytest.fixture
def saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Return the folder of a run that a limit of states has ended, twice."""
    folder = tmp_path / "saved"
    begin = ["check", str(CLOCKS), "--deadlock", "--checkpoint", str(folder)]
    assert main([*begin, "--max-states", "5000"]) == 3
    assert main(["resume", str(folder), "--max-states", "9000"]) == 3
    assert len(list(folder.glob("search-1/checkpoint-*"))) == 2
    capsys.readouterr()
    return folder


@pytest.mark.parametrize("damaged", ["seconds", "visited", "length", "first"])
def test_facts_that_were_changed(damaged: str, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = max(saved.glob("search-1/checkpoint-*")) / "facts.json"
    digest, text = path.read_text().splitlines()
    facts = json.loads(text)
    where = facts if damaged in facts else next(iter(facts["arrays"].values()))
    where[damaged] += 1
    path.write_text(f"{digest}\n{json.dumps(facts)}\n")
    assert main(["resume", str(saved), "--max-states", "1000000", "--json"]) == 0
    shown = capsys.readouterr()
    assert f"{path}: has another checksum than when it was written; going back to the checkpoint before" in shown.err
    assert json.loads(shown.out)["states"] == 27_000


def test_a_log_in_which_a_bit_was_flipped(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = saved / "search-1" / "files" / "parents"
    data = bytearray(log.read_bytes())
    data[100] ^= 1
    log.write_bytes(data)
    assert main(["resume", str(saved), "--max-states", "1000000", "--json"]) == 0
    shown = capsys.readouterr()
    damage = f"{log}: has another checksum than when the checkpoint was written; going back to the checkpoint before"
    assert shown.err.count(damage) == 2
    assert json.loads(shown.out)["states"] == 27_000


@pytest.mark.parametrize("name", ["command.json", "run.json"])
def test_notes_that_were_changed_are_refused(name: str, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved / name
    path.write_text(path.read_text().replace("0", "1"))
    assert main(["resume", str(saved)]) == 2
    assert f"{path}: has another checksum than when it was written" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["search-1/files", "search-1/checkpoint-1", "search-1/files/parents", "run.json"])
def test_a_link_is_refused_and_nothing_removed(place: str, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, elsewhere = saved / place, saved.parent / "elsewhere"
    path.rename(elsewhere)
    (elsewhere / "mine" if elsewhere.is_dir() else saved.parent / "mine").write_text("precious")
    path.symlink_to(elsewhere)
    assert main(["resume", str(saved)]) == 2
    expected = f"{path}: is a symbolic link, which the folder of a run never contains"
    assert expected in capsys.readouterr().err
    with pytest.raises(UsageError, match="is a symbolic link"):
        strandline.check(CLOCKS, deadlock=True, checkpoint=saved, resume=True)
    assert sorted(saved.parent.rglob("mine"))[0].read_text() == "precious"


def test_folders_of_others_are_refused(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stat.S_IMODE(saved.stat().st_mode) == 0o700
    saved.chmod(0o777)
    with pytest.raises(UsageError, match="saved: every user can write there"):
        refuse_foreign(saved)
    saved.chmod(0o700)
    refuse_foreign(saved)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(UsageError, match="saved: belongs to another user"):
        refuse_foreign(saved)


def test_sealed_data(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text(sealed({"x": [1.5, None, "ü"]}))
    assert read_sealed(path) == {"x": [1.5, None, "ü"]}
    for text in ("", "\n", path.read_text()[:-1], path.read_text() + "\n", path.read_text().upper()):
        path.write_text(text)
        with pytest.raises(Damaged):
            read_sealed(path)


def test_checksums_of_growing_files(tmp_path: Path) -> None:
    path, known = tmp_path / "file", GrowingFiles()
    path.write_bytes(b"a" * 10_000)
    first = known.checksum(path, 8_000)
    assert known.checksum(path, 10_000) == GrowingFiles().checksum(path, 10_000) != first
    assert known.checksum(path, 8_000) == first
    path.write_bytes(b"b" * 10_000)
    assert known.checksum(path, 9_000) == GrowingFiles().checksum(path, 9_000)


def test_resuming_repeats_no_probe_for_cycles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Search.advance

    def advance(search: Search, seconds: float = 0.05) -> Event:
        search._budget = 1000
        return usual(search, 0.0)

    class Dies:
        left = 20

        def stage(self, text: str) -> None: ...

        def progress(self, progress: object) -> None:
            self.left -= 1
            if self.left < 0:
                raise BaseException("killed")

    monkeypatch.setattr(Search, "advance", advance)
    asked: dict[str, Any] = {"ltl": "F G (P.x < 40)", "method": "sweep", "measure": "P.x"}
    alone = strandline.check(CLOCKS, **asked)
    with monkeypatch.context() as patched:
        patched.setattr(checks_module, "NullCallback", Dies)
        with pytest.raises(BaseException, match="killed"):
            strandline.check(CLOCKS, **asked, checkpoint=tmp_path / "saved", every=0.0)
    assert list(tmp_path.glob("saved/search-1/checkpoint-*"))
    resumed = strandline.check(CLOCKS, **asked, checkpoint=tmp_path / "saved", resume=True)
    assert resumed.answer is Answer.HOLDS
    assert resumed.statistics.visited == alone.statistics.visited


def test_a_folder_whose_lock_cannot_be_written_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write)
        with pytest.raises(ResourceError, match="no directory for this run: No space left on device"):
            RunDirectory(tmp_path)
    assert list(tmp_path.iterdir()) == []
