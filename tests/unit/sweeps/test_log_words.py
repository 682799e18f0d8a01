"""Sweeps over a log in words: what is refused, where it stands and in which words, before anything runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import belated as bl
from belated import cli
from belated.comparisons.document import Document, parsed
from belated.core.errors import InvalidArgument
from belated.logs import flights_log
from belated.sweeps.planning import plan_of_sweep
from support.late_logs import COLUMNS, late_rows, write_csv
from support.sweeping import SETTING, on_a_log

ONE = {"default": {"name": "logistic", "bits": 6}}
FIXED = {"log.stretch": [1]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some files: a log, and others that are none."""
    found = tmp_path_factory.mktemp("logs")
    write_csv(found / "log.csv", late_rows(30))
    (found / "empty.csv").write_text("at,word,known,y\n")
    (found / "void.csv").write_text("")
    (found / "nan.csv").write_text("at,word,known,y\n1,a,2,nan\n2,b,3,1\n")
    (found / "folder.csv").mkdir()
    return found


def log(**changes: Any) -> dict[str, Any]:
    given = {"source": "log.csv", **COLUMNS, **changes}
    return {key: value for key, value in given.items() if value is not None}


def of(**arguments: Any) -> dict[str, Any]:
    """The only model, with these arguments."""
    return {"models": {"default": {"name": "logistic", **arguments}}, "grid": FIXED}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"problem": "pricing"}, "problem: a sweep over a log has no `problem`: the log has the questions"),
    ({"delays": "fixed"}, "delays: a sweep over a log has no `delays`: the log has its own delays, which log.stretch"),
    ({"learners": {}}, "learners: a sweep over a log has no `learners`: models go through a log; they stand in tables"),
    ({"rounds": 5}, "rounds: a sweep over a log has no `rounds`: "),
    ({"seeds": 5}, "seeds: a sweep over a log has no `seeds`: nothing is drawn at random"),
    ({"initial": 0.5}, "initial: a sweep over a log has no `initial`: "),
    ({"measure": "loss"}, "measure: a sweep over a log has no `measure`: models are judged by their mean loss"),
    ({"domain": "ball"}, "domain: a sweep over a log has no `domain`: "),
    ({"modles": {}}, "modles: a sweep has no such key; did you mean models?"),
    ({"title": 3}, "title: must be a text, not 3"),
    ({"log": "flights"}, "log: must be a table with `source`, a file or the word flights, not 'flights'"),
    ({"log": {}}, "log: `source` is missing: a file, or the word flights"),
    ({"log": log(source=[{"at": 1}])}, "log.source: must be the path of a file, not [{'at': 1}]"),
    ({"log": log(answers=3)}, "log.answers: must be the path of a file, not 3"),
    ({"log": {"source": "flight"}}, "log.source: there is no log 'flight'; did you mean flights?"),
    ({"log": {"source": "flights", "zone": "UTC"}}, "takes the arguments features, label and deadline only"),
    ({"log": log(source="clicks")}, "log.source: `read_log(source='clicks')`: must be a file whose name ends in .csv"),
    ({"log": log(source="lag.csv")}, "log.source: cannot read 'lag.csv': No such file or directory"),
    ({"log": log(source="folder.csv")}, "log.source: cannot read 'folder.csv': Is a directory"),
    ({"log": log(source="a\0.csv")}, "log: cannot be made: embedded null byte"),
    ({"log": log(key="at", answers="told.csv")}, "log.answers: cannot read 'told.csv': No such file or directory"),
    ({"log": log(source="void.csv")}, "must begin with the names of its columns, and is empty"),
    ({"log": log(source="empty.csv")}, "log.source: must have questions, and has none"),
    ({"log": log(source="nan.csv")}, "log: `read_log('nan.csv')`: line 2, column 'y': 'nan' must be 0 or 1"),
    ({"log": log(decidedat="at")}, "log.decidedat: a log has no such key; did you mean decided_at?"),
    (
        {"log": log(decided_at="att")},
        "log.decided_at: `read_log(decided_at='att')`: must be a column of log.csv, which",
    ),
    ({"log": log(label=None)}, "log: `read_log(label=None)`: must be the name of a column"),
    ({"log": log(stretch=-1)}, "log.stretch: must be a number from 0 to 1e+06, not -1"),
    ({"log": log(stretch=True)}, "log.stretch: must be a number from 0 to 1e+06, not True"),
    ({"log": log(types={"x": "str"})}, "log.types.x: must be one of text, number, not 'str'"),
    ({"log": log(types=3)}, "log.types: `read_log(types=3)`: must be a mapping"),
    ({"models": {}, "grid": FIXED}, "models: must be tables, one or more, such as [models.logistic], not {}"),
    ({"models": {"a\nb": "logistic"}, "grid": FIXED}, 'models."a\\nb": must have a name that can be printed'),
    ({"models": {"a": 3}, "grid": FIXED}, "models.a: must be a name or a table with a name, not 3"),
    ({"models": {"a": {}}, "grid": FIXED}, "models.a: there is no 'a' here; there are logistic, poisson, squared"),
    (of(name="logistik"), "models.default.name: there is no 'logistik' here; did you mean logistic?"),
    (of(bit=3), "models.default.bit: logistic has no such key; did you mean bits?"),
    (of(bits=30), "models.default.bits: `Named(bits=30)`: must be <= 24"),
    (of(step="adagra"), "models.default.step: there is no 'adagra' here; did you mean adagrad?"),
    (of(step={"name": "adagrad", "scal": 1}), "models.default.step.scal: adagrad has no such key; did you mean scale?"),
    (of(step={"name": "adagrad", "scale": -1}), "models.default.step.scale: `adagrad(scale=-1)`: must be > 0"),
    (of(step=3), "models.default.step: `logistic(step=3)`: must be a step for models"),
    (of(features={"name": "dense", "dim": 2}), "models.default.features: must be named: the features of a log are its"),
    (of(features={"name": "named", "crosses": ["word", "wurd"]}), "features.crosses: 'wurd' is no feature of this log"),
    (of(features={"name": "named", "categorical": ["y"]}), "models.default.features.categorical: 'y' is no feature of"),
    ({"models": {**ONE, "b": "squared"}, "grid": FIXED}, "models.b: must have the loss of the other models, log-loss"),
    (
        {"models": {**ONE, "b": {"name": "logistic", "labels": "-1/1"}}, "grid": FIXED},
        "models.b.labels: must have the kind of labels of the other models, 0/1, and has -1/1",
    ),
    (
        {"models": {**ONE, "b": {"name": "logistic", "assumed": 1}}, "grid": FIXED},
        "models.b.assumed: must have the assumed",
    ),
    (
        {**of(horizon=5), "grid": {"log.stretch": [1, 2]}},
        "models.default.horizon: must not be given where log.stretch is",
    ),
    ({"grid": {"models.default.bits": [4, 30]}}, 'grid."models.default.bits" = 30: `Named(bits=30)`: must be <= 24'),
    (
        {"grid": {"models.default.name": ["logistic", "squared"]}},
        "\"models.default.name\" = 'squared': must have the loss",
    ),
    ({"grid": {"log.features": [["word"], ["wurd"]]}}, "grid.\"log.features\" = ['wurd']: `read_log(features='wurd')`"),
    ({"grid": {"log.source": ["log.csv", "lag.csv"]}}, "grid.\"log.source\" = 'lag.csv': cannot read 'lag.csv'"),
    ({"grid": {"delays.mean": [1]}}, "a sweep over a log has no 'delays' to vary; the log has its own delays"),
    ({"grid": {"seeds": [1]}}, "a sweep over a log has no 'seeds' to vary; nothing is drawn at random"),
    ({"grid": {"modles.a": [1]}}, "a sweep over a log has no 'modles' to vary; did you mean models?"),
    ({"grid": {"models": [1]}}, "grid.models: must name a model: models.default"),
    ({"grid": {"models.defalt.bits": [1]}}, "there is no model 'defalt'; did you mean default?"),
    ({"grid": {}}, 'grid: must have one path or more, such as "log.stretch"'),
    (
        {**of(step={"name": "mixed", "steps": ["adagrad"]}), "grid": {"models.default.step.steps.0": ["adagrad"]}},
        "must not lead into a list; vary the list as a whole",
    ),
    ({"grid": {f"models.default.x{i}": list(range(20)) for i in range(4)}}, "must have at most 100000 points"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_what_cannot_be_is_refused_before_anything_runs(
    changes: dict[str, Any], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    tables = {"log": log(), "models": ONE, "grid": {"models.default.bits": [4]}, **changes}
    with pytest.raises(InvalidArgument) as error:
        plan_of_sweep(Document("my.toml", "", tables), "my")
    assert message in str(error.value), error.value


def test_models_without_a_log_are_refused() -> None:
    tables = {**SETTING, "models": {"default": "logistic"}, "grid": {"delays.mean": [2]}}
    with pytest.raises(InvalidArgument, match=r"models: a setting has no `models`: models go through a log, which a"):
        plan_of_sweep(Document("my.toml", "", tables), "my")


def test_an_error_names_the_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    log = '[log]\nsource = "log.csv"\ndecided_at = "at"\nlabel = "y"\n'
    text = f'{log}[models.logistic]\n[grid]\n"models.logistic.bitz" = [4]'
    with pytest.raises(InvalidArgument) as error:
        plan_of_sweep(parsed("my.toml", text), "my")
    assert str(error.value) == (
        'my.toml, line 7, grid."models.logistic.bitz" = 4: logistic has no such key; did you mean bits?'
    )


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("logistic", bl.models.logistic()),
        ({"name": "Squared_Hinge", "bits": 5}, bl.models.squared_hinge(bits=5)),
        (
            {"name": "logistic", "step": {"name": "two-speeds", "slow": [0.1, 1.0], "fast": 0}, "horizon": 9.0},
            bl.models.logistic(step=bl.models.two_speeds((0.1, 1.0), fast=0), horizon=9.0),
        ),
        (
            {"name": "logistic", "features": {"name": "named", "bits": 5, "crosses": [["word", "x"]]}},
            bl.models.logistic(bl.models.Named(5, crosses=[("word", "x")])),
        ),
        (
            {"name": "logistic", "step": {"name": "mixed", "steps": ["adagrad", {"name": "ftrl-proximal"}]}},
            bl.models.logistic(step=bl.models.mixed([bl.models.adagrad(), bl.models.ftrl_proximal()])),
        ),
        ({"name": "logistic", "step": "none", "slopes": "decision"}, bl.models.logistic(slopes="decision")),
    ],
)
def test_a_model_in_words_is_the_model_that_python_makes(words: Any, model: Any, folder: Path) -> None:
    tables = on_a_log(folder / "log.csv", models={"mine": words}, grid=FIXED)
    _, (stage,) = plan_of_sweep(Document("my.toml", "", tables), "my")
    assert stage._models == {0: model}  # type: ignore[attr-defined]  # a stage of models has them


def test_types_of_columns_are_named_in_words(folder: Path) -> None:
    source = {"source": str(folder / "log.csv"), **COLUMNS, "types": {"x": "text"}}
    tables = on_a_log(folder / "log.csv", log=source, models=ONE, grid=FIXED)
    _, (stage,) = plan_of_sweep(Document("my.toml", "", tables), "my")
    event = next(stage._source.log.events())  # type: ignore[attr-defined]  # as above
    assert isinstance(event.example["x"], str)


def test_missing_packages_are_told_with_the_words_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "my.toml"
    file.write_text('[log]\nsource = "flights"\n[models.logistic]\n[grid]\n"log.stretch" = [1]\n')
    monkeypatch.setattr(flights_log, "find_spec", lambda name: None)
    flights_log._table.cache_clear()
    assert cli.main(["sweep", str(file), "--out", str(tmp_path / "out")]) == 1
    assert "pip install 'belated[flights]'" in capsys.readouterr().err
    file.write_text(file.read_text().replace("flights", "log.parquet"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert cli.main(["sweep", str(file), "--out", str(tmp_path / "out")]) == 1
    assert "pip install 'belated[parquet]'" in capsys.readouterr().err
