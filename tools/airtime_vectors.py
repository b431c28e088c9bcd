#!/usr/bin/python3
"""Reference airtime plans to 50 digits, the golden numbers of src/planning/airtime_accuracy_test.cc.

The script draws small fleets, solves the problem (A4) of docs/airtime.md for each, and writes
src/planning/airtime_vectors_for_tests.h. It takes another way than the solver: for a price of a
second it maximises each device's w·U(a) - μ·a·C(u(a)) over the probability a, where u(a) is the
cheapest rate that the budget allows at a, found as a root of its own. All roots are bracketed. The
script needs python3-mpmath.

    tools/airtime_vectors.py          write the file
    tools/airtime_vectors.py --check  exit 1 if the file would change
"""

import argparse
import math
import pathlib
import random
import sys

from mpmath import exp, expm1, inf, ln2, log, log1p, mp, mpf, sqrt

mp.dps = 60
FILE = pathlib.Path(__file__).resolve().parent.parent / "src/planning/airtime_vectors_for_tests.h"
RESOLUTION = mpf(10) ** -52
SLOWEST = mpf(10) ** -30  # no fleet here has a device that sends slower


def root(function, low, high):
    """Returns neighbours around the sign change of a falling function: the Illinois method, and
    halves where it does not close in."""
    low, high = mpf(low), mpf(high)
    at_low, at_high = function(low), function(high)
    assert at_low >= 0 >= at_high, (low, high, at_low, at_high)
    side = 0
    for step in range(600):
        if high - low <= RESOLUTION * abs(high) or at_low == 0 or at_high == 0:
            break
        if step % 4 == 3:
            middle = sqrt(low * high) if low > 0 and high > 2 * low else (low + high) / 2
        else:
            middle = (low * at_high - high * at_low) / (at_high - at_low)
            if not low < middle < high:
                middle = (low + high) / 2
        value = function(middle)
        if value >= 0:
            low, at_low = middle, value
            at_high = at_high / 2 if side == 1 else at_high
            side = 1
        else:
            high, at_high = middle, value
            at_low = at_low / 2 if side == -1 else at_low
            side = -1
    if at_low == 0:
        return low, low
    if at_high == 0:
        return high, high
    return low, high


class Device:
    """One device; energies are at the plug."""

    def __init__(self, fleet, column):
        self.__dict__.update({name: mpf(value) for name, value in column.items()})
        self.g = self.noise_to_gain_w * mpf(fleet["snr_gap"])
        self.efficiency = mpf(fleet["amplifier_efficiency"])
        self.circuit_w = mpf(fleet["circuit_power_w"])
        self.fairness = mpf(fleet["fairness"])
        self.top = mpf(fleet["spectral_efficiency_cap"]) * ln2
        if fleet["is_power_limited"]:
            self.top = min(self.top, log1p(self.max_power_w / self.g))
        self.top = min(self.top, mpf(700))
        self.cheapest = self.rate(mpf(0), mpf(1))
        self.free = self.rate(mpf(1), self.energy_price_s_per_j)
        self.best = self.energy_budget_j / self.energy(self.cheapest)
        self.most = min(self.most_probability, self.best)
        self.least = min(self.least_probability, self.most)
        self.affordable = self.energy_budget_j / self.energy(self.free)

    def energy(self, u):
        return (self.nat_time_s * (self.g * expm1(u) / self.efficiency + self.circuit_w) / u
                + self.compute_energy_j)

    def time(self, u):
        return self.nat_time_s / u + self.added_time_s

    def cost(self, u):
        return self.time(u) + self.priced_time_s + self.energy_price_s_per_j * self.energy(u)

    def energy_rise(self, u):
        """Returns u²/L times the derivative of the energy."""
        return self.g / self.efficiency * (1 + (u - 1) * exp(u)) - self.circuit_w

    def rate(self, seconds, joules):
        """Returns the u at which seconds·t + joules·e is least."""
        slope = lambda u: seconds - joules * self.energy_rise(u)
        if slope(self.top) >= 0:
            return self.top
        if slope(SLOWEST) <= 0:
            return SLOWEST
        return root(slope, SLOWEST, self.top)[0]

    def rate_within_budget(self, a):
        """Returns the largest u at which the budget pays for a."""
        energy = self.energy_budget_j / a
        if self.energy(self.free) <= energy:
            return self.free
        if self.energy(self.cheapest) >= energy:
            return self.cheapest
        # Halves in doubles come near, and Newton's method doubles the digits three times.
        scale = float(self.nat_time_s * self.g / self.efficiency)
        fixed = float(self.nat_time_s * self.circuit_w)
        rest = float(energy - self.compute_energy_j)
        low, high = float(self.cheapest), float(self.free)
        for _ in range(60):
            middle = (low + high) / 2
            if (scale * math.expm1(middle) + fixed) / middle <= rest:
                low = middle
            else:
                high = middle
        u = mpf((low + high) / 2)
        for _ in range(6):
            rise = self.energy_rise(u)
            if rise <= 0:
                break
            u -= (self.energy(u) - energy) * u * u / (self.nat_time_s * rise)
        if abs(self.energy(u) / energy - 1) < mpf(10) ** -52 and self.energy_rise(u) > 0:
            return u
        # Next to the least energy doubles are too coarse a start.
        return root(lambda u: energy - self.energy(u), self.cheapest, self.free)[0]

    def gain(self, price, a, is_spent):
        """Returns the derivative of w·U(a) - μ·a·C(u(a))."""
        u, loss = self.free, mpf(0)
        if is_spent:
            u = self.rate_within_budget(a)
            rise = self.energy_rise(u)
            if rise <= 0:
                return -mpf(10) ** 100
            # a·C'(u)·u'(a), with C' = (ν·rise - 1)·L/u² and u' = -E/(a²·rise·L/u²).
            loss = (self.energy_price_s_per_j - 1 / rise) * -self.energy_budget_j / a
        return self.weight * a ** -self.fairness - price * (self.cost(u) + loss)

    def at(self, price):
        """Returns (a, u) at a price of a second."""
        low, high = self.least, self.most
        knee = min(max(self.affordable, low), high)
        tiny = mpf(10) ** -40
        if low < knee:
            if self.gain(price, max(low, tiny), False) <= 0:
                return low, self.free
            if self.gain(price, knee, False) < 0:
                return root(lambda a: self.gain(price, a, False), max(low, tiny), knee)[0], self.free
        if high <= self.affordable:
            return high, self.free
        if self.gain(price, knee, True) <= 0:
            return knee, self.rate_within_budget(knee)
        if self.gain(price, high, True) >= 0:
            return high, self.rate_within_budget(high)
        a = root(lambda a: self.gain(price, a, True), knee, high)[0]
        return a, self.rate_within_budget(a)


def total(fleet, devices, bought):
    if fleet["goal"] == "kParticipants":
        return sum(a for a, _ in bought)
    return sum(a * device.time(u) for device, (a, u) in zip(devices, bought))


def solve(fleet):
    """Returns the plan [(a, u)] and the price."""
    devices = [Device(fleet, column) for column in fleet["columns"]]
    is_time = fleet["goal"] == "kTime"
    goal = mpf(fleet["seconds"] if is_time else fleet["participants"])
    most = [(d.most, d.free if d.most <= d.affordable else d.rate_within_budget(d.most))
            for d in devices]
    if total(fleet, devices, most) <= goal:
        return devices, slow_down(fleet, devices, most, goal) if is_time else most, mpf(0)
    if fleet["fairness"] == 0:  # a device may jump at the price that is looked for
        for device in devices:
            jump = device.weight / device.cost(device.free)
            first, second = ([d.at(jump * (1 + side * mpf(10) ** -50)) for d in devices]
                             for side in (-1, 1))
            if total(fleet, devices, first) > goal > total(fleet, devices, second):
                return devices, mix(fleet, devices, goal, first, second), jump
    excess = lambda x: total(fleet, devices, [d.at(exp(x)) for d in devices]) - goal
    low = high = mpf(0)
    while excess(low) < 0:
        low -= 3
    while excess(high) > 0:
        high += 3
    # The search needs a positive argument.
    shift = 1 - low
    low, high = (x - shift for x in root(lambda x: excess(x - shift), 1, high + shift))
    return devices, [d.at(exp(high)) for d in devices], exp(high)


def mix(fleet, devices, goal, first, second):
    """Returns the mixture of two plans that meets the goal, (A12)."""
    above, below = (total(fleet, devices, plan) for plan in (first, second))
    share = (goal - below) / (above - below)
    plan = []
    for (a, u), (b, v) in zip(first, second):
        mixed = share * a + (1 - share) * b
        z = share * a / u + (1 - share) * b / v
        plan.append((mixed, v if u == v or mixed == 0 else mixed / z))
    return plan


def slow_down(fleet, devices, most, goal):
    """Returns the plan that saves energy in the time that is left, (A13)."""
    def slowed(extra):
        return [(a, min(u, d.rate(mpf(1), d.energy_price_s_per_j + extra)))
                for d, (a, u) in zip(devices, most)]
    spare = lambda extra: goal - total(fleet, devices, slowed(extra))
    high = mpf(1)
    while spare(high) > 0 and high < mpf(10) ** 20:
        high *= 10
    if spare(high) > 0:
        return slowed(mpf(10) ** 40)
    return slowed(root(spare, mpf(10) ** -12, high)[0])


def spread(rng, low, high):
    return float(f"{low * (high / low) ** rng.random():.6g}")


def draw(rng, fairness, kind):
    """Draws a fleet of six devices, rich and starved, of one kind."""
    has = lambda *kinds: kind in kinds
    fleet = {
        "name": f"{kind}, fairness {fairness}",
        "goal": "kParticipants"
        if has("participants", "participants with circuits", "participants with priced time")
        else "kTime",
        "seconds": spread(rng, 0.02, 0.2),
        "participants": spread(rng, 0.2, 1),
        "fairness": fairness,
        "circuit_power_w": spread(rng, 1e-3, 0.1)
        if has("circuits", "participants with circuits", "all", "spare with circuits",
               "all with priced time") else 0,
        "amplifier_efficiency": 0.35 if has("circuits", "all", "all with priced time") else 1,
        "snr_gap": 5.5 if has("cap", "all", "all with priced time") else 1,
        "spectral_efficiency_cap": 4.5 if has("cap", "all", "all with priced time") else "inf",
        "is_power_limited": not has("no power limit"),
        "columns": [],
    }
    if has("spare", "spare with circuits"):
        fleet["seconds"] = 50
    for i in range(6):
        starved = i % 2 == 1
        column = {
            "noise_to_gain_w": spread(rng, 1e-7, 1e-2),
            "nat_time_s": spread(rng, 0.02, 0.5),
            "max_power_w": spread(rng, 0.05, 1),
            "energy_budget_j": spread(rng, 2e-5, 5e-4) if starved else spread(rng, 0.5, 5),
            "compute_energy_j": 0 if i == 5 else spread(rng, 1e-4, 2e-2),
            "weight": spread(rng, 0.3, 3),
            "energy_price_s_per_j": spread(rng, 0.1, 20)
            if has("energy price", "no power limit", "all", "all with priced time") else 0,
            "added_time_s": spread(rng, 1e-3, 1e-2)
            if has("added time", "all", "all with priced time") else 0,
            "priced_time_s": spread(rng, 1e-3, 0.3) if kind.endswith("priced time") else 0,
            "least_probability": spread(rng, 1e-4, 2e-3)
            if has("floors", "all", "all with priced time") else 0,
            "most_probability": 0.3 if i == 2 else 1,
        }
        if has("spare", "spare with circuits") and starved:
            column["most_probability"] = spread(rng, 1e-4, 1e-3)
        fleet["columns"].append(column)
    return fleet


KINDS = ("plain", "energy price", "circuits", "cap", "floors", "added time", "no power limit",
         "participants", "participants with circuits", "all")

FEW_KINDS = ("plain", "circuits", "floors", "participants", "all")

PRICED_KINDS = ("priced time", "participants with priced time", "all with priced time")


def text_of(value):
    if value == "inf":
        return "kInfinity"
    return repr(float(value))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rng = random.Random(20)
    fleets = [draw(rng, fairness, kind) for fairness in (1, 2) for kind in KINDS]
    fleets += [draw(rng, fairness, kind) for fairness in (0, 0.5, 8) for kind in FEW_KINDS]
    fleets.append(draw(rng, 0.1, "plain"))
    fleets += [draw(rng, 1, kind) for kind in ("spare", "spare with circuits")]
    fleets += [draw(rng, fairness, kind) for fairness in (0, 0.5, 1, 2, 8) for kind in PRICED_KINDS]
    lines = []
    for fleet in fleets:
        devices, plan, price = solve(fleet)
        lines.append("    {" + ", ".join(
            [f'"{fleet["name"]}"', f'AirtimeGoal::{fleet["goal"]}']
            + [text_of(fleet[name]) for name in
               ("seconds", "participants", "fairness", "circuit_power_w", "amplifier_efficiency",
                "snr_gap", "spectral_efficiency_cap")]
            + ["true" if fleet["is_power_limited"] else "false", repr(float(price))]) + ",\n     {")
        for device, column, (a, u) in zip(devices, fleet["columns"], plan):
            power = device.g * expm1(u) if a > 0 else mpf(0)
            if a > 0 and u == log1p(device.max_power_w / device.g):
                power = device.max_power_w
            values = [text_of(value) for value in column.values()] + [
                repr(float(a)), repr(float(power))]
            lines.append("      {" + ", ".join(values) + "},")
        lines.append("     }},")
        print(fleet["name"], float(price), [float(a) for a, _ in plan], file=sys.stderr)
    text = HEADER + "\n".join(lines) + FOOTER
    if options.check:
        sys.exit(FILE.read_text() != text)
    FILE.write_text(text)


HEADER = """// This header is for tests only: it has small fleets and their airtime plans to 50 digits, rounded.
//
// It is written by tools/airtime_vectors.py.
#ifndef AIRLOT_PLANNING_AIRTIME_VECTORS_FOR_TESTS_H_
#define AIRLOT_PLANNING_AIRTIME_VECTORS_FOR_TESTS_H_

#include <limits>
#include <vector>

#include "airlot/airtime.h"

namespace airlot::planning {

struct AirtimeVectorDevice {
  double noise_to_gain_w, nat_time_s, max_power_w, energy_budget_j, compute_energy_j, weight,
      energy_price_s_per_j, added_time_s, priced_time_s, least_probability, most_probability;
  double probability, power_w;  // of the optimal plan
};
struct AirtimeVector {
  const char* name;
  AirtimeGoal goal;
  double seconds, participants, fairness, circuit_power_w, amplifier_efficiency, snr_gap,
      spectral_efficiency_cap;
  bool is_power_limited;
  double price;  // of the optimal plan
  std::vector<AirtimeVectorDevice> devices;
};

inline std::vector<AirtimeVector> AirtimeVectors() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // clang-format off
  return {
"""
FOOTER = """
  };
  // clang-format on
}

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_AIRTIME_VECTORS_FOR_TESTS_H_
"""

if __name__ == "__main__":
    main()
