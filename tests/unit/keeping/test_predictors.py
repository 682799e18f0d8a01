"""Predictors in files: they come back bit for bit, or are refused with the reason; a killed writer harms no file."""

import io
import os
import re
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.keeping import archive
from belated.models import Dense, Named, Sparse, adagrad
from support.players import as_bytes

MODELS = {
    "named": bl.models.logistic(Named(8, categorical=["hour"])),
    "held": bl.models.logistic(Named(8), horizon=7.0, while_waiting="hold", outcomes="last"),
    "sparse": bl.models.squared(Sparse(30), step=adagrad(0.2)),
    "dense": bl.models.poisson(Dense(3)),
}


def example_for(model, rng):
    if isinstance(model.features, Named):
        return {"page": f"p{rng.integers(5)}", "hour": int(rng.integers(24)), "größe": float(rng.normal(40, 9))}
    if isinstance(model.features, Sparse):
        return rng.choice(30, 4, replace=False), rng.normal(size=4)
    return rng.normal(size=3)


def play(model, predictor, rounds, seed=0):
    rng, found = np.random.default_rng(seed), []
    for number in range(rounds):
        found.append(predictor.predict(example_for(model, rng), f"Besuch {seed}-{number} \ud800").value)
        for key in predictor.waiting:
            if rng.random() < 0.15:
                predictor.learn(key, int(rng.integers(2)))
    return found


def played(model, rounds=40):
    predictor = model.start()
    play(model, predictor, rounds)
    return predictor


@pytest.mark.parametrize("name", MODELS)
def test_a_predictor_comes_back_with_what_waits(name, tmp_path):
    model = MODELS[name]
    predictor = played(model)
    assert predictor.waiting
    bl.save(predictor, tmp_path / "run.npz")
    other = bl.load(model, tmp_path / "run.npz")
    assert other.waiting == predictor.waiting
    assert as_bytes(other.state()) == as_bytes(predictor.state())
    assert play(model, other, 40, seed=1) == play(model, predictor, 40, seed=1)
    assert as_bytes(other.state()) == as_bytes(predictor.state())


def test_a_predictor_that_has_seen_nothing_can_be_saved(tmp_path):
    for name, model in MODELS.items():
        bl.save(model.start(), tmp_path / name)
        assert as_bytes(bl.load(model, tmp_path / name).state()) == as_bytes(model.start().state())


@pytest.mark.parametrize("name", ["a b.npz", "Übergröße/Verspätung ☂.npz", "no_suffix", "new/one/run.npz"])
def test_any_path_will_do_as_a_text_too(name, tmp_path):
    predictor = played(MODELS["named"])
    bl.save(predictor, str(tmp_path / name))
    assert (tmp_path / name).is_file()
    assert [path.name for path in (tmp_path / name).parent.iterdir()] == [Path(name).name]
    assert as_bytes(bl.load(MODELS["named"], str(tmp_path / name)).state()) == as_bytes(predictor.state())


def test_a_file_name_alone_is_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bl.save(played(MODELS["dense"]), "run.npz")
    assert bl.load(MODELS["dense"], "run.npz").waiting


def test_numpy_can_read_the_file_and_nothing_in_it_is_pickled(tmp_path):
    predictor = played(MODELS["named"])
    bl.save(predictor, tmp_path / "run.npz")
    state = predictor.state()
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        assert set(file.files) == {"belated.schema", *state}
        assert bytes(file["open.keys"]).decode() == state["open.keys"]
        assert file["table.lanes"].tobytes() == state["table.lanes"].tobytes()
    with zipfile.ZipFile(tmp_path / "run.npz") as file:
        assert file.testzip() is None


def test_the_same_state_gives_the_same_bytes():
    predictor = played(MODELS["named"])
    assert archive.packed(predictor.state()) == archive.packed(predictor.state())


# --- what is refused ---


def refusal(model, path):
    with pytest.raises(bl.errors.StateMismatch) as caught:
        bl.load(model, path)
    assert str(caught.value).startswith("`load(path=")
    return str(caught.value)


def resealed(content: bytes, schema: int = archive.SCHEMA) -> bytes:
    """The same archive with a seal that fits, as somebody else's program might write it."""
    body = content[: -archive._SEAL_SIZE] + f"\nbelated predictor, schema {schema:04d}, digest ".encode()
    return body + archive._digest(body) + b"\n"


def test_files_of_other_models_are_refused(tmp_path):
    bl.save(played(MODELS["named"]), tmp_path / "run.npz")
    assert "another model, 'logistic' and not 'squared'" in refusal(MODELS["sparse"], tmp_path / "run.npz")
    assert "logistic with other features, step or options" in refusal(bl.models.logistic(bits=9), tmp_path / "run.npz")


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "file"
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    for content in (b"", b"hello", (tmp_path / "other.npz").read_bytes(), bytes(100_000)):
        path.write_bytes(content)
        assert "this is not a file that belated.save has written" in refusal(MODELS["named"], path)


def test_truncated_files_are_refused_at_every_length(tmp_path):
    content = archive.packed(played(MODELS["dense"], 5).state())
    path = tmp_path / "file"
    for length in [*range(0, len(content), 997), *range(len(content) - 120, len(content))]:
        path.write_bytes(content[:length])
        message = refusal(MODELS["dense"], path)
        assert ("truncated or damaged" in message) == (length > 50)


def test_bytes_behind_the_end_are_refused(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(archive.packed(played(MODELS["dense"], 5).state()) + b"\n")
    assert "truncated or damaged" in refusal(MODELS["dense"], path)


def test_later_files_are_refused_and_told_from_damaged_ones(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(resealed(archive.packed(played(MODELS["dense"], 5).state()), schema=2))
    assert "the file has schema 2 and this version of belated reads schema 1" in refusal(MODELS["dense"], path)
    path.write_bytes(archive.packed(played(MODELS["dense"], 5).state() | {"schema": 2}))
    assert "its state has schema 2" in refusal(MODELS["dense"], path)


def test_archives_that_somebody_has_made_are_refused(tmp_path):
    path, state = tmp_path / "file", played(MODELS["dense"], 5).state()
    content = archive.packed(state)
    middle = len(content) // 2
    for made, reason in [
        (archive.packed(state | {"memory": state["memory"] + 1.0}), "does not have its digest"),
        (archive.packed({name: value for name, value in state.items() if name != "memory"}), "state has no 'memory'"),
        (archive.packed(state | {"more": np.zeros(1)}), "'more'"),
        (resealed(content[: middle - 9] + b"something" + content[middle:]), "another program"),
        (resealed(pickled(content)), "another program"),
    ]:
        path.write_bytes(made)
        assert reason in refusal(MODELS["dense"], path)


def pickled(content: bytes) -> bytes:
    """The archive with an array more, which only pickle can read; its comment has the length of a seal."""
    raw, array = io.BytesIO(content), io.BytesIO()
    np.lib.format.write_array(array, np.array([{}], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(raw, "a") as file:
        file.writestr("more.npy", array.getvalue())
    return raw.getvalue()


CONTENTS = {name: archive.packed(played(model, 12).state()) for name, model in MODELS.items()}


@settings(max_examples=300)
@given(st.sampled_from(list(MODELS)), st.integers(0, 10**9), st.integers(1, 255))
def test_a_changed_byte_is_refused_wherever_it_is(name, place, flip):
    content = bytearray(CONTENTS[name])
    content[place % len(content)] ^= flip
    with pytest.raises(bl.errors.StateMismatch):
        archive.unpacked(bytes(content))


def test_each_byte_of_a_file_counts():
    """All of them, one after the other."""
    content = bytearray(archive.packed(MODELS["sparse"].start().state()))
    for place in range(len(content)):
        content[place] ^= 1 << (place % 8)
        with pytest.raises(bl.errors.StateMismatch):
            archive.unpacked(bytes(content))
        content[place] ^= 1 << (place % 8)
    assert archive.unpacked(bytes(content))


def test_without_the_digest_changed_bytes_would_get_through(monkeypatch):
    """The broken copy: zip's own checksums leave some bytes uncovered."""
    fixed = archive._digest(b"")
    monkeypatch.setattr(archive, "_digest", lambda body: fixed)
    content = archive.packed(MODELS["sparse"].start().state())

    def gets_through(place):
        changed = bytearray(content)
        changed[place] ^= 1
        try:
            archive.unpacked(bytes(changed))
        except bl.errors.StateMismatch:
            return False
        return True

    assert any(map(gets_through, range(0, len(content), 3)))  # the first will do


@pytest.mark.parametrize("path", ["", 3, None, "a\0b", b"bytes", "\ud800", "/"])
def test_what_is_no_path_is_refused(path):
    for call in (lambda: bl.save(MODELS["dense"].start(), path), lambda: bl.load(MODELS["dense"], path)):
        with pytest.raises(bl.errors.InvalidArgument, match=r"`(save|load)\(path=.*must be the path of a file"):
            call()


def test_what_is_no_predictor_or_model_is_refused(tmp_path):
    with pytest.raises(bl.errors.InvalidArgument, match=r"`save\(predictor=.*must be a predictor"):
        bl.save(MODELS["dense"], tmp_path / "run.npz")
    with pytest.raises(bl.errors.InvalidArgument, match=r"`load\(model=.*must be a model"):
        bl.load(MODELS["dense"].start(), tmp_path / "run.npz")


def test_what_the_system_refuses_is_told_as_it_tells_it(tmp_path):
    with pytest.raises(FileNotFoundError):
        bl.load(MODELS["dense"], tmp_path / "none.npz")
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        bl.save(MODELS["dense"].start(), tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


# --- writers that are stopped ---

WRITER = """
import os, sys, time
from pathlib import Path
import belated as bl
from belated.keeping import predictors
from belated.output import files

path, stop_at = Path(sys.argv[1]), sys.argv[2]
owner = {"fsync": os, "replace": Path, "unlink": Path}.get(stop_at)
predictor = bl.models.logistic(bl.models.Named(8, categorical=["hour"])).start()
for number in range(50):
    predictor.predict({"page": str(number)}, number)

def stopping(*arguments, **options):
    print("here", flush=True)
    time.sleep(60)

def in_the_middle(path, content):
    with path.open("wb") as file:
        file.write(content[: len(content) // 2])
        file.flush()
        stopping()

if owner is not None:
    setattr(owner, stop_at, stopping)
elif stop_at == "middle":
    files._write = in_the_middle
elif stop_at == "mutant":
    predictors.place = lambda folder, contents: [
        in_the_middle(folder / name, content) for name, content in contents.items()
    ]
bl.save(predictor, path)
print("done", flush=True)
"""


def killed(path: Path, stop_at: str) -> str:
    """Let another process save into a file, and kill it where it stands still; what it has said."""
    command = [sys.executable, "-c", WRITER, str(path), stop_at]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline().strip()
        process.kill()
    return said


@pytest.mark.parametrize("stop_at", ["middle", "fsync", "replace"])
def test_a_writer_that_is_killed_leaves_the_old_file_whole(stop_at, tmp_path):
    path, predictor = tmp_path / "run.npz", played(MODELS["named"])
    bl.save(predictor, path)
    assert killed(path, stop_at) == "here"
    assert as_bytes(bl.load(MODELS["named"], path).state()) == as_bytes(predictor.state())
    bl.save(predictor, path)  # what the other has left is in nobody's way


def test_the_old_file_is_never_taken_away_first(tmp_path):
    """It would be gone if its writer were killed then."""
    bl.save(played(MODELS["named"]), tmp_path / "run.npz")
    assert killed(tmp_path / "run.npz", "unlink") == "done"
    assert len(bl.load(MODELS["named"], tmp_path / "run.npz").waiting) == 50


def test_a_mutant_that_writes_in_place_is_noticed(tmp_path):
    bl.save(played(MODELS["named"]), tmp_path / "run.npz")
    assert killed(tmp_path / "run.npz", "mutant") == "here"
    assert "truncated or damaged" in refusal(MODELS["named"], tmp_path / "run.npz")


def test_a_full_disk_leaves_the_old_file_whole(tmp_path):
    """Files of this process may have 2000 bytes at the most, which the system enforces as a full disk would."""
    path, predictor = tmp_path / "run.npz", played(MODELS["named"])
    bl.save(predictor, path)

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    code = WRITER.replace("import os, sys, time", "import os, sys, time\nsys.dont_write_bytecode = True")
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), "nowhere"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=little_room,
    )
    assert done.returncode == 1
    assert re.search(r"^OSError: \[Errno \d+\] File too large", done.stderr, flags=re.MULTILINE), done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["run.npz"]
    assert as_bytes(bl.load(MODELS["named"], path).state()) == as_bytes(predictor.state())


def test_who_has_the_old_file_open_reads_it_to_its_end(tmp_path):
    bl.save(played(MODELS["named"]), tmp_path / "run.npz")
    with (tmp_path / "run.npz").open("rb") as file:
        first = file.read(100)
        bl.save(played(MODELS["named"], 3), tmp_path / "run.npz")
        assert archive.unpacked(first + file.read())
    assert os.listdir(tmp_path) == ["run.npz"]  # noqa: PTH208  # only names
