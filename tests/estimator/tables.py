"""Small tables for the classifier."""

import numpy as np
import pandas as pd


def mushrooms(rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Text, numbers, Booleans and missing cells; foul or green is poisonous."""
    rng = np.random.default_rng(seed)
    odor = rng.choice(["foul", "none", "almond"], rows)
    spore = rng.choice(["green", "white", "brown", "black"], rows)
    poisonous = (odor == "foul") | (spore == "green")
    frame = pd.DataFrame(
        {
            "odor": np.where(rng.random(rows) < 0.05, None, odor),
            "spore": pd.Categorical(spore),
            "height": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(8, 2, rows).round(1)),
            "rings": rng.integers(0, 4, rows),
            "bruises": rng.random(rows) < 0.5,
        }
    )
    return frame, pd.Series(np.where(poisonous, "poisonous", "edible"), name="class")


def sizes(rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Three classes, by a number that is missing at times."""
    rng = np.random.default_rng(seed)
    length, noise = rng.normal(size=rows), rng.normal(size=rows)
    label = np.select([length < -0.5, length > 0.5], ["short", "tall"], "middling")
    frame = pd.DataFrame({"length": np.where(rng.random(rows) < 0.1, np.nan, length)})
    return frame.assign(noise=noise), pd.Series(label)
