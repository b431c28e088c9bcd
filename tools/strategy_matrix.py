#!/usr/bin/env python3
"""Prints the matrix of docs/strategies.md from run directories: one table of all strategies for each.

    tools/strategy_matrix.py DIR [--target 0.8] [--beside STRATEGY]
    tools/strategy_matrix.py DIR --targets 0.59,0.8 [--beside STRATEGY]    times and energies alone, to several targets

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

    def cost(self, key):
        return (self.there or self.end)[key]


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


def print_costs(read, targets, beside):
    """Prints the table of several targets."""
    by_target = [read(target) for target in targets]
    head = "".join(f"s to {100 * target:.4g} % | × `{beside}` | J to {100 * target:.4g} % | × `{beside}` | " for target in targets)
    print(f"| strategy | {head}over budget (worst) |")
    print("|---" * (2 + 4 * len(targets)) + "|")
    for name, own in by_target[0].items():
        cells = [cell for runs in by_target for cell in costs_of(runs[name], runs[beside])]
        print("| " + " | ".join([f"`{name}`", *cells, over_text(own)]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--target", type=float, default=0.8)
    parser.add_argument("--targets", type=lambda text: [float(part) for part in text.split(",")])
    parser.add_argument("--beside", default="random")
    options = parser.parse_args()
    manifest = json.loads((options.directory / "manifest.json").read_text())

    def read(target):
        return {name: [Run(options.directory / name / f"seed-{seed}", target) for seed in manifest["seeds"]]
                for name in manifest["strategies"]}

    if options.targets:
        print_costs(read, options.targets, options.beside)
        return
    runs = read(options.target)
    percent = f"{100 * options.target:.4g} %"
    print(f"| strategy | s to {percent} | × `{options.beside}` | J to {percent} | × `{options.beside}` | "
          "accuracy at the end, % | devices a round | fairness | over budget (worst) |")
    print("|---" * 9 + "|")
    for name, own in runs.items():
        print(row_of(name, own, runs[options.beside]))


if __name__ == "__main__":
    main()
