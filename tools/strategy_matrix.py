#!/usr/bin/env python3
"""Prints the matrix of docs/strategies.md from run directories: one table of all strategies.

    tools/strategy_matrix.py DIR [--target 0.8] [--beside STRATEGY]
    tools/strategy_matrix.py DIR... --targets 0.59,0.8 [--beside STRATEGY]    times and energies alone, to several targets
    tools/strategy_matrix.py DIR... --targets 0.59,0.8 --keep FILE.csv        and what of each run the table needs

The directories have different seeds; seeds of which not all runs are complete are left out. A file that --keep has written may stand for
the directory that it was made of, so that a table can grow by seeds that are run later, or elsewhere.

Times and energies to the target are means over the seeds, restricted to what was run (docs/verdicts.md, (V1)), and beside each stands
how many times as much it is as that of one strategy, pair by pair of seeds, as a 95 % interval by (V2) and (V3): "?" is an end that the
runs do not tell. Over budget are the devices of a run at its end, (V7) of docs/verdicts.md. Nothing here comes from the program but rounds.csv, devices.csv
and manifest.json.
"""
import argparse
import csv
import json
import math
import pathlib

import mpmath

ROUNDING = 1e-9  # of a budget, (V7)


def student(degrees):
    """Returns the t with probability 0.95 between -t and t."""
    def inside(t):
        return 1 - mpmath.betainc(degrees / 2, 0.5, 0, degrees / (degrees + t * t), regularized=True)
    return float(mpmath.findroot(lambda t: inside(t) - 0.95, 2 + 10 / degrees**2))


def mean(values):
    return math.fsum(values) / len(values)


def half_width(values):
    if len(values) < 2:
        return math.inf
    middle = mean(values)
    deviation = math.sqrt(math.fsum((value - middle)**2 for value in values) / (len(values) - 1))
    return student(len(values) - 1) * deviation / math.sqrt(len(values))


def ratio(spent_j, budget_j):
    if spent_j == 0:
        return 0
    return spent_j / budget_j if budget_j > 0 else math.inf


class Run:
    """A run of a strategy, and how it came to a target."""

    def cost(self, key):
        return (self.there or self.end)[key]


class RunOfFolder(Run):
    def __init__(self, folder, target):
        with open(folder / "rounds.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.rounds = int(rows[-1]["round"])
        self.end = {key: float(rows[-1][key]) for key in ("time_s", "energy_j")}
        evaluated = [row for row in rows if row["accuracy"]]
        self.accuracy = float(evaluated[-1]["accuracy"])
        there = next((row for row in evaluated if float(row["accuracy"]) >= target), None)
        self.there = there and {key: float(there[key]) for key in ("time_s", "energy_j")}
        self.participants = mean([int(row["participants"]) for row in rows[1:]])
        with open(folder / "devices.csv", newline="") as file:
            devices = list(csv.DictReader(file))
        self.devices = len(devices)
        ratios = [ratio(float(row["energy_spent_j"]), self.rounds * float(row["energy_budget_j"])) for row in devices]
        self.over = sum(part > 1 + ROUNDING for part in ratios)
        self.worst = max(ratios)
        counts = [int(row["participations"]) for row in devices]
        squares = sum(count * count for count in counts)
        self.fairness = sum(counts)**2 / (len(counts) * squares) if squares else 0


class KeptRun(Run):
    """A row of a kept file; where the target was not reached, its costs are those of the whole run."""

    def __init__(self, row):
        costs = {key: float(row[key]) for key in ("time_s", "energy_j")}
        self.there = costs if row["reached"] == "yes" else None
        self.end = costs
        self.over = int(row["devices_over_budget"])
        self.worst = float(row["worst_budget_ratio"])


def bounds(first, second, key):
    """Returns between which numbers ln(second/first) lies, (V2)."""
    low = math.log(second.cost(key) / first.cost(key)) if first.there else -math.inf
    high = math.log(second.cost(key) / first.cost(key)) if second.there else math.inf
    return low, high


def interval(firsts, seconds, key):
    pairs = [(first, second) for first, second in zip(firsts, seconds) if first.cost(key) > 0 and second.cost(key) > 0]
    if not pairs:
        return "–"
    lows, highs = zip(*(bounds(first, second, key) for first, second in pairs))
    low = mean(lows) - half_width(lows) if all(map(math.isfinite, lows)) else -math.inf
    high = mean(highs) + half_width(highs) if all(map(math.isfinite, highs)) else math.inf
    return f"{shown(math.exp(low)) if low > -math.inf else '?'} to {shown(math.exp(high)) if high < math.inf else '?'}"


def shown(value):
    if value >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}"


def cost_text(runs, key):
    reached = sum(run.there is not None for run in runs)
    if reached == 0:
        return "–"
    text = shown(mean([run.cost(key) for run in runs]))
    return text if reached == len(runs) else f"≥ {text} ({reached} of {len(runs)})"


def row_of(name, runs, others):
    accuracies = [100 * run.accuracy for run in runs]
    cells = [f"`{name}`", *costs_of(runs, others)]
    cells.append(f"{mean(accuracies):.1f} ± {half_width(accuracies):.1f}")
    cells.append(shown(mean([run.participants for run in runs])))
    cells.append(f"{mean([run.fairness for run in runs]):.2f}")
    cells.append(over_text(runs))
    return "| " + " | ".join(cells) + " |"


def costs_of(runs, others):
    """Returns the cells of time and energy to a target."""
    cells = []
    for key in ("time_s", "energy_j"):
        cells.append(cost_text(runs, key))
        reached = any(run.there for run in runs)
        cells.append("1" if runs is others else interval(others, runs, key) if reached else "–")
    return cells


def over_text(runs):
    over = mean([run.over for run in runs])
    return f"{over:.3g}" + (f" ({shown(max(run.worst for run in runs))})" if over else "")


def runs_of_folder(folder, targets):
    """Returns the runs by strategy, seed and target, of seeds that are complete."""
    manifest = json.loads((folder / "manifest.json").read_text())
    names = manifest["strategies"]
    seeds = [seed for seed in manifest["seeds"] if all((folder / name / f"seed-{seed}" / "devices.csv").exists() and
                                                       (folder / name / f"seed-{seed}" / "rounds.csv").exists() for name in names)]
    return {name: {seed: {target: RunOfFolder(folder / name / f"seed-{seed}", target) for target in targets} for seed in seeds} for name in names}


def runs_of_file(path, targets):
    runs = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            runs.setdefault(row["strategy"], {}).setdefault(int(row["seed"]), {})[float(row["target"])] = KeptRun(row)
    for name, seeds in runs.items():
        for seed, by_target in seeds.items():
            missing = set(targets) - set(by_target)
            if missing:
                raise SystemExit(f"{path}: {name}, seed {seed}: nothing is kept of the targets {sorted(missing)}")
    return runs


def read(places, targets):
    """Returns the runs of all places by strategy, seed and target."""
    all_runs = {}
    for place in places:
        for name, seeds in (runs_of_folder if place.is_dir() else runs_of_file)(place, targets).items():
            twice = all_runs.setdefault(name, {}).keys() & seeds.keys()
            if twice:
                raise SystemExit(f"{place}: {name} has the seeds {sorted(twice)} elsewhere, too")
            all_runs[name].update(seeds)
    if len({tuple(sorted(seeds)) for seeds in all_runs.values()}) > 1:
        raise SystemExit("the strategies have different seeds")
    return {name: dict(sorted(seeds.items())) for name, seeds in all_runs.items()}


def keep(path, runs):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["strategy", "seed", "target", "reached", "time_s", "energy_j", "devices_over_budget", "worst_budget_ratio"])
        for name, seeds in runs.items():
            for seed, by_target in seeds.items():
                for target, run in by_target.items():
                    writer.writerow([name, seed, target, "yes" if run.there else "no", run.cost("time_s"), run.cost("energy_j"), run.over, f"{run.worst:.6g}"])


def print_costs(runs, targets, beside):
    """Prints the table of several targets."""
    head = "".join(f"s to {100 * target:.4g} % | × `{beside}` | J to {100 * target:.4g} % | × `{beside}` | " for target in targets)
    print(f"| strategy | {head}over budget (worst) |")
    print("|---" * (2 + 4 * len(targets)) + "|")
    to = {target: {name: [by_target[target] for by_target in seeds.values()] for name, seeds in runs.items()} for target in targets}
    for name in runs:
        cells = [cell for target in targets for cell in costs_of(to[target][name], to[target][beside])]
        print("| " + " | ".join([f"`{name}`", *cells, over_text(to[targets[0]][name])]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", type=pathlib.Path, nargs="+", metavar="DIR")
    parser.add_argument("--target", type=float, default=0.8)
    parser.add_argument("--targets", type=lambda text: [float(part) for part in text.split(",")])
    parser.add_argument("--beside", default="random")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FILE.csv")
    options = parser.parse_args()
    if options.targets:
        runs = read(options.places, options.targets)
        if options.keep:
            keep(options.keep, runs)
        print_costs(runs, options.targets, options.beside)
        return
    if len(options.places) > 1 or not options.places[0].is_dir() or options.keep:
        parser.error("several places, kept files and --keep need --targets")
    runs = {name: [by_target[options.target] for by_target in seeds.values()] for name, seeds in read(options.places, [options.target]).items()}
    percent = f"{100 * options.target:.4g} %"
    print(f"| strategy | s to {percent} | × `{options.beside}` | J to {percent} | × `{options.beside}` | "
          "accuracy at the end, % | devices a round | fairness | over budget (worst) |")
    print("|---" * 9 + "|")
    for name, own in runs.items():
        print(row_of(name, own, runs[options.beside]))


if __name__ == "__main__":
    main()
