"""RQ3: is it better on real tables, and are its rules small?"""

from statistics import mean

from scipy import stats

from gnri.rules.dnf import SignedDNF
from studies.benchmarks.tables import Rows
from studies.paper.capability_report import means
from studies.paper.claims import LEVEL, Claim, Found, p_value
from studies.paper.lift import lifts_of
from studies.paper.monks_targets import targets_in
from studies.paper.published.rq3 import LEFT_OUT
from studies.paper.rule_quality_report import grouped, rules_in
from studies.paper.statistics import sign_test, wilcoxon
from studies.paper.stress import changes
from studies.paper.study import Results

Rule = SignedDNF | None


def _wins(results: Results) -> Found | None:
    lifts = list(lifts_of(results.rows("capability")).values())
    if not lifts:
        return None
    p = sign_test(lifts)
    wins = sum(lift > 0 for lift in lifts)
    return Found(p < LEVEL, f"above on {wins} of {len(lifts)}, {p_value(p)}")


def _mean_lift(results: Results) -> Found | None:
    lifts = list(lifts_of(results.rows("capability")).values())
    if not lifts:
        return None
    p = wilcoxon(lifts)
    return Found(p < LEVEL, f"{mean(lifts):+.2f} points, {p_value(p)}")


def _eqarch_below(results: Results) -> Found | None:
    found = means(results.rows("capability"))
    names = [name for name, c in found if c == "eqarch" and (name, "nri") in found]
    if not names:
        return None
    lift = mean(found[name, "eqarch"] - found[name, "nri"] for name in names)
    return Found(lift < 0, f"{lift:+.2f} points")


def _grows(results: Results, without: str = "") -> Found | None:
    """Every wider class of tables gains more; the rank correlation says how sure that is."""
    rows = results.rows("capability")
    lifts = {name: lift for name, lift in lifts_of(rows).items() if name != without}
    classes = [r for r in results.rows("lift") if r["without"] == without and r["ours"]]
    if len(classes) < 2:
        return None
    ours = [float(row["ours"]) for row in classes]
    atoms = {row["set"]: int(row["atoms"]) for row in rows}
    ranks = stats.spearmanr(
        [atoms[name] for name in lifts], list(lifts.values()), alternative="greater"
    )
    said = ", ".join(f"{lift:+.2f}" for lift in ours)
    return Found(ours == sorted(ours), f"{said}; Spearman {p_value(float(ranks.pvalue))}")


def _literals(rows: Rows) -> dict[str, float]:
    names = dict.fromkeys(row["set"] for row in rows if row["literals"])
    return {
        name: mean(float(r["literals"]) for r in rows if r["set"] == name and r["literals"])
        for name in names
    }


def _sparsest(results: Results) -> Found | None:
    groups = {name: _literals(rows) for name, rows in grouped(results).items()}
    ours = groups.get("gnri", {})
    others = {name: groups[name] for name in ("cart", "cart-16", "ripper") if name in groups}
    if not ours or not others:
        return None
    tested = {
        name: wilcoxon([sizes[table] - ours[table] for table in sizes if table in ours])
        for name, sizes in others.items()
    }
    said = f"{mean(ours.values()):.1f} literals; " + ", ".join(
        f"{name} {mean(others[name].values()):.1f} ({p_value(p)})" for name, p in tested.items()
    )
    return Found(all(p < LEVEL for p in tested.values()), said)


def _monks_rules(results: Results) -> list[Rule]:
    return [
        rules_in(row["rules"])[0]
        for row in results.rows("capability")
        if (row["set"], row["condition"], row["fold"]) == ("monks-3", "gnri", "0")
        and row["seed"] != "shipped"
    ]


def _monks(results: Results) -> Found | None:
    rules = _monks_rules(results)
    if not rules:
        return None
    right = sum(targets_in("monks-3", rule) > 0 for rule in rules)
    said = f"{right} of {len(rules)} seeds have it, {len(set(rules))} different rules"
    return Found(right == len(rules) and len(set(rules)) == 1, said)


def _steadier(results: Results, transform: str) -> Found | None:
    rows = results.rows("stress")
    if not rows:
        return None
    gains, whole = [], {}
    for name in dict.fromkeys(row["set"] for row in rows):
        here = [row for row in rows if row["set"] == name]
        base, ours = (mean(changes(here, transform, c) or [0.0]) for c in ("nri", "gnri"))
        gains.append(base - ours)
    for condition in ("nri", "gnri"):
        whole[condition] = mean(changes(rows, transform, condition) or [0.0])
    p = wilcoxon(gains)
    said = f"{whole['nri']:.2f} against {whole['gnri']:.2f} points, {p_value(p)} over tables"
    return Found(p < LEVEL, said)


RQ3 = (
    Claim("G-NRI is above the baseline on most tables", "exact sign test over tables", _wins),
    Claim("Its mean accuracy is higher", "paired Wilcoxon over tables", _mean_lift),
    Claim("EqArch alone is below the baseline", "mean over tables", _eqarch_below),
    Claim("The lift grows with the width", "each wider class gains more", _grows),
    Claim(
        f"The same without {LEFT_OUT}, as the paper's table has it",
        "each wider class gains more",
        lambda results: _grows(results, LEFT_OUT),
    ),
    Claim(
        "Its rules are the smallest",
        "literals, paired Wilcoxon over tables against each learner",
        _sparsest,
    ),
    Claim(
        "On monks-3 every seed gives the same rule, a clause of the true one",
        "rules of the first fold",
        _monks,
    ),
    Claim(
        "Reordering the atoms of a table changes it less",
        "paired Wilcoxon over tables",
        lambda results: _steadier(results, "atoms"),
    ),
    Claim(
        "Negating them changes it less",
        "paired Wilcoxon over tables",
        lambda results: _steadier(results, "negations"),
    ),
)
