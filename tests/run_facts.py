"""What the files of runs give, from rounds.csv, devices.csv and manifest.json: costs, accuracies and budgets."""
import json
import math
import tomllib
from pathlib import Path

from claims_test import student
from program import rows_of


class Run:
    """What one run cost, how good it got, and how far its devices went beyond their budgets."""

    def __init__(self, folder):
        rounds, devices = rows_of(folder / "rounds.csv"), rows_of(folder / "devices.csv")
        self.end = (float(rounds[-1]["time_s"]), float(rounds[-1]["energy_j"]))
        self.evaluations = [((float(row["time_s"]), float(row["energy_j"])), float(row["accuracy"]))
                            for row in rounds if row["accuracy"]]
        self.accuracy = self.evaluations[-1][1]
        self.participants = sum(int(row["participants"]) for row in rounds)
        count = int(rounds[-1]["round"])
        self.devices, self.is_known = len(devices), "energy_budget_j" in devices[0]
        if not self.is_known:
            return
        pairs = [(float(row["energy_spent_j"]), count * float(row["energy_budget_j"])) for row in devices]
        over = [(spent, budget) for spent, budget in pairs if spent > budget * (1 + 1e-9)]
        self.over = len(over)
        self.beyond_j = math.fsum(spent - budget for spent, budget in over)
        self.worst = max((spent / budget if budget > 0 else math.inf for spent, budget in pairs if spent > 0), default=0)

    def first(self, target):
        """Seconds and joules until the first evaluation at or above the target, or None."""
        return next((cost for cost, accuracy in self.evaluations if accuracy >= target), None)


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


def smallest(among, key):
    """Those with the smallest key, but for the rounding of means."""
    least = min(map(key, among))
    return [one for one in among if math.isclose(key(one), least, rel_tol=1e-12)]


def preferred(among, key):
    """Of those with the smallest key, the first that keeps every budget, or else the first."""
    equals = smallest(among, key)
    return next((one for one in equals if one.keeps), equals[0])


class Strategy:
    def __init__(self, name, runs):
        self.name, self.runs = name, runs
        self.devices = runs[0].devices
        self.is_known = all(run.is_known for run in runs)
        if self.is_known:
            self.over = mean(run.over for run in runs)
            self.beyond_j = mean(run.beyond_j for run in runs)
            self.worst = max(run.worst for run in runs)
        self.keeps = self.is_known and self.over == 0
        self.breaks = self.is_known and self.over > 0
        self.accuracy = mean(run.accuracy for run in runs)
        self.spent = tuple(mean(run.end[c] for run in runs) for c in (0, 1))

    def reached(self, target):
        return sum(run.first(target) is not None for run in self.runs)

    def costs(self, target):
        """Mean seconds and joules; a run that misses the target counts with the whole of it."""
        return tuple(mean((run.first(target) or run.end)[c] for run in self.runs) for c in (0, 1))


class Facts:
    def __init__(self, folder):
        manifest = json.loads((Path(folder) / "manifest.json").read_text())
        scenario = tomllib.loads(manifest["scenario"])
        self.rounds, self.targets = scenario["rounds"], sorted(scenario["targets"])
        self.strategies = {name: Strategy(name, [Run(Path(folder) / name / f"seed-{seed}") for seed in manifest["seeds"]])
                           for name in manifest["strategies"]}
        books = scenario.get("books", {})
        kinds = (("upload_time", True, "uploads"), ("compute_time", False, "computation"),
                 ("download_time", False, "downloads"))
        times = [word for key, default, word in kinds if books.get(key, default)]
        self.booked = " and ".join(filter(None, (", ".join(times[:-1]), times[-1])))
        self.all = list(self.strategies.values())
        self.keepers = [one for one in self.all if one.keeps]
        self.is_all_known = all(one.is_known for one in self.all)
        reached = [target for target in self.targets if any(one.reached(target) for one in self.all)]
        self.target = reached[-1] if reached else None

    def racers(self, among):
        """Those that reach the target in the largest share of their runs."""
        share = max((one.reached(self.target) / len(one.runs) for one in among), default=0)
        return [one for one in among if share > 0 and one.reached(self.target) / len(one.runs) == share]

    def seldom(self):
        """Those that reach the target in a smaller share, the largest share first."""
        arrived = [one for one in self.all if one.reached(self.target)]
        return sorted((one for one in arrived if one not in self.racers(self.all)),
                      key=lambda one: -one.reached(self.target) / len(one.runs))

    def least(self, among, cost):
        return preferred(among, lambda one: one.costs(self.target)[cost])

    @staticmethod
    def furthest(among):
        return preferred(among, lambda one: -one.accuracy)

    def best(self):
        """The fastest and the thriftiest or, where nobody reaches a target, the one that comes furthest."""
        racers = self.racers(self.all) if self.target is not None else []
        return [self.least(racers, cost) for cost in (0, 1)] if racers else [self.furthest(self.all)]

    def fewest_over(self):
        """All that take the fewest devices over, and the one of them that is named."""
        fewest = smallest(self.all, lambda one: one.over)
        return fewest, preferred(fewest, lambda one: one.worst)

    def is_about_as_fast(self, one, first):
        """Whether the 95 % interval of the mean log ratio, over pairs of runs with the same seed, is known and holds 0."""
        costs = [(a.first(self.target), b.first(self.target)) for a, b in zip(first.runs, one.runs)]
        if len(costs) < 2 or not all(a and b and a[0] > 0 and b[0] > 0 for a, b in costs):
            return False
        ratios = [math.log(b[0]) - math.log(a[0]) for a, b in costs]
        middle = mean(ratios)
        deviation = math.sqrt(math.fsum((ratio - middle) ** 2 for ratio in ratios) / (len(ratios) - 1))
        half = student(len(ratios) - 1) * deviation / math.sqrt(len(ratios))
        return abs(middle) <= half + 1e-9 and one.costs(self.target)[0] < 1.5 * first.costs(self.target)[0]
