"""The tables of the benchmark that OpenML has, and what they must look like."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """What is expected of a table; `content` is its `Dataset.content_checksum`."""

    openml: int
    spelt_kinds: str  # a letter for each column: numeric, categorical, binary
    classes: dict[str, int]
    atoms: int
    missing: int
    content: str

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each column."""
        spelt = {"n": "numeric", "c": "categorical", "b": "binary"}
        return tuple(spelt[letter] for letter in self.spelt_kinds)


CATALOGUE = {
    "adult": Entry(
        1590,
        "ncncncccccnnnc",
        {"<=50K": 37155, ">50K": 11687},
        105,
        6465,
        "6a953f96033a168d4a412120cf37a698fb82a7272c377e1728ed598b179103d6",
    ),
    "breast-cancer-wisconsin": Entry(
        15,
        "n" * 9,
        {"benign": 458, "malignant": 241},
        9,
        16,
        "8fdfd7139fb31aef182c24c74084ab9b4951313d59c04831f453f1656fbd6e74",
    ),
    "car": Entry(
        21,
        "c" * 6,
        {"acc": 384, "good": 69, "unacc": 1210, "vgood": 65},
        21,
        0,
        "23d67383d421af5a573c74a5da5bb25e6532eca7fd03dff802ab7f555233e351",
    ),
    "credit-approval": Entry(
        29,
        "cnnccccnccnccnn",
        {"+": 307, "-": 383},
        46,
        67,
        "2923af459dfecfaae2932bc73ff0b2ba8f5b2b61b59c1323ff67b949d88477c3",
    ),
    "diabetes": Entry(
        37,
        "n" * 8,
        {"tested_negative": 500, "tested_positive": 268},
        8,
        0,
        "113ff347ef3b60e2eb735cb437235a2644c1d40114785afa84bf75f4461fa36a",
    ),
    "german-credit": Entry(
        31,
        "cnccnccnccncnccncncc",
        {"bad": 300, "good": 700},
        61,
        0,
        "5c25d88e8eaf32975a706c98e5c0e34fc754540c9ecb0d9679118899e1f3fd42",
    ),
    "hepatitis": Entry(
        55,
        "nccccccccccccnnnnnc",
        {"DIE": 32, "LIVE": 123},
        32,
        167,
        "7597c1f590106be99aa0001cbddd567d532d9710143cda0f42225495010ca889",
    ),
    "ionosphere": Entry(
        59,
        "b" + "n" * 33,
        {"bad": 126, "good": 225},
        34,
        0,
        "26499246699498dc0dfb1174640c86b329e76e1941ea0e8dbab67b81e0bb770b",
    ),
    "kr-vs-kp": Entry(
        3,
        "c" * 36,
        {"nowin": 1527, "won": 1669},
        73,
        0,
        "76e0f8d2c4392955793da841e5e59e313dd20c6235071036e3d5132292ac76cb",
    ),
    "mushroom": Entry(
        24,
        "c" * 22,
        {"edible": 4208, "poisonous": 3916},
        116,
        2480,
        "fc46ae5ee3a61b6c4a7a3d2115b265e08629ec2cb4d373d8fe410fa9ce2cc3d5",
    ),
    "nursery": Entry(
        26,
        "c" * 8,
        {
            "not_recom": 4320,
            "priority": 4266,
            "recommend": 2,
            "spec_prior": 4044,
            "very_recom": 328,
        },
        27,
        0,
        "6dacd67e6929daa16731bd3d95f08f5fc7287e5305289afee05d4f9ab0b65564",
    ),
    "spambase": Entry(
        44,
        "n" * 57,
        {"non-spam": 2788, "spam": 1813},
        57,
        0,
        "cafd410562f3415cf17941c7accc62f4f9f23fae9e6dc51633d7024372138e9d",
    ),
    "vote": Entry(
        56,
        "c" * 16,
        {"democrat": 267, "republican": 168},
        32,
        392,
        "87a42ec7007b7169baf0ed47945d678fe1add78aaf13ae7139b5e77b62a3e049",
    ),
}
