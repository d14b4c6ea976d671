"""Sections on rules: goldens, episodes, and the tables of the data folder."""

import json
import os
import warnings
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from gnri import Episode, RuleClassifier, induce, load_model
from tests.corpus import adapters
from tests.corpus.tasks import episodes, small_episodes

DATA = Path(os.environ.get("GNRI_DATA") or Path(__file__).parents[3] / "shared" / "datasets")
EXPORTS = ("to_text", "to_json", "to_python", "to_prolog", "to_latex")


class SectionSkippedError(Exception):
    """What a section takes is not there."""


def digest(thing: Any) -> str:
    """Return a short digest of text, of bytes, or of anything that JSON can hold."""
    if not isinstance(thing, bytes | str):
        thing = json.dumps(thing, sort_keys=True, default=str)
    data = thing.encode("utf-8", "surrogatepass") if isinstance(thing, str) else thing
    return sha256(data).hexdigest()[:16]


def goldens() -> dict[str, Any]:
    """Return the rules of the twenty tables of the goldens."""
    tasks = episodes(20, seed=1)
    return {name: _by_refine(tasks, name) for name in ("guided", "gnri")}


def many_episodes() -> dict[str, Any]:
    """Return the rules of 500 tables and 300 small ones, of some also by the other model."""
    tasks, small = episodes(500, seed=2), small_episodes(300, seed=3)
    return {
        "guided": _by_refine(tasks, "guided"),
        "gnri": _by_refine(tasks[:100], "gnri"),
        "guided, small": _by_refine(small, "guided"),
        "gnri, small": _by_refine(small[:100], "gnri"),
    }


def _by_refine(tasks: list[Episode], name: str) -> dict[str, list[str]]:
    model = load_model(name)
    ways = {"one pass": False, "refined": True}
    return {
        way: [_said(induce(task, model, refine=refine)) for task in tasks]
        for way, refine in ways.items()
    }


def _said(found: Any) -> str:
    return f"{found.rail}: {found.rule}"


def nineteen() -> dict[str, Any]:
    """Return what is learnt on the first fold of each table, and what is answered on the rest."""
    if not (DATA / "schema.json").is_file():
        raise SectionSkippedError(f"no tables in {DATA}; name their folder with GNRI_DATA")
    return {name: _of_table(*first_fold(name)) for name in table_names()}


def table_names() -> list[str]:
    """Return the names of the tables in the folder."""
    return list(json.loads((DATA / "schema.json").read_text(encoding="utf-8")))


def first_fold(name: str) -> tuple[pd.DataFrame, Any, pd.DataFrame]:
    """Return the training rows of the first of five folds, their labels, and the test rows."""
    described = json.loads((DATA / "schema.json").read_text(encoding="utf-8"))[name]
    frame = pd.read_csv(DATA / described["file"])
    labels = frame.pop(described["target"]).to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class may have fewer rows than there are folds
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        train, test = next(folds.split(frame, labels))
    return frame.iloc[train], labels[train], frame.iloc[test]


def _of_table(train: pd.DataFrame, labels: Any, test: pd.DataFrame) -> dict[str, Any]:
    found = {}
    for way, refine in {"one pass": False, "refined": True}.items():
        learnt = RuleClassifier(refine=refine).fit(train, labels)
        found[way] = {"text": learnt.to_text().split("\n"), **_digests(learnt, test)}
    return found


def _digests(learnt: RuleClassifier, test: pd.DataFrame) -> dict[str, str]:
    scores = np.ascontiguousarray(learnt.predict_proba(test), np.float64)
    said = [adapters.explanation_of(one) for one in learnt.explain(test.iloc[:50])]
    return {
        "predict": digest(learnt.predict(test).tolist()),
        "predict_proba": digest(scores.tobytes()),
        "explain": digest(said),
        "summary": digest(adapters.summary_of(learnt)),
        "to_frame": digest(learnt.to_frame().to_dict("records")),
        "to_sql": digest(learnt.to_sql("rows")),
        **{export: digest(getattr(learnt, export)()) for export in EXPORTS},
    }
