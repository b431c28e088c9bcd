#!/usr/bin/python3
"""Checks `airlot plan --bandwidth shared|blocks` against SciPy on random small fleets.

    tools/check_band_split.py [--cases N] [--seed S] [--write FILE]

For each fleet SciPy maximises the sum of w·a(B) under sum(B) <= B, where a(B) is found by bisection from the
constraints (B2) and (B9) of docs/bandwidth.md: it shares no formula with the program. It must never find more than 1e-6
(relative) above the program, whose plan must hold every constraint. Whole blocks are compared with all splits.
--write keeps fleets and SciPy's values for tests/bandwidth_test.py, which runs without SciPy.
./run must have built the program, and python3-scipy must be there.
"""
import argparse
import csv
import itertools
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
from scipy import optimize

ROOT = Path(__file__).resolve().parent.parent
AIRLOT = ROOT / "build/release/airlot"
COLUMNS = ["noise_to_gain_w", "bandwidth_hz", "max_power_w", "energy_budget_j", "samples",
           "cycles_per_sample", "cpu_hz", "kappa", "update_bits", "time_limit_s"]


def draw_case(draw):
    """Draws a fleet of 2 to 6 devices around 100 kHz each, with all limits, and settings of the radio."""
    log_uniform = lambda low, high: math.exp(draw.uniform(math.log(low), math.log(high)))
    settings = {"radio.snr_gap_db": draw.choice([0, 7.4]),
                "radio.amplifier_efficiency": draw.choice([1, 0.35])}
    if draw.random() < 0.3:
        settings["radio.spectral_efficiency_cap"] = log_uniform(0.5, 10)
    if draw.random() < 0.15:
        settings["round.compute"] = "always"
    if draw.random() < 0.4:
        settings["radio.circuit_power_w"] = log_uniform(1e-4, 1)
    is_density = draw.random() < 0.5
    if is_density:
        settings["radio.noise_dbm_per_hz"] = -174
    has_compute = draw.random() < 0.75
    devices = []
    for _ in range(draw.randint(2, 6)):
        samples = draw.randint(10, 1000)
        compute_j = log_uniform(1e-3, 10) if has_compute and draw.random() < 0.9 else 0
        devices.append(dict(zip(COLUMNS, (
            log_uniform(1e-12, 1e-2), log_uniform(1e4, 1e6), log_uniform(0.01, 1),
            log_uniform(1e-4, 100), samples, 1e6, 1e9, compute_j / (samples * 1e24),
            log_uniform(1e5, 1e7), log_uniform(0.05, 5)))))
    return {"settings": settings, "is_density": is_density, "devices": devices}


class Model:
    """Finds a(B) of every device from the constraints alone."""

    def __init__(self, case):
        column = lambda name: numpy.array([float(device[name]) for device in case["devices"]])
        settings = case["settings"]
        gap = 10 ** (settings["radio.snr_gap_db"] / 10)
        self.is_density = case["is_density"]
        self.noise_w, self.own_hz = column("noise_to_gain_w") * gap, column("bandwidth_hz")
        self.max_power_w, self.budget_j = column("max_power_w"), column("energy_budget_j")
        self.weight = column("samples")
        self.compute_j = (column("samples") * column("cycles_per_sample") * column("cpu_hz") ** 2 *
                          column("kappa"))
        self.nats, self.limit_s = column("update_bits") * math.log(2), column("time_limit_s")
        self.efficiency = settings["radio.amplifier_efficiency"]
        self.circuit_w = settings.get("radio.circuit_power_w", 0)
        self.most_nats = settings.get("radio.spectral_efficiency_cap", math.inf) * math.log(2)
        if settings.get("round.compute") == "always":
            self.budget_j = numpy.maximum(self.budget_j - self.compute_j, 0)
            self.compute_j = numpy.zeros_like(self.compute_j)
        self.total_hz = self.own_hz.sum()

    def is_feasible(self, a, band_hz, cheapest):
        """Tells whether some power lets the devices take part with these probabilities."""
        with numpy.errstate(over="ignore", invalid="ignore", divide="ignore"):
            # The time is tight.
            u = numpy.where(a > 0, a * self.nats / (self.limit_s * band_hz), 0)
            noise_w = self.noise_w * (band_hz / self.own_hz if self.is_density else 1)
            # The time need not be tight, as sooner may be cheaper.
            if self.circuit_w > 0:
                most = numpy.minimum(self.most_nats, numpy.log1p(self.max_power_w / noise_w))
                u = numpy.maximum(u, numpy.minimum(cheapest, most))
            power_w = noise_w * numpy.expm1(u)
            sending_s = a * self.nats / (band_hz * u)
            spent_j = (sending_s * (power_w / self.efficiency + self.circuit_w) +
                       a * self.compute_j)
            return ((u <= self.most_nats * (1 + 1e-15)) &
                    (power_w <= self.max_power_w * (1 + 1e-15)) & (spent_j <= self.budget_j))

    def cheapest_nats(self, band_hz):
        """Finds where sending a nat takes least energy, by golden sections over ln u."""
        noise_w = self.noise_w * (band_hz / self.own_hz if self.is_density else 1)

        def energy(log_u):
            u = numpy.exp(log_u)
            return (noise_w * numpy.expm1(u) / self.efficiency + self.circuit_w) / u

        golden = (math.sqrt(5) - 1) / 2
        low, high = numpy.full_like(noise_w, -30), numpy.full_like(noise_w, math.log(200))
        for _ in range(60):
            left, right = high - golden * (high - low), low + golden * (high - low)
            is_left = energy(left) < energy(right)
            low, high = numpy.where(is_left, low, left), numpy.where(is_left, right, high)
        return numpy.exp((low + high) / 2)

    def probability(self, band_hz):
        band_hz = numpy.asarray(band_hz, dtype=float)
        low, high = numpy.zeros_like(band_hz), numpy.ones_like(band_hz)
        cheapest = self.cheapest_nats(band_hz) if self.circuit_w > 0 else 0
        low = numpy.where(self.is_feasible(high, band_hz, cheapest), 1, low)
        for _ in range(50):
            middle = (low + high) / 2
            is_feasible = self.is_feasible(middle, band_hz, cheapest)
            low = numpy.where(is_feasible, numpy.maximum(middle, low), low)
            high = numpy.where(is_feasible, high, middle)
        return numpy.where(band_hz > 0, low, 0)

    def value(self, band_hz):
        return float((self.weight * self.probability(band_hz)).sum())


def best_of_scipy(model, draw):
    """Runs SLSQP over the shares, from several starts; for two devices also a bounded search."""
    count = len(model.weight)

    def loss(share):
        share = numpy.maximum(share, 0)
        return -model.value(share / max(share.sum(), 1) * model.total_hz) / model.weight.sum()

    def slope(share):
        """Returns the gradient of the loss: every device's by one difference, since each depends on its own share only."""
        share = numpy.maximum(share, 0)
        step = 1e-7 * numpy.maximum(share, 1e-4)
        gained = model.probability((share + step) * model.total_hz) - model.probability(
            share * model.total_hz)
        return -model.weight * gained / step / model.weight.sum()

    starts = [numpy.full(count, 1 / count)]
    starts += [numpy.array([draw.expovariate(1) ** 2 for _ in range(count)]) for _ in range(2)]
    best, best_share = 0, starts[0]
    for start in starts:
        found = optimize.minimize(
            loss, start / start.sum(), jac=slope, method="SLSQP", bounds=[(0, 1)] * count,
            constraints={"type": "ineq", "fun": lambda share: 1 - share.sum(),
                         "jac": lambda share: -numpy.ones(count)},
            options={"maxiter": 60, "ftol": 1e-13})
        if -loss(found.x) > best:
            best, best_share = -loss(found.x), found.x
    polished = optimize.minimize(loss, numpy.maximum(best_share, 0), method="Nelder-Mead",
                                 options={"maxiter": 250, "xatol": 1e-12, "fatol": 1e-14})
    best = max(best, -polished.fun)
    if count == 2:
        for high in (1, 1e-2):
            found = optimize.minimize_scalar(
                lambda first: loss(numpy.array([first, 1 - first])), bounds=(0, high),
                method="bounded", options={"xatol": 1e-12, "maxiter": 100})
            best = max(best, -found.fun)
    return best * model.weight.sum()


def best_of_blocks(model, blocks):
    """Finds the best of all splits into whole blocks."""
    count, block_hz = len(model.weight), model.total_hz / (blocks + 0.5)
    gains = [model.weight * model.probability(numpy.full(count, held * block_hz))
             for held in range(blocks + 1)]
    return max(sum(gains[held][i] for i, held in enumerate(split))
               for split in itertools.product(range(blocks + 1), repeat=count)
               if sum(split) <= blocks)


def plan(case, folder, *arguments):
    """Returns the program's summary and plan."""
    fleet, out = folder / "fleet.csv", folder / "plan.csv"
    with open(fleet, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows({name: repr(value) for name, value in device.items()}
                         for device in case["devices"])
    command = [AIRLOT, "plan", "float32-cell", "--fleet", fleet, "-o", out, "--json", *arguments]
    for key, value in {"data.dataset": "", **case["settings"]}.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"airlot failed: {done.stderr}")
    with open(out) as file:
        return json.loads(done.stdout), list(csv.DictReader(file))


def violation(model, rows):
    """Returns the largest relative amount by which a plan breaks a constraint."""
    column = lambda name: numpy.array([float(row[name]) for row in rows])
    a, power_w, band_hz = column("probability"), column("power_w"), column("bandwidth_hz")
    worst = band_hz.sum() / model.total_hz - 1
    has = a > 0
    if not has.any():
        return worst
    noise_w = model.noise_w * (band_hz / model.own_hz if model.is_density else 1)
    u = numpy.log1p(power_w[has] / noise_w[has])
    upload_s = model.nats[has] / (band_hz[has] * u)
    drawn_w = power_w[has] / model.efficiency + model.circuit_w
    energy_j = drawn_w * upload_s + model.compute_j[has]
    return max(worst, (a - 1).max(), (power_w / model.max_power_w - 1).max(),
               (u / model.most_nats - 1).max(), (a[has] * upload_s / model.limit_s[has] - 1).max(),
               (a[has] * energy_j / model.budget_j[has] - 1).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    kept, above, below, worst, block_gap = [], [], [], 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(arguments.cases):
            case = draw_case(draw)
            model = Model(case)
            found = best_of_scipy(model, draw)
            summary, rows = plan(case, Path(scratch), "--bandwidth", "shared")
            value = summary["bandwidth"]["value"]
            worst = max(worst, violation(model, rows))
            if value > 0:
                above.append(found / value - 1)
                below.append(1 - found / value)
            blocks = draw.randint(1, 4)
            block_hz = model.total_hz / (blocks + 0.5)
            of_blocks, block_rows = plan(case, Path(scratch), "--bandwidth", "blocks", "--set",
                                         f"radio.block_hz={block_hz!r}")
            best_blocks = best_of_blocks(model, blocks)
            worst = max(worst, violation(model, block_rows))
            if best_blocks > 0:
                block_gap = max(block_gap,
                                abs(of_blocks["bandwidth"]["value"] / best_blocks - 1))
            kept.append({**case, "scipy_value": found, "block_hz": block_hz,
                         "best_blocks_value": best_blocks})
    print(f"{arguments.cases} fleets: SciPy at most {max(above):.1e} above the program, within 1e-6 "
          f"of it {sum(gap < 1e-6 for gap in below)} times and within 1e-3 "
          f"{sum(gap < 1e-3 for gap in below)} times; largest violation {worst:.1e}; blocks differ by "
          f"{block_gap:.1e} from the best of all splits")
    if arguments.write:
        arguments.write.write_text("[\n" + ",\n".join(map(json.dumps, kept)) + "\n]\n")
    if max(above) > 1e-6 or worst > 1e-9 or block_gap > 1e-9:
        sys.exit("the program is not optimal, or breaks a constraint")


if __name__ == "__main__":
    main()
