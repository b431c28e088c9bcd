#!/usr/bin/env python3
"""Compares readings of what the paper leaves open with its tables, without training.

The paper's tables hold a test that needs no learning. A strategy's energy over its time to a target is
its mean energy over its mean time of a round, whatever it learns: joules per second depend on fleet,
plan and selection alone. Ratios of the strategies' times need the numbers of rounds as well; they are
shown for equal numbers of rounds, and so are a hint, no test.

For every combination of the physical readings (bits per parameter, noise, largest power, computation,
budgets) this program lets airlot draw and plan fleets in both scenarios. For every rule of selection it
takes a round's mean energy and mean time from the plan's rows, and prints the readings by their distance
from the paper, the mean of |ln(ours / paper)| over four strategies and two scenarios.

Example:
  tools/readings.py build/release/airlot --fleets 20 --top 25
"""
import argparse
import csv
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

# What the paper says of its scenarios; all else begins with float32-cell, whatever the scenario files have chosen.
SCENARIOS = {"paper-highly-biased": {"data.beta": 0.1, "round.time_limit_s": 0.08, "targets": "[0.59, 0.80]"},
             "paper-mildly-biased": {"data.beta": 0.3, "round.time_limit_s": 0.5, "targets": "[0.70, 0.86]"}}
STRATEGIES = ("probabilistic", "deterministic", "uniform", "equally-weighted")

# Tables I to IV of the paper: seconds and joules to each target; None where it says NA.
PAPER = {
    ("paper-highly-biased", "probabilistic"): ((1307, 625), (27364, 13061)),
    ("paper-highly-biased", "deterministic"): ((31, 91), None),
    ("paper-highly-biased", "uniform"): ((80113, 77967), (126747, 123669)),
    ("paper-highly-biased", "equally-weighted"): ((155, 463), None),
    ("paper-mildly-biased", "probabilistic"): ((1145, 591), (2834, 1438)),
    ("paper-mildly-biased", "deterministic"): ((33, 233), (81, 567)),
    ("paper-mildly-biased", "uniform"): ((9502, 29225), (29290, 90348)),
    ("paper-mildly-biased", "equally-weighted"): ((146, 426), (400, 1161)),
}

# What the paper leaves open, as keys of a scenario. Only values that occur in practice.
PHYSICAL = {
    "bits": {str(bits): {"model.bits_per_parameter": bits} for bits in (1, 8, 16, 32)},
    # "The power spectral density of the Gaussian noise is equal to 1e-12": watts in a device's band, or
    # W/Hz, which is -90 dBm/Hz.
    "noise": {"power": {"radio.noise_w": 1e-12}, "density": {"radio.noise_dbm_per_hz": -90}},
    "power": {"1 mW": {"fleet.max_power_w": 0.001}, "10 mW": {"fleet.max_power_w": 0.01},
              "100 mW": {"fleet.max_power_w": 0.1}, "200 mW": {"fleet.max_power_w": 0.2}},
    # Mean joules per sample at 1e-28 F and 1 to 3 GHz.
    "compute": {"0.009 mJ": {"fleet.cycles_per_sample": "{ uniform = [1e4, 3e4] }"},
                "0.4 mJ": {"fleet.cycles_per_sample": "{ uniform = [5e5, 15e5] }"},
                "1.1 mJ": {"fleet.cycles_per_sample": "{ uniform = [1e6, 4e6] }"},
                "2.2 mJ": {"fleet.cycles_per_sample": "{ uniform = [2e6, 8e6] }"}},
    "budgets": {"log-uniform": {"fleet.energy_budget_j": "{ log_uniform = [1e-3, 100] }"},
                "uniform": {"fleet.energy_budget_j": "{ uniform = [1e-3, 100] }"}},
}
FIXED_DEVICES = (10, 20, 30)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def paper_watts(scenario, strategy):
    """Joules per second: the geometric mean over the targets that were reached."""
    return geometric_mean([cell[1] / cell[0] for cell in PAPER[scenario, strategy] if cell])


def paper_slowness(scenario, strategy):
    """Time over that of probabilistic selection, likewise."""
    cells = zip(PAPER[scenario, strategy], PAPER[scenario, "probabilistic"])
    return geometric_mean([cell[0] / base[0] for cell, base in cells if cell])


class Fleet:
    """The devices of a plan: probability a, upload time t and energy e as planned and at largest power."""

    def __init__(self, airlot, scenario, seed, keys, folder):
        name = os.path.join(folder, f"{os.getpid()}-{abs(hash((scenario, seed, str(keys))))}")
        words = [airlot, "plan", "float32-cell", "--seed", str(seed), "--quiet", "--json",
                 "-o", name + ".plan", "--save-fleet", name + ".fleet"]
        for key, value in {**SCENARIOS[scenario], **keys}.items():
            words += ["--set", f"{key}={value}"]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
        summary = json.loads(done.stdout)
        self.probabilistic = (summary["expected_round_energy_j"], summary["expected_round_time_s"])
        self.expected = summary["expected_participants"]
        with open(name + ".plan") as file:
            plan = list(csv.DictReader(file))
        with open(name + ".fleet") as file:
            fleet = list(csv.DictReader(file))
        os.unlink(name + ".plan")
        os.unlink(name + ".fleet")
        self.a = [float(row["probability"]) for row in plan]
        self.planned = [(float(row["energy_j"]), float(row["upload_s"])) for row in plan]
        self.samples = [float(row["samples"]) for row in fleet]
        self.largest = [self.at_largest_power(row) for row in fleet]

    @staticmethod
    def at_largest_power(row):
        power, band = float(row["max_power_w"]), float(row["bandwidth_hz"])
        rate = band * math.log2(1 + power / float(row["noise_to_gain_w"]))
        upload = float(row["update_bits"]) / rate
        return float(row["compute_energy_j"]) + power * upload, upload

    def of_set(self, devices):
        """Energy and time of a round in which these take part; None of nobody."""
        chosen = [self.planned[i] for i in devices]
        return (sum(e for e, _ in chosen), max(t for _, t in chosen)) if chosen else None

    def best(self, score):
        order = sorted(range(len(score)), key=lambda i: (-score[i], i))
        return self.of_set([i for i in order[:max(1, round(self.expected))] if self.a[i] > 0])

    def of_uniform(self, count, devices):
        """Mean energy, and the mean of the largest of `count` times that are drawn without replacement:
        the j-th smallest of n is the largest of them in C(j - 1, count - 1) of C(n, count) draws."""
        devices = [device for device, a in zip(devices, self.a) if a > 0]
        n = len(devices)
        count = min(max(1, count), n)
        times = sorted(t for _, t in devices)
        share, mean = count / n, 0.0  # of draws in which the largest of those left is the largest
        for j in range(n, count - 1, -1):
            mean += share * times[j - 1]
            if j > count:  # P(j - 1) / P(j) = C(j - 2, count - 1) / C(j - 1, count - 1)
                share *= (j - count) / (j - 1)
        return count * sum(e for e, _ in devices) / n, mean

    def rounds(self):
        """Mean energy and time of a round, by strategy and rule."""
        expected = round(self.expected)
        found = {
            ("probabilistic", "as planned"): self.probabilistic,
            ("deterministic", "best round(sum a)"): self.best([a * d for a, d in zip(self.a, self.samples)]),
            ("deterministic", "a >= 1/2"): self.of_set([i for i, a in enumerate(self.a) if a >= 0.5]),
            ("equally-weighted", "best round(sum a)"): self.best(self.a),
            ("equally-weighted", "a = 1"): self.of_set([i for i, a in enumerate(self.a) if a >= 1]),
        }
        for name, count in [(str(count), count) for count in FIXED_DEVICES] + [("round(sum a)", expected)]:
            found["uniform", f"M = {name}, planned power"] = self.of_uniform(count, self.planned)
            found["uniform", f"M = {name}, largest power"] = self.of_uniform(count, self.largest)
        return found


class Reading:
    """One physical reading: for each scenario, strategy and rule the watts and the time of a round."""

    def __init__(self, names, fleets):
        self.names = names
        self.expected, self.watts, self.seconds = {}, {}, {}
        for scenario, members in fleets.items():
            self.expected[scenario] = sum(fleet.expected for fleet in members) / len(members)
            rows = [fleet.rounds() for fleet in members]
            self.rules = list(rows[0])
            for rule in self.rules:
                cells = [row[rule] for row in rows if row[rule]]
                if 2 * len(cells) > len(rows):  # geometric means over the fleets
                    self.watts[scenario, rule] = geometric_mean([e / t for e, t in cells])
                    self.seconds[scenario, rule] = geometric_mean([t for _, t in cells])

    def is_playable(self, rule):
        """Whether the rule takes somebody in most fleets of both scenarios."""
        return all((scenario, rule) in self.watts for scenario in SCENARIOS)

    def distance(self, rule):
        """Mean of |ln(ours / paper)| of the joules per second over the scenarios."""
        return sum(abs(math.log(self.watts[scenario, rule] / paper_watts(scenario, rule[0])))
                   for scenario in SCENARIOS) / len(SCENARIOS)

    def time_distance(self, rule):
        """The same for the time of a round over that of probabilistic selection."""
        base = ("probabilistic", "as planned")
        return sum(abs(math.log(self.seconds[scenario, rule] / self.seconds[scenario, base] /
                                paper_slowness(scenario, rule[0])))
                   for scenario in SCENARIOS) / len(SCENARIOS)


def readings(airlot, seeds, folder, jobs):
    names = list(PHYSICAL)
    combinations = list(itertools.product(*(PHYSICAL[name] for name in names)))
    with ThreadPoolExecutor(jobs) as pool:
        for number, combination in enumerate(combinations):
            keys = {}
            for name, choice in zip(names, combination):
                keys.update(PHYSICAL[name][choice])
            fleets = {scenario: list(pool.map(
                lambda seed, scenario=scenario: Fleet(airlot, scenario, seed, keys, folder), seeds))
                for scenario in SCENARIOS}
            if sys.stderr.isatty():
                print(f"\r{number + 1} of {len(combinations)} readings", end="", file=sys.stderr)
            yield Reading(dict(zip(names, combination)), fleets)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)


def rows_of(reading):
    """Every combination of rules, as a row of the result."""
    rules = [[rule for rule in reading.rules if rule[0] == strategy and reading.is_playable(rule)]
             for strategy in STRATEGIES]
    for chosen in itertools.product(*rules):
        yield {
            **reading.names,
            **dict(chosen[1:]),
            "distance": sum(reading.distance(rule) for rule in chosen) / len(chosen),
            "time_distance": sum(reading.time_distance(rule) for rule in chosen[1:]) / 3,
            "expected_devices": reading.expected,
            "watts": {scenario: {rule[0]: reading.watts[scenario, rule] for rule in chosen}
                      for scenario in SCENARIOS},
            "round_s": {scenario: {rule[0]: reading.seconds[scenario, rule] for rule in chosen}
                        for scenario in SCENARIOS},
        }


def show(rows):
    heads = [*PHYSICAL, *STRATEGIES[1:], "J/s: S1 p d u e", "S2 p d u e", "devices", "|ln J/s|", "|ln t|"]
    table = [heads]
    for row in rows:
        watts = [" ".join(f"{row['watts'][scenario][strategy]:.2g}" for strategy in STRATEGIES)
                 for scenario in SCENARIOS]
        devices = " ".join(f"{row['expected_devices'][scenario]:.3g}" for scenario in SCENARIOS)
        table.append([*(row[head] for head in heads[:8]), *watts, devices, f"{row['distance']:.2f}",
                      f"{row['time_distance']:.2f}"])
    table.append(["paper"] + [""] * 7 + [" ".join(f"{paper_watts(scenario, strategy):.2g}"
                                                  for strategy in STRATEGIES) for scenario in SCENARIOS] + [""] * 3)
    widths = [max(len(line[i]) for line in table) for i in range(len(heads))]
    for line in table:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
        if line is heads:
            print("|" + "---|" * len(heads))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog=__doc__.split("\n\n", 1)[1])
    parser.add_argument("airlot", help="the program, for example build/release/airlot")
    parser.add_argument("--fleets", type=int, default=20, help="fleets of each scenario (20)")
    parser.add_argument("--seed", type=int, default=101, help="of the first fleet (101)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="plans at a time")
    parser.add_argument("--top", type=int, default=20, help="rows to show (20)")
    parser.add_argument("--json", action="store_true", help="every row, for machines")
    options = parser.parse_args()
    if min(options.fleets, options.jobs, options.top) < 1:
        parser.error("--fleets, --jobs and --top must be at least 1")
    seeds = range(options.seed, options.seed + options.fleets)
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for reading in readings(options.airlot, seeds, folder, options.jobs)
                for row in rows_of(reading)]
    rows.sort(key=lambda row: row["distance"])
    if options.json:
        json.dump(rows, sys.stdout, indent=1)
        print()
    else:
        print(f"{len(rows)} readings, {options.fleets} fleets of each scenario; the nearest to the paper:")
        show(rows[:options.top])


if __name__ == "__main__":
    main()
