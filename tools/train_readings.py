#!/usr/bin/env python3
"""Trains with readings of what the paper leaves open, and compares them with all cells of its tables.

tools/readings.py finds the readings of fleet, radio and selection whose joules per second come nearest to the paper's. This
program trains with a few of them, at several rates, batches and aggregations, on seeds that docs/reproduction.md does not report,
and prints the distance of each from the paper, (V5): over the 28 cells in which the paper has a number, and over all 32, where NA
stands for the cost of the whole run. A smaller rate gets more rounds, so that each has the same chance, up to --most-rounds: sums, whose
steps are smaller, need a larger rate to have it.

Example:
  tools/train_readings.py build/release/airlot --rates 0.5 --batches 0 --aggregations sum
"""
import argparse
import itertools
import json
import math
import subprocess
import sys
import tempfile

from readings import PAPER, SCENARIOS, STRATEGIES

ROUNDS_TIMES_RATE = {"paper-highly-biased": 40, "paper-mildly-biased": 15}
EVALUATIONS = 40  # of a run
DENSITY = {"radio.noise_dbm_per_hz": -90}
UNIFORM = {"strategy.uniform.devices": "expected", "strategy.uniform.power": "largest"}
READINGS = {
    "1 bit, 10 mW": {**DENSITY, **UNIFORM, "model.bits_per_parameter": 1, "fleet.max_power_w": 0.01,
                     "fleet.cycles_per_sample": "{ uniform = [1e6, 4e6] }"},
    "1 bit, 10 mW, uniform at planned power": {
        **DENSITY, **UNIFORM, "strategy.uniform.power": "planned", "model.bits_per_parameter": 1, "fleet.max_power_w": 0.01,
        "fleet.cycles_per_sample": "{ uniform = [1e6, 4e6] }"},
    "8 bits, 200 mW": {**DENSITY, **UNIFORM, "model.bits_per_parameter": 8, "fleet.max_power_w": 0.2,
                       "fleet.cycles_per_sample": "{ uniform = [2e6, 8e6] }"},
    "16 bits, 1 mW, noise power": {**UNIFORM, "model.bits_per_parameter": 16, "fleet.max_power_w": 0.001,
                                   "fleet.cycles_per_sample": "{ uniform = [1e6, 4e6] }"},
    "32 bits, 200 mW, noise power, M = 30, planned": {},
}


def compare(airlot, scenario, keys, options, folder):
    words = [airlot, "compare", "float32-cell", "--strategies", ",".join(STRATEGIES), "--seeds", str(options.seeds), "--seed",
             str(options.seed), "--jobs", str(options.jobs), "--quiet", "--json", "-o", folder]
    for key, value in {**SCENARIOS[scenario], **keys}.items():
        words += ["--set", f"{key}={value}"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def cells_of(scenario, summary):
    """Yields our mean, the paper's number or None, the cost of the whole run, and how many of the runs got there."""
    for strategy in summary["strategies"]:
        for t, target in enumerate(strategy["targets"]):
            cell = PAPER[scenario, strategy["strategy"]][t]
            for c, name in enumerate(("time_s", "energy_j")):
                whole = strategy[name]["mean"]
                ours = target[name]["mean"] if target["reached"] else whole
                yield ours, cell[c] if cell else None, whole, target["reached"] / strategy["runs"]


def train(airlot, reading, rate, batch, aggregation, options):
    """Returns the distances over the paper's numbers and over all cells, the cells that differ, and a text of all."""
    numbers, every, differing, shown = [], [], 0, []
    for scenario in SCENARIOS:
        effective = rate * (options.sum_share if aggregation == "sum" else 1)
        rounds = min(round(ROUNDS_TIMES_RATE[scenario] / effective), options.most_rounds)
        keys = {**READINGS[reading], "learning.rate": rate, "learning.batch": batch, "learning.aggregation": aggregation,
                "rounds": rounds, "evaluate_every": max(1, round(rounds / EVALUATIONS))}
        with tempfile.TemporaryDirectory() as folder:
            found = compare(airlot, scenario, keys, options, folder)
        summary = found["scenarios"][0] if "scenarios" in found else found
        for ours, theirs, whole, share in cells_of(scenario, summary):
            if not (ours and whole):  # nobody was ever selected, or the start reaches the target
                continue
            distance = abs(math.log(ours / (theirs or whole)))
            every.append(distance)
            if theirs:
                numbers.append(distance)
            differing += (share >= 0.5) != (theirs is not None)
            shown.append(f"{ours:.0f}" if share == 1 else f">{ours:.0f}" if share else "NA")
    return sum(numbers) / len(numbers), sum(every) / len(every), differing, shown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("airlot", help="the program, for example build/release/airlot")
    parser.add_argument("--readings", default="0",
                        help="numbers of readings: " + "; ".join(f"{i} is {name}" for i, name in enumerate(READINGS)))
    parser.add_argument("--rates", default="0.5,0.1,0.05,0.02,0.01")
    parser.add_argument("--batches", default="32,0")
    parser.add_argument("--aggregations", default="average,sum")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=101, help="the first (101)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most-rounds", type=int, default=4000)
    parser.add_argument("--sum-share", type=float, default=0.1,
                        help="share of the data in a round, by which a sum is smaller than an average (0.1)")
    options = parser.parse_args()
    chosen = [list(READINGS)[int(number)] for number in options.readings.split(",")]
    print("| reading | rate | batch | aggregation | 28 cells | all 32 | differing | ours: s and J of "
          f"{', '.join(STRATEGIES)}, by target, then the second scenario |")
    for reading, rate, batch, aggregation in itertools.product(
            chosen, map(float, options.rates.split(",")), map(int, options.batches.split(",")),
            options.aggregations.split(",")):
        numbers, every, differing, shown = train(options.airlot, reading, rate, batch, aggregation, options)
        print(f"| {reading} | {rate:g} | {batch} | {aggregation} | {numbers:.2f} | {every:.2f} | {differing} | "
              f"{' '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
