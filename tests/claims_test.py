"""Computes what `reproduce` says of the paper's claims again, from rounds.csv and the paper's tables alone.

Nothing here comes from the program but its books and its answers. The intervals come from mpmath's incomplete beta
function, not from finite sums as the program's do.
"""
import json
import math
import tempfile
import unittest
from pathlib import Path

import mpmath

from program import airlot, rows_of, write_small_data

# Tables I to IV of the paper: seconds and joules to the two targets; None is NA.
TABLES = {
    "paper-highly-biased": ((0.59, 0.80), {
        "probabilistic": ((1307, 27364), (625, 13061)),
        "deterministic": ((31, None), (91, None)),
        "uniform": ((80113, 126747), (77967, 123669)),
        "equally-weighted": ((155, None), (463, None))}),
    "paper-mildly-biased": ((0.70, 0.86), {
        "probabilistic": ((1145, 2834), (591, 1438)),
        "deterministic": ((33, 81), (233, 567)),
        "uniform": ((9502, 29290), (29225, 90348)),
        "equally-weighted": ((146, 400), (426, 1161))}),
}
COSTS = ("time", "energy")


class Run:
    """The books of one run: (seconds, joules, accuracy) of its evaluations and of its end."""

    def __init__(self, path):
        rows = rows_of(path)
        self.evaluations = [((float(row["time_s"]), float(row["energy_j"])), float(row["accuracy"]))
                            for row in rows if row["accuracy"]]
        self.end = (float(rows[-1]["time_s"]), float(rows[-1]["energy_j"]))
        self.devices = sum(int(row["participants"]) for row in rows) / (len(rows) - 1)

    def first(self, target):
        return next((cost for cost, accuracy in self.evaluations if accuracy >= target), None)

    def held(self, target):
        after = [i for i, (_, accuracy) in enumerate(self.evaluations) if accuracy < target]
        start = after[-1] + 1 if after else 0
        return self.evaluations[start][0] if start < len(self.evaluations) else None

    def accuracy_by(self, time_s):
        return [accuracy for cost, accuracy in self.evaluations if cost[0] <= time_s][-1]


def root(falling, low, high):
    """Where a falling function is 0, by bisection to the last digit."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2


def student(degrees):
    """The t with probability 0.975 below it, by the incomplete beta function."""
    def beyond(t):
        return mpmath.betainc(degrees / 2, 0.5, 0, degrees / (degrees + t * t), regularized=True) / 2 - 0.025
    return root(beyond, 1.9, 13)


def beta_quantile(a, b, probability):
    return root(lambda x: probability - mpmath.betainc(a, b, 0, x, regularized=True), 0, 1)


def interval(lower, upper):
    """The ends of a 95 % interval of a mean between bounds; None where an end is not known."""
    n = len(lower)

    def end(values, sign):
        if n < 2 or not all(map(math.isfinite, values)):
            return None
        mean = math.fsum(values) / n
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
        return mean + sign * student(n - 1) * deviation / math.sqrt(n)
    return end(lower, -1), end(upper, 1)


def verdict(low, high, middle=0):
    if low is not None and low > middle:
        return "yes"
    return "no" if high is not None and high < middle else "cannot tell"


def orders(runs, targets, rows):
    """Every pair of every column: text, verdict, low, high, the paper's ratio, pairs, missed."""
    for t, target in enumerate(targets):
        for c, cost in enumerate(COSTS):
            numbers = {name: row[c][t] for name, row in rows.items() if row[c][t] is not None}
            for less in numbers:
                for more in numbers:
                    if numbers[less] >= numbers[more]:
                        continue
                    lower, upper, missed = [], [], 0
                    for small, large in zip(runs[less], runs[more]):
                        a, b = small.first(target), large.first(target)
                        ratio = math.log((b or large.end)[c] / (a or small.end)[c])
                        lower.append(ratio if a else -math.inf)
                        upper.append(ratio if b else math.inf)
                        missed += not (a and b)
                    low, high = interval(lower, upper)
                    yield (f"{cost} to {100 * target:.0f} %: {less} < {more}", verdict(low, high),
                           0 if low is None else math.exp(low), None if high is None else math.exp(high),
                           numbers[more] / numbers[less], len(lower), missed)


def reached(runs, targets, rows):
    for t, target in enumerate(targets):
        for name, row in rows.items():
            n = len(runs[name])
            k = sum(run.first(target) is not None for run in runs[name])
            low = 100 * beta_quantile(k, n - k + 1, 0.025) if k else 0
            high = 100 * beta_quantile(k + 1, n - k, 0.975) if k < n else 100
            found = verdict(low, high, 50)
            if row[0][t] is None:
                found = {"yes": "no", "no": "yes"}.get(found, found)
            word = "reaches" if row[0][t] is not None else "misses"
            yield f"{100 * target:.0f} % in most runs: {name} {word} it", found, low, high, None, n, n - k


def differences(runs, text, first, second, value):
    values = [value(a, b) for a, b in zip(runs[first], runs[second])]
    low, high = interval(values, values)
    return text, low, high, len(values)


def of_text(runs, name):
    """What the paper's text says of accuracies and numbers of devices."""
    def at_end(a, b):
        return 100 * (a.evaluations[-1][1] - b.evaluations[-1][1])

    def in_time(a, b):
        time_s = min(a.end[0], b.end[0])
        return 100 * (a.accuracy_by(time_s) - b.accuracy_by(time_s))
    pairs = ([("probabilistic", "deterministic"), ("probabilistic", "equally-weighted")]
             if name == "paper-highly-biased" else
             [("probabilistic", "equally-weighted"), ("deterministic", "equally-weighted")])
    found = [differences(runs, f"accuracy at the end: {a} > {b}", a, b, at_end) for a, b in pairs]
    if name == "paper-highly-biased":
        found.append(differences(runs, "accuracy in equal time: probabilistic > uniform", "probabilistic", "uniform",
                                 in_time))
    for text, low, high, n in found:
        yield text, verdict(low, high), low, high, None, n, 0
    for other in ("deterministic", "equally-weighted") if name == "paper-highly-biased" else ():
        text, low, high, n = differences(runs, f"devices in a round: probabilistic = {other}", "probabilistic", other,
                                         lambda a, b: b.devices - a.devices)
        same = low is not None and low >= -0.5 and high <= 0.5
        apart = low is not None and (low > 0.5 or high < -0.5)
        yield text, "yes" if same else "no" if apart else "cannot tell", low, high, None, n, 0


class Claims(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        keys = {"rounds": 40, "evaluate_every": 2, "data.dataset": write_small_data(cls.folder / "data"),
                "fleet.devices": 30, "data.minimum_samples": 2, "model.name": "mlp", "learning.batch": 8,
                "round.time_limit_s": 2, "strategy.uniform.devices": "expected"}
        words = [part for key, value in keys.items() for part in ("--set", f"{key}={value}")]
        result = airlot("reproduce", *words, "-o", cls.folder / "runs", "--quiet", "--json")
        cls.said = json.loads(result.stdout)

    def runs_of(self, scenario):
        folder = self.folder / "runs" / scenario
        return {name: [Run(folder / name / f"seed-{seed}" / "rounds.csv") for seed in range(1, 11)]
                for name in TABLES[scenario][1]}

    def near(self, ours, theirs, text):
        if ours is None or theirs is None:
            self.assertEqual(ours, theirs, text)
        else:
            self.assertTrue(math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9), f"{text}: {ours} {theirs}")

    def test_verdicts_and_intervals(self):
        verdicts = set()
        for name, (targets, rows) in TABLES.items():
            runs = self.runs_of(name)
            ours = [*of_text(runs, name), *reached(runs, targets, rows), *orders(runs, targets, rows)]
            said = {claim["claim"]: claim for claim in self.said["claims"] if claim["scenario"] == name}
            self.assertEqual(sorted(said), sorted(one[0] for one in ours))
            for text, found, low, high, paper, count, missed in ours:
                claim = said[text]
                self.assertEqual(claim["verdict"], found, text)
                self.near(low, claim["low"], text)
                self.near(high, claim["high"], text)
                self.near(paper, claim["paper"], text)
                self.assertEqual((count, missed), (claim["runs"], claim["missed"]), text)
                verdicts.add(found)
        self.assertEqual(verdicts, {"yes", "no", "cannot tell"})  # The runs test all of them.

    def test_times_of_targets_and_the_distance_from_the_paper(self):
        logs, powers, differing, partly = [], [], 0, 0
        for scenario in self.said["scenarios"]:
            targets, rows = TABLES[scenario["scenario"]]
            runs = self.runs_of(scenario["scenario"])
            for strategy in scenario["strategies"]:
                own, row = runs[strategy["strategy"]], rows[strategy["strategy"]]
                for t, target in enumerate(targets):
                    said = strategy["targets"][t]
                    for answer, find in ((said, Run.first), (said["held"], Run.held)):
                        costs = [find(run, target) for run in own]
                        count = sum(cost is not None for cost in costs)
                        partly += 0 < count < len(own)
                        self.assertEqual(answer["reached"], count)
                        for c, name in enumerate(("time_s", "energy_j")):
                            mean = math.fsum((cost or run.end)[c] for cost, run in zip(costs, own)) / len(own)
                            self.near(mean if count else None, answer[name]["mean"], name)
                            if answer is said and row[c][t] is not None:
                                logs.append(abs(math.log(mean / row[c][t])))
                            if answer is said:
                                differing += (2 * count >= len(own)) != (row[c][t] is not None)
                watts = math.fsum(run.end[1] for run in own) / math.fsum(run.end[0] for run in own)
                theirs = [joules / seconds for seconds, joules in zip(*row) if seconds is not None]
                powers.append(abs(math.log(watts) - math.fsum(map(math.log, theirs)) / len(theirs)))
        self.assertGreater(partly, 0)  # Some targets are reached in some runs only.
        distance = self.said["distance"]
        self.assertEqual((distance["cells"], distance["all_cells"]), (28, 32))
        self.assertEqual(distance["differing_cells"], differing)
        self.near(math.fsum(logs) / len(logs), distance["mean_abs_log"], "distance")
        self.near(math.fsum(powers) / len(powers), distance["power_mean_abs_log"], "power")


if __name__ == "__main__":
    unittest.main()
