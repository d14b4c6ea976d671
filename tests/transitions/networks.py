"""Boolean networks from the literature, from their published definitions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

State = Mapping[str, int]


@dataclass(frozen=True)
class Network:
    """When each variable is true next."""

    rules: Mapping[str, Callable[[State], bool | int]]

    def step(self, state: State) -> dict[str, int]:
        return {name: int(bool(rule(state))) for name, rule in self.rules.items()}

    def states(self) -> list[dict[str, int]]:
        """Every state there is."""
        names = list(self.rules)
        return [dict(zip(names, bits, strict=True)) for bits in product((0, 1), repeat=len(names))]


def threshold(
    edges: Mapping[str, Mapping[str, int]], levels: Mapping[str, float] | None = None
) -> Network:
    """True where the weighted sum is above a level (0), false below, unchanged at it."""

    def rule(name: str) -> Callable[[State], bool | int]:
        level = (levels or {}).get(name, 0.0)

        def after(state: State) -> bool | int:
            total = sum(weight * state[source] for source, weight in edges[name].items())
            return state[name] if total == level else total > level

        return after

    return Network({name: rule(name) for name in edges})


# Inoue, Ribeiro, Sakama (2014), Learning from interpretation transition, their first example.
INOUE = Network(
    {
        "p": lambda s: s["q"],
        "q": lambda s: s["p"] and s["r"],
        "r": lambda s: not s["p"],
    }
)

# Elowitz, Leibler (2000), three genes each of which represses the next.
REPRESSILATOR = Network(
    {
        "lacI": lambda s: not s["cI"],
        "tetR": lambda s: not s["lacI"],
        "cI": lambda s: not s["tetR"],
    }
)

# Faure, Naldi, Chaouiya, Thieffry (2006), the cell cycle of mammals.
MAMMALIAN = Network(
    {
        "CycD": lambda s: s["CycD"],
        "Rb": lambda s: not (s["CycD"] or s["CycB"]) and (s["p27"] or not (s["CycE"] or s["CycA"])),
        "E2F": lambda s: not (s["Rb"] or s["CycB"]) and (s["p27"] or not s["CycA"]),
        "CycE": lambda s: s["E2F"] and not s["Rb"],
        "CycA": lambda s: (
            (s["E2F"] or s["CycA"]) and not (s["Rb"] or s["Cdc20"] or (s["Cdh1"] and s["UbcH10"]))
        ),
        "p27": lambda s: (
            not (s["CycD"] or s["CycB"])
            and (not (s["CycE"] or s["CycA"]) or (s["p27"] and not (s["CycE"] and s["CycA"])))
        ),
        "Cdc20": lambda s: s["CycB"],
        "Cdh1": lambda s: s["Cdc20"] or (not s["CycB"] and (s["p27"] or not s["CycA"])),
        "UbcH10": lambda s: (
            not s["Cdh1"] or (s["UbcH10"] and (s["Cdc20"] or s["CycA"] or s["CycB"]))
        ),
        "CycB": lambda s: not (s["Cdc20"] or s["Cdh1"]),
    }
)

# Davidich, Bornholdt (2008), the cell cycle of fission yeast; the star marks the active complex.
FISSION_YEAST = threshold(
    {
        "Start": {"Start": -1},
        "SK": {"Start": 1, "SK": -1},
        "Ste9": {"SK": -1, "Cdc2/Cdc13": -1, "PP": 1, "Cdc2/Cdc13*": -1},
        "Cdc2/Cdc13": {"Ste9": -1, "Rum1": -1, "Slp1": -1},
        "Rum1": {"SK": -1, "Cdc2/Cdc13": -1, "PP": 1, "Cdc2/Cdc13*": -1},
        "PP": {"Slp1": 1, "PP": -1},
        "Cdc25": {"Cdc2/Cdc13": 1, "PP": -1},
        "Slp1": {"Cdc2/Cdc13*": 1, "Slp1": -1},
        "Wee1/Mik1": {"Cdc2/Cdc13": -1, "PP": 1},
        "Cdc2/Cdc13*": {"Ste9": -1, "Rum1": -1, "Slp1": -1, "Cdc25": 1, "Wee1/Mik1": -1},
    },
    {"Cdc2/Cdc13": -0.5, "Cdc2/Cdc13*": 0.5},
)

# Made up: a variable that is always true, one that never is, and a parity.
CONSTANTS = Network(
    {
        "on": lambda s: 1,
        "off": lambda s: 0,
        "same": lambda s: s["same"],
        "odd": lambda s: s["on"] ^ s["off"] ^ s["same"],
    }
)

NETWORKS = {
    "Inoue": INOUE,
    "repressilator": REPRESSILATOR,
    "mammalian": MAMMALIAN,
    "fission yeast": FISSION_YEAST,
    "constants": CONSTANTS,
}
