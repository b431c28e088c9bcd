#!/usr/bin/env python3
"""Prints the table of plans of one fleet in docs/airtime.md, section 10, by `airlot plan`.

    tools/airtime_tables.py PROGRAM
"""
import json
import subprocess
import sys

DEFAULTS = {"fairness": 1, "energy_price": 0, "participants": 0, "data_exponent": 0, "floor": 1}
ROWS = [("φ = 1, floors of (A14)", {}), ("φ = 1, 0.99 of these floors", {"floor": 0.99}), ("φ = 1, no floors", {"floor": 0}),
        ("φ = 2, no floors", {"fairness": 2, "floor": 0}), ("φ = 0, no floors", {"fairness": 0, "floor": 0})]


def plan(limit_s, options):
    settings = [f"strategy.airtime.{key}={value}" for key, value in {**DEFAULTS, **options}.items()] + [f"round.time_limit_s={limit_s}"]
    overrides = [part for setting in settings for part in ("--set", setting)]
    return json.loads(subprocess.run([sys.argv[1], "plan", "float32-cell", "--airtime", "--json", *overrides], check=True,
                                     capture_output=True, text=True).stdout)


def cells(facts):
    return f"{facts['expected_participants']:.3f} | {facts['expected_round_time_s']:.3g} | {facts['expected_round_energy_j']:.3g}"


def main():
    limits_s = (0.08, 0.5)
    print("| plan | " + " | ".join(f"Σ a, τ = {limit_s} s | mean round, s | J a round" for limit_s in limits_s) + " |")
    print("|---" * 7 + "|")
    print("| paper, in its own bands | " + " | ".join(cells(plan(limit_s, {})["airtime"]["own_bands"]) for limit_s in limits_s) + " |")
    for name, options in ROWS:
        print(f"| {name} | " + " | ".join(cells(plan(limit_s, options)) for limit_s in limits_s) + " |")


if __name__ == "__main__":
    main()
