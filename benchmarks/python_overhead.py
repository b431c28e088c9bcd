#!/usr/bin/env python3
"""Measures what Python costs beside C++: import, a plan of a million devices, a strategy.

    PYTHONPATH=build/release/python benchmarks/python_overhead.py [--json]

Each number is the least of several tries, because the machine may be busy with something else. The plan is compared with the same C++ call on the
same arrays without Python around it, try by try in the same process.
"""
import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np

import airlot

TRIES = 15


def least(function, tries=TRIES):
    times = []
    for _ in range(tries):
        begun = time.perf_counter()
        function()
        times.append(time.perf_counter() - begun)
    return min(times)


def importing():
    """Returns seconds and MB of `import airlot` beyond those of `import numpy`, and all of it."""
    script = ("import time; {}b = time.perf_counter(); import airlot; seconds = time.perf_counter() - b; "
              "status = open('/proc/self/status').read(); "
              "print(seconds, int(status.split('VmHWM:')[1].split()[0]) * 1024 / 1e6)")
    def run(first):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        output = [subprocess.run([sys.executable, "-c", script.format(first)], check=True, capture_output=True, text=True,
                                 env=environment).stdout.split() for _ in range(TRIES)]
        return min(float(seconds) for seconds, _ in output), min(float(size) for _, size in output)
    return {"import_s": run("")[0], "import_beyond_numpy_s": run("import numpy; ")[0], "import_mb": run("")[1]}


def planning(devices=1_000_000):
    """Returns how long a plan takes in Python and in C++: with one band and one size of updates for all, and with
    arrays of both, of which each side derives a column first."""
    draw = np.random.default_rng(1)
    columns = dict(noise_to_gain_w=10**draw.uniform(-8, -4, devices), energy_budget_j=10**draw.uniform(-3, 0, devices),
                   max_power_w=0.2, time_limit_s=0.5, update_bits=1e6, bandwidth_hz=1e5)
    arrays = {**columns, "update_bits": np.full(devices, 1e6), "bandwidth_hz": draw.uniform(5e4, 2e5, devices)}
    found = {}
    for name, given in (("plan", columns), ("plan_of_arrays", arrays)):
        plan = airlot.plan(**given)._core
        wholes, insides = [], []
        for _ in range(60):  # in turn, so that both meet the same machine
            wholes.append(least(lambda: airlot.plan(**given), 1))
            insides.append(plan.solve_again_s())
        found.update({f"{name}_s": min(wholes), f"{name}_in_cpp_s": min(insides),
                      f"{name}_ratio": min(wholes) / min(insides)})
    return found


class Nothing(airlot.Strategy):
    """As little as a strategy can do."""

    name = "nothing"

    def select(self, view):
        return first


first = None  # a device that can take part


def strategies(rounds=20000):
    """Returns how much longer a round of one device takes than one of the C++ strategy `random`, at 100 devices and with
    a model that costs nothing."""
    class Idle(airlot.Backend):
        parameters = 1

        def train(self, device, parameters, training):
            return update

        def evaluate(self, parameters):
            return airlot.Evaluation(0.0, 0.0)

    global first
    data = airlot.Dataset(train_y=np.arange(2000) % 10, test_y=np.arange(10), classes=10)
    partition = [np.arange(20 * device, 20 * device + 20) for device in range(100)]
    scenario = airlot.Scenario("float32-cell", rounds=rounds, evaluate_every=rounds)
    first = np.flatnonzero(airlot.plan(scenario).probability > 0)[:1].astype(np.uint32)
    update = airlot.Update(np.zeros(1, dtype=np.float32), 0.0)

    def run(strategy):
        return least(lambda: airlot.train(scenario, strategy, backend=Idle, data=data, partition=partition,
                                          participants=False, checkpoint_every_s=1e9, progress=False), 3) / rounds

    scenario = scenario.replace(**{"strategy.random.devices": 1})
    built_in, own = run("random"), run(Nothing)
    return {"round_in_cpp_us": 1e6 * built_in, "round_in_python_us": 1e6 * own, "overhead_us": 1e6 * (own - built_in)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    found = {}
    arguments = parser.parse_args()
    for part in (importing, planning, strategies):
        found.update(part())
    if arguments.json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        print(f"{name:24} {value:.4g}")


if __name__ == "__main__":
    main()
