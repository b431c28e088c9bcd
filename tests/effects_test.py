"""Computes the effects between strategies again, from rounds.csv alone, and the intervals that tables, summary.json and the report show.

Nothing here comes from the program but its books and its answers. Student's distribution comes from mpmath's incomplete beta
function, and Holm's correction from its steps: hypotheses are rejected in rising order of p, until one is not.
"""
import html
import itertools
import json
import math
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import mpmath

from claims_test import Run, student
from program import airlot, rows_of, write_small_data

STRATEGIES = ["probabilistic", "deterministic", "uniform", "equally-weighted"]
SEEDS = range(1, 6)
TARGETS = (0.3, 0.6, 0.999)


def beyond(t, degrees):
    """The probability of t or more."""
    both = mpmath.betainc(degrees / 2, 0.5, 0, degrees / (degrees + t * t), regularized=True)
    return both / 2 if t > 0 else 1 - both / 2


def moments(values):
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def side(values):
    """The probability of such a mean or a larger one; 1 where a bound is not known, None where nobody can tell."""
    if not all(map(math.isfinite, values)):
        return 1
    mean, deviation = moments(values)
    if deviation <= 1e-9 * abs(mean):
        return 1 if mean == 0 else None
    return beyond(mean / deviation * math.sqrt(len(values)), len(values) - 1)


def effect(lower, upper):
    """Estimate's bounds, interval's ends (None: not known) and p value of differences between bounds."""
    def known(values):
        return moments(values) if all(map(math.isfinite, values)) else None
    low, high = known(lower), known(upper)
    half = student(len(lower) - 1) / math.sqrt(len(lower))
    above, below = side(lower), side([-value for value in upper])
    return (low and low[0], high and high[0], low and low[0] - half * low[1], high and high[0] + half * high[1],
            None if above is None or below is None else float(min(1, 2 * min(above, below))))


def is_rejected(p_values, i, alpha):
    """Says whether Holm's procedure rejects the i-th hypothesis at a level."""
    left = len(p_values)
    for j in sorted(range(len(p_values)), key=lambda k: p_values[k]):
        if p_values[j] > alpha / left:
            return False
        if j == i:
            return True
        left -= 1
    raise AssertionError("it is one of them")


class Effects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.top = Path(scratch.name)
        cls.folder = cls.top / "runs"
        keys = {"rounds": 40, "evaluate_every": 2, "data.dataset": write_small_data(cls.top / "data"), "fleet.devices": 30,
                "data.minimum_samples": 2, "model.name": "mlp", "learning.batch": 8, "round.time_limit_s": 2,
                "targets": list(TARGETS)}
        words = [part for key, value in keys.items() for part in ("--set", f"{key}={value}")]
        result = airlot("compare", "paper-highly-biased", *words, "--strategies", ",".join(STRATEGIES), "--seeds", len(SEEDS),
                        "-o", cls.folder, "--quiet")
        assert result.returncode == 0, result.stderr
        cls.printed = result.stdout
        cls.runs = {name: [Run(cls.folder / name / f"seed-{seed}" / "rounds.csv") for seed in SEEDS] for name in STRATEGIES}
        cls.effects = json.loads(cls.done("report", cls.folder, "--effects", "--json"))["scenarios"][0]["effects"]

    @staticmethod
    def done(*arguments):
        result = airlot(*arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def near(self, ours, theirs, text, tolerance=1e-9):
        if ours is None or theirs is None:
            self.assertEqual(ours, theirs, text)
        else:
            self.assertTrue(math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance), f"{text}: {ours} {theirs}")

    def differences(self, first, second, metric, target):
        lower, upper, missed = [], [], 0
        for a, b in zip(self.runs[first], self.runs[second]):
            if metric == "final_accuracy":
                lower.append(100 * (b.evaluations[-1][1] - a.evaluations[-1][1]))
                upper.append(lower[-1])
                continue
            c = ("time_s", "energy_j").index(metric)
            x, y = a.first(target), b.first(target)
            ratio = math.log((y or b.end)[c]) - math.log((x or a.end)[c])
            lower.append(ratio if x else -math.inf)
            upper.append(ratio if y else math.inf)
            missed += not (x and y)
        return lower, upper, missed

    def tables(self):
        """The metrics and targets that have a table: those that somebody reached."""
        for target in TARGETS:
            if any(run.first(target) for own in self.runs.values() for run in own):
                yield from (("time_s", target), ("energy_j", target))
        yield "final_accuracy", None

    def test_effects_are_those_of_the_books(self):
        wanted = [(metric, target, *pair) for metric, target in self.tables() for pair in itertools.combinations(STRATEGIES, 2)]
        self.assertEqual([(one["metric"], one["target"], one["first"], one["second"]) for one in self.effects], wanted)
        self.assertGreater(len(wanted), 3 * 6)  # A target was reached, at least.
        missed_some = 0
        for one in self.effects:
            lower, upper, missed = self.differences(one["first"], one["second"], one["metric"], one["target"])
            at_least, at_most, low, high, p = effect(lower, upper)
            for name, value in (("at_least", at_least), ("at_most", at_most), ("low", low), ("high", high)):
                shown = value if value is None or one["metric"] == "final_accuracy" else math.exp(value)
                self.near(one[name], shown, (one, name))
            self.assertEqual(one["estimate"], one["at_least"] if one["at_least"] == one["at_most"] else None)
            self.near(one["p"], p, one)
            self.assertEqual((one["pairs"], one["missed"]), (len(SEEDS), missed))
            missed_some += 0 < missed
        self.assertGreater(missed_some, 0)  # The runs test bounds.

    def test_holm_rejects_step_by_step(self):
        for metric, target in self.tables():
            table = [one for one in self.effects if (one["metric"], one["target"]) == (metric, target)]
            p_values = [1 if one["p"] is None else one["p"] for one in table]
            for i, one in enumerate(table):
                adjusted = one["p_holm"]
                if one["p"] is None:
                    self.assertIsNone(adjusted)
                    continue
                self.assertGreaterEqual(adjusted, one["p"])
                if adjusted < 1:
                    self.assertTrue(is_rejected(p_values, i, adjusted * (1 + 1e-9)), one)
                if adjusted > 0:
                    self.assertFalse(is_rejected(p_values, i, adjusted * (1 - 1e-9)), one)

    def test_csv_has_the_same(self):
        self.done("report", self.folder, "--figures", self.top / "figures", "--effects")
        rows = rows_of(self.top / "figures/effects.csv")
        self.assertEqual(len(rows), len(self.effects))
        for row, one in zip(rows, self.effects):
            self.assertEqual(list(row), list(one))
            for name, value in one.items():
                if isinstance(value, float):
                    self.near(float(row[name]), value, (name, row), 1e-5)
                else:
                    self.assertEqual(row[name], "" if value is None else str(value))

    def test_the_terminal_and_the_page_have_a_table_for_each(self):
        before = (self.folder / "report.html").read_bytes()
        text = self.done("report", self.folder, "--effects")
        self.assertEqual((self.folder / "report.html").read_bytes(), before)  # Nothing is written.
        page = html.unescape(before.decode())
        part = page.split('id="s1-effects">Effects between strategies</h3>', 1)[1].split("</section>", 1)[0]
        self.assertEqual(part.count("<table>"), len(list(self.tables())))
        self.assertEqual(part.count("Holm's method over the 6 pairs of strategies"),
                         2 * len(list(self.tables())))  # in a caption, and the name of its region
        for first, second in itertools.combinations(STRATEGIES, 2):
            self.assertEqual(text.count(f" {second} / {first} "), len(list(self.tables())) - 1)
            self.assertIn(f'<th scope="row">{second} / {first}</th>', part)
        self.assertIn("corrected by Holm's method over the 6 pairs of strategies", " ".join(text.split()))

    def test_bold_is_what_the_tests_say(self):
        """A cell is bold where its strategy has the best mean and the corrected test finds every other one worse."""
        page = html.unescape((self.folder / "report.html").read_text())
        caption = page.index("<caption><span>Whole runs")
        table = page[caption:page.index("</table>", caption)]
        cells = dict(re.findall(r'<th scope="row">(?:<svg.*?</svg>)?([\w-]+)</th><td>\d+</td><td>(.*?)</td>', table))
        means = {name: math.fsum(run.evaluations[-1][1] for run in own) / len(own) for name, own in self.runs.items()}
        best = max(means, key=means.get)
        clear = all((one["p_holm"] or 1) < 0.05 for one in self.effects
                    if one["metric"] == "final_accuracy" and best in (one["first"], one["second"]))
        self.assertEqual([name for name in STRATEGIES if "<strong>" in cells[name]], [best] if clear else [])
        self.assertEqual("bold: the best of a column" in table, clear)
        for name, own in self.runs.items():
            mean, deviation = moments([100 * run.evaluations[-1][1] for run in own])
            half = student(len(own) - 1) * deviation / math.sqrt(len(own))
            self.assertIn(f"{mean:.1f} ± {half:.1f} %", cells[name])

    def test_intervals_of_the_summary(self):
        summary = json.loads((self.folder / "summary.json").read_text())
        partly = 0
        for strategy in summary["strategies"]:
            own = self.runs[strategy["strategy"]]
            accuracies = [run.evaluations[-1][1] for run in own]
            self.check_interval(strategy["final_accuracy"], accuracies, most=1)
            self.check_interval(strategy["time_s"], [run.end[0] for run in own])
            for said in strategy["targets"]:
                costs = [run.first(said["target"]) for run in own]
                reached = sum(cost is not None for cost in costs)
                if reached == len(own):
                    self.check_interval(said["time_s"], [cost[0] for cost in costs])
                    self.check_interval(said["energy_j"], [cost[1] for cost in costs])
                    continue
                partly += 1
                self.assertEqual((said["time_s"]["low"], said["energy_j"]["high"]), (None, None))
        self.assertGreater(partly, 0)
        self.assertIn(f"is half of the 95 % interval of the mean over {len(SEEDS)} seeds (Student's t)\n", self.printed)

    def check_interval(self, said, values, most=math.inf):
        """Intervals of shares are cut to [0, 1]; those of times and energies end where they end."""
        mean, deviation = moments(values)
        half = student(len(values) - 1) * deviation / math.sqrt(len(values))
        self.near(said["low"], max(mean - half, 0 if most == 1 else -math.inf), said)
        self.near(said["high"], min(mean + half, most), said)
        self.near(said["sd"], deviation, said)

    def test_runs_that_are_missing_do_not_count(self):
        folder = Path(shutil.copytree(self.folder, self.top / "fewer"))
        shutil.rmtree(folder / "uniform/seed-5")
        result = airlot("report", folder, "--effects", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("uniform, seed 5, is left out: ", result.stderr)
        for one in json.loads(result.stdout)["scenarios"][0]["effects"]:
            self.assertEqual(one["pairs"], 4 if "uniform" in (one["first"], one["second"]) else 5)

    def test_one_seed_has_no_effects(self):
        keys = ("--set", f"data.dataset={self.top / 'data'}", "--set", "rounds=2", "--set", "model.name=mlp", "--set",
                "fleet.devices=20", "--set", "data.minimum_samples=2", "--set", "round.time_limit_s=1", "--quiet")
        folder = self.top / "one"
        printed = self.done("compare", "paper-highly-biased", *keys, "--seeds", 1, "-o", folder)
        self.assertNotIn("95 % interval", printed)
        self.assertIn("No effects: they need two strategies", self.done("report", folder, "--effects"))
        self.assertEqual(json.loads(self.done("report", folder, "--effects", "--json")),
                         {"scenarios": [{"scenario": "paper-highly-biased", "effects": []}]})
        self.done("report", folder, "--figures", self.top / "few")
        self.assertFalse((self.top / "few/effects.csv").exists())
        self.assertNotIn("<strong>", (folder / "report.html").read_text().split("Whole runs", 1)[1].split("</table>")[0])
        missing = airlot("report", self.top / "nothing", "--effects")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("nothing", missing.stderr)


if __name__ == "__main__":
    unittest.main()
