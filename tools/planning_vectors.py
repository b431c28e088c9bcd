#!/usr/bin/python3
"""Reference plans to 50 digits, the golden numbers of src/planning/closed_form_accuracy_test.cc.

The script makes the inputs of 136 000 devices from integers (the same recipe is in
src/planning/planning_vectors_for_tests.h), solves each one with more than 50 digits, checks the solution
against the problem itself, and writes tests/data/planning_vectors.bin. Equation numbers are those
of docs/mathematics.md and, from (E1), docs/energy.md. The script needs python3-mpmath; python3-gmpy2 makes it fast (half a minute).

    tools/planning_vectors.py                     write the file
    tools/planning_vectors.py --check-sample 100  solve every 100th device of each section again;
                                                  exit 1 if the stored bytes differ

The file is little-endian. It holds "AIRLOTPV", the number of sections as uint64; for each section its
number of devices and a hash of its inputs, both uint64; then for each section, for each device,
the probability and the power in W as float64, correctly rounded.
"""

import argparse
import math
import pathlib
import struct
import sys
from typing import NamedTuple

from mpmath import exp, ldexp, ln2, log, mp, mpf, sqrt

# The cancellation in e^u - 1 leaves more than 240 of 400 bits (70 digits), as u > 1e-46 throughout.
mp.prec = 400
ONE = mpf(1)
INFINITY = mpf("inf")
# Optimality is checked to this relative distance.
RESOLUTION = mpf(10) ** -50

MAGIC = b"AIRLOTPV"
FILE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "planning_vectors.bin"


# --- The inputs ----------------------------------------------------------------------------------
# The inputs use only integers and the correctly rounded +, -, *, / of doubles, so C++ makes the very same values.

MASK = (1 << 64) - 1


def splitmix64(n):
    """Returns the n-th output of the generator of that name, seed 0."""
    z = (n + 1) * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class Draw:
    """Draws the random numbers of one device; each is named by what it is for."""

    def __init__(self, section, index):
        self.first = (section << 40) + index * 32

    def below(self, purpose, bound):
        return splitmix64(self.first + purpose) % bound

    def octaves(self, purpose, low, high):
        """Draws log-uniformly, or nearly: a mantissa in [1, 2) times 2^low ... 2^high."""
        bits = splitmix64(self.first + purpose)
        return math.ldexp(1 + (bits >> 12) * 2.0**-52, low + bits % (high - low + 1))

    def between(self, purpose, low, high):
        """Draws `octaves` within [low, high]; one in 32 is just `low`, one in 32 just `high`."""
        corner = self.below(purpose + 16, 32)
        if corner < 2:
            return (low, high)[corner]
        return clamp(self.octaves(purpose, exponent(low), exponent(high)), low, high)

    def near_one(self, purpose):
        """Draws 1 or 1 ± 2^-10 ... 1 ± 2^-50."""
        step = self.below(purpose, 83) - 41
        if step == 0:
            return 1.0
        return 1 + math.copysign(2.0 ** (-9 - abs(step)), step)


def exponent(value):
    return math.frexp(value)[1] - 1


def clamp(value, low, high):
    return min(max(value, low), high)


class Device(NamedTuple):
    noise_to_gain_w: float
    nat_time_s: float
    max_power_w: float
    energy_budget_j: float
    compute_energy_j: float
    time_limit_s: float
    compute_time_s: float


# Each number has a purpose; 16 ... 31 belong to the corners of `between`.
(NOISE, LIMIT, RATIO, POWER, BUDGET, COMPUTE, TIME, NO_BUDGET, NO_COMPUTE, NO_TIME, KIND, OCTAVE,
 TIE_FULL, TIE_ENERGY) = range(14)


def rough_nats(x):
    """Returns ln(1 + x) within a factor of two."""
    return x if x < 1 else (exponent(x) + 1) * 0.6875


def wide(draw):
    """Draws every quantity on its own, over the whole range."""
    limit = draw.between(LIMIT, 1e-3, 1e3)
    no_budget = draw.below(NO_BUDGET, 32) == 0
    no_compute = draw.below(NO_COMPUTE, 5) == 0
    return Device(
        noise_to_gain_w=draw.between(NOISE, 1e-30, 1e6),
        nat_time_s=limit * draw.between(RATIO, 1e-6, 1e6),
        max_power_w=draw.between(POWER, 1e-12, 1e6),
        energy_budget_j=0.0 if no_budget else draw.between(BUDGET, 1e-30, 1e9),
        compute_energy_j=0.0 if no_compute else draw.between(COMPUTE, 1e-12, 1e9),
        time_limit_s=limit,
        compute_time_s=0.0)


def matched(draw):
    """Draws the three limits within a few orders of magnitude of each other, so that each often binds."""
    noise = draw.between(NOISE, 1e-30, 1e6)
    limit = draw.between(LIMIT, 1e-3, 1e3)
    power = draw.between(POWER, 1e-12, 1e6)
    nats = rough_nats(power / noise) * draw.octaves(RATIO, -6, 6)
    budget = 0.0
    if draw.below(NO_BUDGET, 32) != 0:
        budget = clamp(limit * power * draw.octaves(BUDGET, -12, 6), 1e-30, 1e9)
    compute = 0.0
    if draw.below(NO_COMPUTE, 5) != 0:
        compute = clamp(limit * power * draw.octaves(COMPUTE, -20, 8), 1e-30, 1e9)
    return Device(noise, limit * clamp(nats, 1e-6, 1e6), power, budget, compute, limit, 0.0)


def ties(draw):
    """Draws two limits or all three equal, or within 1e-3 ... 1e-15 of each other. At x = 2^k - 1 and at
    tiny x, ln(1 + x) is known without a logarithm."""
    octave = draw.below(OCTAVE, 160)
    if octave < 110:
        x = math.ldexp(1.0, octave + 1) - 1
        nats = (octave + 1) * 0.6931471805599453
    else:
        x = math.ldexp(1.0, 88 - octave)  # 2^-22 ... 2^-71
        nats = x * (1 - x * (0.5 - x / 3))
    noise = draw.between(NOISE, 1e-30, 1e6)
    limit = draw.between(LIMIT, 1e-3, 1e3)
    if draw.below(KIND, 2) == 0:
        limit = math.ldexp(1.0, exponent(limit))  # This makes τ·P^max exact.
    power = noise * x
    compute = 0.0
    if draw.below(NO_COMPUTE, 3) != 0:
        compute = limit * power * draw.octaves(COMPUTE, -8, 8)
    nat_time = limit * nats * draw.near_one(TIE_FULL)
    budget = (limit * power + compute * (nats * (limit / nat_time))) * draw.near_one(TIE_ENERGY)
    # This is the one of the three limits that is far from the other two.
    far = draw.below(TIME, 4)
    return Device(noise, nat_time * (8 if far == 1 else 1), power * (8 if far == 2 else 1),
                  budget * (8 if far == 3 else 1), compute, limit, 0.0)


def with_compute_time(draw):
    """Draws computation time in the limit, in ranges of the physical world. Equation (11)'s coefficient
    c ~ τ·E^c - E^max·T^c has both signs, and for one device in eight nearly vanishes."""
    noise = draw.between(NOISE, 1e-20, 1e2)
    limit = draw.between(LIMIT, 1e-3, 1e3)
    power = draw.between(POWER, 1e-6, 1e3)
    nats = rough_nats(power / noise) * draw.octaves(RATIO, -6, 6)
    budget = 0.0 if draw.below(NO_BUDGET, 32) == 0 else limit * power * draw.octaves(BUDGET, -12, 6)
    time = limit * draw.between(TIME, 1e-6, 1e3)
    compute = 0.0 if draw.below(NO_COMPUTE, 5) == 0 else budget * draw.octaves(COMPUTE, -20, 8)
    if draw.below(KIND, 8) == 0:
        compute = budget * (time / limit) * draw.near_one(TIE_ENERGY)
    return Device(noise, limit * clamp(nats, 1e-4, 1e4), power, budget, compute, limit, time)


def with_deadline(draw):
    """Draws as `matched`, but an upload that fits into the limit for three devices in four, and for half
    of them some computation time."""
    device = matched(draw)
    limit = device.time_limit_s
    nats = rough_nats(device.max_power_w / device.noise_to_gain_w) * draw.octaves(RATIO, -8, 0)
    time = 0.0 if draw.below(NO_TIME, 2) == 0 else limit * draw.between(TIME, 1e-6, 2)
    return device._replace(nat_time_s=limit * clamp(nats, 1e-6, 1e6), compute_time_s=time)


class Section(NamedTuple):
    """A Section is one planning problem: how its devices are drawn, how many, and the options it sets."""
    recipe: callable
    devices: int
    always: bool = False             # ComputeRule::kAlways
    deadline: bool = False           # TimeRule::kDeadline
    snr_gap: float = 1.0             # Γ
    spectral_efficiency: float = math.inf  # ρ
    efficiency: float = 1.0          # η of the amplifier
    circuit: float = 0.0             # P^c, W


SECTIONS = (
    Section(wide, 50000),
    Section(matched, 32000),
    Section(ties, 20000),
    Section(with_compute_time, 5000),
    Section(matched, 3000, always=True),
    Section(with_compute_time, 2000, always=True),
    Section(with_deadline, 3000, deadline=True),
    Section(with_deadline, 1000, deadline=True, always=True),
    Section(with_deadline, 1000, deadline=True, snr_gap=3.0, spectral_efficiency=7.5),
    Section(matched, 1000, spectral_efficiency=2.0**-10),
    Section(matched, 1000, spectral_efficiency=1.1),
    Section(matched, 1000, spectral_efficiency=7.5),
    Section(matched, 500, spectral_efficiency=30.0),
    Section(with_compute_time, 500, spectral_efficiency=4.8),
    Section(matched, 1000, snr_gap=1.25),
    Section(matched, 1000, snr_gap=10.0),
    Section(matched, 500, snr_gap=1e10),
    Section(with_compute_time, 500, always=True, snr_gap=2.5, spectral_efficiency=6.0),
    Section(matched, 1000, efficiency=0.35),
    Section(with_compute_time, 500, always=True, efficiency=0.35),
    Section(wide, 2000, circuit=1e-3),
    Section(matched, 4000, efficiency=0.35, circuit=0.05),
    Section(matched, 500, spectral_efficiency=4.8, circuit=1e5),
    Section(with_compute_time, 2000, efficiency=0.5, circuit=0.25),
    Section(with_compute_time, 500, always=True, snr_gap=2.0, efficiency=0.25, circuit=1e-9),
    Section(with_deadline, 1000, deadline=True, efficiency=0.35, circuit=0.05),
    Section(with_deadline, 500, deadline=True, always=True, spectral_efficiency=7.5,
            circuit=1e-3),
)


# --- The problem (8) and its solution ------------------------------------------------------------


class Exact(NamedTuple):
    """This is a device under the options of its section, in extended precision."""
    g: mpf
    nat_time: mpf
    max_power: mpf
    budget: mpf
    compute: mpf
    limit: mpf
    compute_time: mpf
    max_rate: mpf  # nats/s/Hz
    circuit: mpf
    cheapest: mpf  # u_0, or the largest u that there is; 0 without circuit power
    deadline: bool


def cheapest_rate(g, max_power, max_rate, circuit):
    """Returns u_0 of (E4): the root of 1 + (u - 1)·e^u = P^c/g, by Newton's method from the right; or the
    caps, where they come before."""
    if circuit == 0:
        return mpf(0)
    r = circuit / g
    u = min(sqrt(2 * r), max(mpf(2), log(1 + r)))
    for _ in range(100):
        step = (1 + (u - 1) * exp(u) - r) / (u * exp(u))
        u -= step
        if abs(step) < u * ldexp(ONE, -120):
            return min(u, log(1 + max_power / g), max_rate)
    raise ArithmeticError(f"no convergence: {r}")


def exact(section, device):
    """Applies SNR gap and spectral-efficiency cap (3), compute always (13), amplifier (E2)."""
    values = [mpf(value) for value in device]
    noise, nat_time, max_power, budget, compute, limit, compute_time = values
    if section.always:
        budget, compute = max(budget - compute, mpf(0)), mpf(0)
    max_rate = INFINITY
    if section.spectral_efficiency != math.inf:
        max_rate = section.spectral_efficiency * ln2
    efficiency = mpf(section.efficiency)
    g, circuit = noise * section.snr_gap, section.circuit * efficiency
    return Exact(g, nat_time, max_power, budget * efficiency, compute * efficiency, limit,
                 compute_time, +max_rate, circuit,
                 cheapest_rate(g, max_power, max_rate, circuit), section.deadline)


def power_at(d, u):
    """Returns P = g·(e^u - 1), (9)."""
    return d.g * (exp(u) - 1)


def longest_upload(d, a):
    """Returns the time that a leaves for the upload: a·(T + T^c) = τ, or T + T^c = τ under a deadline."""
    return (d.limit if d.deadline else d.limit / a) - d.compute_time


def energy_at(d, u):
    """Returns the energy of taking part once, (E3) and the computation."""
    return (power_at(d, u) + d.circuit) * d.nat_time / u + d.compute


def is_feasible(d, a):
    """Tells whether some power lets the device take part with probability a; (8) at P_min(a), (25), or at
    the power that costs less, (E8)."""
    upload = longest_upload(d, a)
    if a > 1 or upload <= 0 or d.nat_time / upload > d.max_rate:
        return False
    if d.nat_time / upload > 1e5:  # No power is as large.
        return False
    u = d.nat_time / upload
    return (power_at(d, u) <= d.max_power and
            a * energy_at(d, max(u, d.cheapest)) <= d.budget)


def rough_root(b, c):
    """Returns the positive root of e^u - 1 + c·u = b, (11), in doubles: Newton's method from the right,
    where the convex function is positive."""
    if b == 0:
        return 0.0
    u = math.log1p(b)
    if c >= 0:
        u = min(u, b / (1 + c))  # (20)
    else:
        while math.expm1(u) + c * u < b:
            u += 1
    for _ in range(200):
        step = (math.expm1(u) + c * u - b) / (math.exp(u) + c)
        u -= step
        if not abs(step) > 1e-14 * u:
            break
    return u


def energy_root(d):
    """Returns u_energy of (12): the root of (11), polished by Newton's method to full precision."""
    b = d.budget / (d.limit * d.g)  # (16)
    c = (d.compute - d.budget * d.compute_time / d.limit) / (d.nat_time * d.g)
    if b == 0:
        return mpf(0)
    u = mpf(rough_root(float(b), float(c)))
    for _ in range(60):
        power = exp(u)
        step = (power - 1 + c * u - b) / (power + c)
        u -= step
        if abs(step) < u * ldexp(ONE, -120):  # The next step would be below 2^-230.
            return u
    raise ArithmeticError(f"no convergence: {d}")


def largest_crossing(d):
    """Returns u_c of (E5) where it is beyond the cheapest u, else 0: f is convex and negative between the
    two, so Newton's method from the right of the root finds it."""
    def f(u):
        return (d.limit * (power_at(d, u) + d.circuit) - d.budget
                + (d.limit * d.compute - d.budget * d.compute_time) * u / d.nat_time)
    if f(d.cheapest) >= 0:
        return mpf(0)
    u, step = d.cheapest, ONE
    while f(u) < 0:
        u, step = u + step, step * 2
    for _ in range(1000):
        slope = (d.limit * d.g * exp(u)
                 + (d.limit * d.compute - d.budget * d.compute_time) / d.nat_time)
        step = f(u) / slope
        u -= step
        if abs(step) < u * ldexp(ONE, -120):
            return u
    raise ArithmeticError(f"no convergence: {d}")


def solve_circuit(d):
    """Solves by the closed form (E6)."""
    if d.budget == 0:
        return mpf(0), mpf(0)
    u_full = d.nat_time / (d.limit - d.compute_time) if d.limit > d.compute_time else INFINITY
    u_power = log(1 + d.max_power / d.g)
    u = min(u_power, d.max_rate, max(d.cheapest, min(u_full, largest_crossing(d))))
    timely = ONE if u >= u_full else d.limit * u / (d.nat_time + d.compute_time * u)
    return min(timely, d.budget / energy_at(d, u)), d.max_power if u == u_power else power_at(d, u)


def solve_expected(d):
    """Solves by the closed form (12)."""
    if d.circuit > 0:
        return solve_circuit(d)
    if d.budget == 0:
        return mpf(0), mpf(0)
    u_full = d.nat_time / (d.limit - d.compute_time) if d.limit > d.compute_time else INFINITY
    u_power = log(1 + d.max_power / d.g)
    u = min(u_full, u_power, d.max_rate, energy_root(d))
    a = ONE if u == u_full else d.limit * u / (d.nat_time + d.compute_time * u)
    return a, d.max_power if u == u_power else power_at(d, u)


def solve_deadline(d):
    """Finds probability and power under a deadline, (14) and (E7)."""
    upload = d.limit - d.compute_time
    if d.budget == 0 or upload <= 0 or d.nat_time / upload > min(d.max_rate, mpf(1000)):
        return mpf(0), mpf(0)
    power = power_at(d, d.nat_time / upload)
    if power > d.max_power:
        return mpf(0), mpf(0)
    u = max(d.nat_time / upload, d.cheapest)
    return min(ONE, d.budget / energy_at(d, u)), min(power_at(d, u), d.max_power)


def verify(d, a, power):
    """Checks the plan against the problem itself: a little less is feasible, a little more is not, and the
    power is the least that a needs, or that of the cheapest upload if it is more."""
    ok = 0 <= a <= 1 and 0 <= power <= d.max_power
    if a == 0:
        ok = ok and not is_feasible(d, mpf(10) ** -60)
    else:
        least = power_at(d, max(d.nat_time / longest_upload(d, a), d.cheapest))
        # With T^c the power is the less certain the smaller the upload's share of the time is.
        share = longest_upload(d, a) / (longest_upload(d, a) + d.compute_time)
        ok = (ok and is_feasible(d, a * (1 - RESOLUTION))
              and not is_feasible(d, a * (1 + RESOLUTION))
              and abs(power - least) <= least * RESOLUTION * 1000 / share)
    if not ok:
        raise ArithmeticError(f"not optimal: a = {a}, P = {power}, {d}")


def solve(section, device):
    """Returns probability and power, correctly rounded."""
    d = exact(section, device)
    a, power = solve_deadline(d) if d.deadline else solve_expected(d)
    verify(d, a, power)
    return struct.pack("<dd", float(a), float(power))


# --- The file ------------------------------------------------------------------------------------


def devices_of(number):
    section = SECTIONS[number]
    return [section.recipe(Draw(number, i)) for i in range(section.devices)]


def hash_of(devices):
    """Returns FNV-1a over 64-bit words, which tells whether C++ made the same inputs."""
    value = 0xCBF29CE484222325
    for device in devices:
        for word in struct.unpack("<7Q", struct.pack("<7d", *device)):
            value = (value ^ word) * 0x100000001B3 & MASK
    return value


def header(fleets):
    parts = [MAGIC, struct.pack("<Q", len(fleets))]
    parts += [struct.pack("<QQ", len(fleet), hash_of(fleet)) for fleet in fleets]
    return b"".join(parts)


def write(fleets):
    with FILE.open("wb") as out:
        out.write(header(fleets))
        for section, fleet in zip(SECTIONS, fleets):
            out.write(b"".join(solve(section, device) for device in fleet))


def check(fleets, step):
    stored = FILE.read_bytes()
    expected_header = header(fleets)
    if not stored.startswith(expected_header):
        return f"{FILE}: header or inputs differ"
    offset = len(expected_header)
    for number, (section, fleet) in enumerate(zip(SECTIONS, fleets)):
        for i in range(0, len(fleet), step):
            if stored[offset + 16 * i:offset + 16 * i + 16] != solve(section, fleet[i]):
                return f"{FILE}: section {number}, device {i} differs"
        offset += 16 * len(fleet)
    return None if offset == len(stored) else f"{FILE}: wrong size"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check-sample", type=int, metavar="K",
                        help="solve every K-th device again and compare with the file")
    step = parser.parse_args().check_sample
    if step is not None and step < 1:
        parser.error("K must be at least 1")
    fleets = [devices_of(number) for number in range(len(SECTIONS))]
    if step is None:
        write(fleets)
        return 0
    problem = check(fleets, step)
    if problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
