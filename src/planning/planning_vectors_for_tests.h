// This header is for tests only: it has fleets drawn from integers, and their plans to 50 digits.
//
// The inputs are made here by the recipe of tools/planning_vectors.py, word for word: integers and
// the correctly rounded +, -, *, / of doubles, so that both languages make the very same values.
// The plans are read from tests/data/planning_vectors.bin, which that tool writes and describes.
#ifndef AIRLOT_PLANNING_PLANNING_VECTORS_FOR_TESTS_H_
#define AIRLOT_PLANNING_PLANNING_VECTORS_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/planning.h"

namespace airlot::planning {

// --- The inputs ----------------------------------------------------------------------------------

// Returns the n-th output of the generator of that name, seed 0.
inline std::uint64_t SplitMix64(std::uint64_t n) {
  std::uint64_t z = (n + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

inline int Exponent(double value) {
  int exponent;
  std::frexp(value, &exponent);
  return exponent - 1;
}

// VectorDraw has the random numbers of one device; each is named by what it is for.
class VectorDraw {
 public:
  // The numbers 16 ... 31 belong to the corners of `Between`.
  enum Purpose : std::uint64_t {
    kNoise,
    kLimit,
    kRatio,
    kPower,
    kBudget,
    kCompute,
    kTime,
    kNoBudget,
    kNoCompute,
    kNoTime,
    kKind,
    kOctave,
    kTieFull,
    kTieEnergy
  };

  VectorDraw(std::size_t section, std::size_t index)
      : first_((std::uint64_t{section} << 40) + index * 32) {}

  std::uint64_t Below(std::uint64_t purpose, std::uint64_t bound) const {
    return SplitMix64(first_ + purpose) % bound;
  }
  // Draws log-uniformly, or nearly: a mantissa in [1, 2) times 2^low ... 2^high.
  double Octaves(std::uint64_t purpose, int low, int high) const {
    const std::uint64_t bits = SplitMix64(first_ + purpose);
    const auto octave = static_cast<int>(bits % static_cast<std::uint64_t>(high - low + 1));
    return std::ldexp(1 + static_cast<double>(bits >> 12) * 0x1p-52, low + octave);
  }
  // Draws `Octaves` within [low, high]; one in 32 is just `low`, one in 32 just `high`.
  double Between(std::uint64_t purpose, double low, double high) const {
    const std::uint64_t corner = Below(purpose + 16, 32);
    if (corner < 2) return corner == 0 ? low : high;
    return std::clamp(Octaves(purpose, Exponent(low), Exponent(high)), low, high);
  }
  // Draws 1 or 1 ± 2^-10 ... 1 ± 2^-50.
  double NearOne(std::uint64_t purpose) const {
    const int step = static_cast<int>(Below(purpose, 83)) - 41;
    return step == 0 ? 1 : 1 + std::copysign(std::ldexp(1.0, -9 - std::abs(step)), step);
  }

 private:
  std::uint64_t first_;
};

struct VectorDevice {
  double noise_to_gain_w, nat_time_s, max_power_w, energy_budget_j, compute_energy_j, time_limit_s,
      compute_time_s;
};

// Returns ln(1 + x) within a factor of two.
inline double RoughNats(double x) { return x < 1 ? x : (Exponent(x) + 1) * 0.6875; }

// Draws every quantity on its own, over the whole range.
inline VectorDevice WideDevice(const VectorDraw& draw) {
  const double limit = draw.Between(VectorDraw::kLimit, 1e-3, 1e3);
  return {.noise_to_gain_w = draw.Between(VectorDraw::kNoise, 1e-30, 1e6),
          .nat_time_s = limit * draw.Between(VectorDraw::kRatio, 1e-6, 1e6),
          .max_power_w = draw.Between(VectorDraw::kPower, 1e-12, 1e6),
          .energy_budget_j = draw.Below(VectorDraw::kNoBudget, 32) == 0
                                 ? 0
                                 : draw.Between(VectorDraw::kBudget, 1e-30, 1e9),
          .compute_energy_j = draw.Below(VectorDraw::kNoCompute, 5) == 0
                                  ? 0
                                  : draw.Between(VectorDraw::kCompute, 1e-12, 1e9),
          .time_limit_s = limit,
          .compute_time_s = 0};
}

// Draws the three limits within a few orders of magnitude of each other, so that each often binds.
inline VectorDevice MatchedDevice(const VectorDraw& draw) {
  const double noise = draw.Between(VectorDraw::kNoise, 1e-30, 1e6);
  const double limit = draw.Between(VectorDraw::kLimit, 1e-3, 1e3);
  const double power = draw.Between(VectorDraw::kPower, 1e-12, 1e6);
  const double nats = RoughNats(power / noise) * draw.Octaves(VectorDraw::kRatio, -6, 6);
  double budget = 0;
  if (draw.Below(VectorDraw::kNoBudget, 32) != 0) {
    budget = std::clamp(limit * power * draw.Octaves(VectorDraw::kBudget, -12, 6), 1e-30, 1e9);
  }
  double compute = 0;
  if (draw.Below(VectorDraw::kNoCompute, 5) != 0) {
    compute = std::clamp(limit * power * draw.Octaves(VectorDraw::kCompute, -20, 8), 1e-30, 1e9);
  }
  return {noise, limit * std::clamp(nats, 1e-6, 1e6), power, budget, compute, limit, 0};
}

// Draws two limits or all three equal, or within 1e-3 ... 1e-15 of each other. Without a logarithm
// ln(1 + x) is known at x = 2^k - 1, and at tiny x.
inline VectorDevice TiedDevice(const VectorDraw& draw) {
  const int octave = static_cast<int>(draw.Below(VectorDraw::kOctave, 160));
  double x, nats;
  if (octave < 110) {
    x = std::ldexp(1.0, octave + 1) - 1;
    nats = (octave + 1) * 0.6931471805599453;
  } else {
    x = std::ldexp(1.0, 88 - octave);  // 2^-22 ... 2^-71
    nats = x * (1 - x * (0.5 - x / 3));
  }
  const double noise = draw.Between(VectorDraw::kNoise, 1e-30, 1e6);
  double limit = draw.Between(VectorDraw::kLimit, 1e-3, 1e3);
  if (draw.Below(VectorDraw::kKind, 2) == 0) {
    limit = std::ldexp(1.0, Exponent(limit));  // then τ·P^max is exact
  }
  const double power = noise * x;
  const double compute = draw.Below(VectorDraw::kNoCompute, 3) == 0
                             ? 0
                             : limit * power * draw.Octaves(VectorDraw::kCompute, -8, 8);
  const double nat_time = limit * nats * draw.NearOne(VectorDraw::kTieFull);
  const double budget = (limit * power + compute * (nats * (limit / nat_time))) *
                        draw.NearOne(VectorDraw::kTieEnergy);
  // `far` says which of the three limits is far from the other two.
  const std::uint64_t far = draw.Below(VectorDraw::kTime, 4);
  return {noise,
          nat_time * (far == 1 ? 8 : 1),
          power * (far == 2 ? 8 : 1),
          budget * (far == 3 ? 8 : 1),
          compute,
          limit,
          0};
}

// Draws computation time in the limit, in ranges of the physical world. Equation (11)'s coefficient
// c ~ τ·E^c - E^max·T^c has both signs, and for one device in eight nearly vanishes.
inline VectorDevice ComputeTimeDevice(const VectorDraw& draw) {
  const double noise = draw.Between(VectorDraw::kNoise, 1e-20, 1e2);
  const double limit = draw.Between(VectorDraw::kLimit, 1e-3, 1e3);
  const double power = draw.Between(VectorDraw::kPower, 1e-6, 1e3);
  const double nats = RoughNats(power / noise) * draw.Octaves(VectorDraw::kRatio, -6, 6);
  const double budget = draw.Below(VectorDraw::kNoBudget, 32) == 0
                            ? 0
                            : limit * power * draw.Octaves(VectorDraw::kBudget, -12, 6);
  const double time = limit * draw.Between(VectorDraw::kTime, 1e-6, 1e3);
  double compute = draw.Below(VectorDraw::kNoCompute, 5) == 0
                       ? 0
                       : budget * draw.Octaves(VectorDraw::kCompute, -20, 8);
  if (draw.Below(VectorDraw::kKind, 8) == 0) {
    compute = budget * (time / limit) * draw.NearOne(VectorDraw::kTieEnergy);
  }
  return {noise, limit * std::clamp(nats, 1e-4, 1e4), power, budget, compute, limit, time};
}

// Draws as `MatchedDevice` does, but with an upload that fits into the limit for three devices in
// four, and for half of them with some computation time.
inline VectorDevice DeadlineDevice(const VectorDraw& draw) {
  VectorDevice device = MatchedDevice(draw);
  const double limit = device.time_limit_s;
  const double nats = RoughNats(device.max_power_w / device.noise_to_gain_w) *
                      draw.Octaves(VectorDraw::kRatio, -8, 0);
  const double time = draw.Below(VectorDraw::kNoTime, 2) == 0
                          ? 0
                          : limit * draw.Between(VectorDraw::kTime, 1e-6, 2);
  device.nat_time_s = limit * std::clamp(nats, 1e-6, 1e6);
  device.compute_time_s = time;
  return device;
}

// A VectorSection is one planning problem: how its devices are drawn, how many, and the options it
// sets.
struct VectorSection {
  std::string_view name;
  VectorDevice (*recipe)(const VectorDraw&);
  std::size_t devices;
  ComputeRule compute_rule = ComputeRule::kParticipants;
  TimeRule time_rule = TimeRule::kExpected;
  double snr_gap = 1;
  double spectral_efficiency_cap = std::numeric_limits<double>::infinity();
  double amplifier_efficiency = 1;
  double circuit_power_w = 0;

  bool has_compute_time() const { return recipe == ComputeTimeDevice || recipe == DeadlineDevice; }
};

inline constexpr double kUncapped = std::numeric_limits<double>::infinity();
inline constexpr VectorSection kVectorSections[] = {
    {"wide", WideDevice, 50000},
    {"matched", MatchedDevice, 32000},
    {"ties", TiedDevice, 20000},
    {"computation time", ComputeTimeDevice, 5000},
    {"compute always", MatchedDevice, 3000, ComputeRule::kAlways},
    {"compute always, computation time", ComputeTimeDevice, 2000, ComputeRule::kAlways},
    {"deadline", DeadlineDevice, 3000, ComputeRule::kParticipants, TimeRule::kDeadline},
    {"deadline, compute always", DeadlineDevice, 1000, ComputeRule::kAlways, TimeRule::kDeadline},
    {"deadline, gap 3, cap 7.5", DeadlineDevice, 1000, ComputeRule::kParticipants,
     TimeRule::kDeadline, 3, 7.5},
    {"cap 2^-10", MatchedDevice, 1000, ComputeRule::kParticipants, TimeRule::kExpected, 1, 0x1p-10},
    {"cap 1.1", MatchedDevice, 1000, ComputeRule::kParticipants, TimeRule::kExpected, 1, 1.1},
    {"cap 7.5", MatchedDevice, 1000, ComputeRule::kParticipants, TimeRule::kExpected, 1, 7.5},
    {"cap 30", MatchedDevice, 500, ComputeRule::kParticipants, TimeRule::kExpected, 1, 30},
    {"cap 4.8, computation time", ComputeTimeDevice, 500, ComputeRule::kParticipants,
     TimeRule::kExpected, 1, 4.8},
    {"gap 1.25", MatchedDevice, 1000, ComputeRule::kParticipants, TimeRule::kExpected, 1.25},
    {"gap 10", MatchedDevice, 1000, ComputeRule::kParticipants, TimeRule::kExpected, 10},
    {"gap 1e10", MatchedDevice, 500, ComputeRule::kParticipants, TimeRule::kExpected, 1e10},
    {"compute always, gap 2.5, cap 6, computation time", ComputeTimeDevice, 500,
     ComputeRule::kAlways, TimeRule::kExpected, 2.5, 6},
    {"efficiency 0.35", MatchedDevice, 1000, ComputeRule::kParticipants, TimeRule::kExpected, 1,
     kUncapped, 0.35},
    {"compute always, efficiency 0.35, computation time", ComputeTimeDevice, 500,
     ComputeRule::kAlways, TimeRule::kExpected, 1, kUncapped, 0.35},
    {"wide, circuit 1e-3", WideDevice, 2000, ComputeRule::kParticipants, TimeRule::kExpected, 1,
     kUncapped, 1, 1e-3},
    {"efficiency 0.35, circuit 0.05", MatchedDevice, 4000, ComputeRule::kParticipants,
     TimeRule::kExpected, 1, kUncapped, 0.35, 0.05},
    {"cap 4.8, circuit 1e5", MatchedDevice, 500, ComputeRule::kParticipants, TimeRule::kExpected, 1,
     4.8, 1, 1e5},
    {"efficiency 0.5, circuit 0.25, computation time", ComputeTimeDevice, 2000,
     ComputeRule::kParticipants, TimeRule::kExpected, 1, kUncapped, 0.5, 0.25},
    {"compute always, gap 2, efficiency 0.25, circuit 1e-9, computation time", ComputeTimeDevice,
     500, ComputeRule::kAlways, TimeRule::kExpected, 2, kUncapped, 0.25, 1e-9},
    {"deadline, efficiency 0.35, circuit 0.05", DeadlineDevice, 1000, ComputeRule::kParticipants,
     TimeRule::kDeadline, 1, kUncapped, 0.35, 0.05},
    {"deadline, compute always, cap 7.5, circuit 1e-3", DeadlineDevice, 500, ComputeRule::kAlways,
     TimeRule::kDeadline, 1, 7.5, 1, 1e-3},
};

// A VectorFleet owns its columns.
struct VectorFleet {
  ColumnValues noise_to_gain_w, nat_time_s, max_power_w, energy_budget_j, compute_energy_j,
      time_limit_s, compute_time_s;
  VectorSection section{};

  std::size_t size() const { return noise_to_gain_w.size(); }

  void Add(const VectorDevice& device) {
    noise_to_gain_w.push_back(device.noise_to_gain_w);
    nat_time_s.push_back(device.nat_time_s);
    max_power_w.push_back(device.max_power_w);
    energy_budget_j.push_back(device.energy_budget_j);
    compute_energy_j.push_back(device.compute_energy_j);
    time_limit_s.push_back(device.time_limit_s);
    compute_time_s.push_back(device.compute_time_s);
  }

  // Returns the problem of the devices [begin, end), valid as long as the fleet is.
  PlanningProblem Problem(std::size_t begin, std::size_t end) const {
    const auto part = [&](const ColumnValues& values) {
      return std::span<const double>(values).subspan(begin, end - begin);
    };
    PlanningProblem problem{.devices = end - begin,
                            .noise_to_gain_w = part(noise_to_gain_w),
                            .nat_time_s = part(nat_time_s),
                            .max_power_w = part(max_power_w),
                            .energy_budget_j = part(energy_budget_j),
                            .compute_energy_j = part(compute_energy_j),
                            .time_limit_s = part(time_limit_s),
                            .snr_gap = section.snr_gap,
                            .spectral_efficiency_cap = section.spectral_efficiency_cap,
                            .amplifier_efficiency = section.amplifier_efficiency,
                            .circuit_power_w = section.circuit_power_w,
                            .time_rule = section.time_rule,
                            .compute_rule = section.compute_rule};
    // Without such a column the time is a constant 0, for which the vectorised solver has code of
    // its own.
    if (section.has_compute_time()) problem.compute_time_s = part(compute_time_s);
    return problem;
  }
  PlanningProblem Problem() const { return Problem(0, size()); }
};

// Makes the first devices of a section, at most `most`.
inline VectorFleet MakeVectorFleet(std::size_t number, std::size_t most = SIZE_MAX) {
  VectorFleet fleet;
  fleet.section = kVectorSections[number];
  for (std::size_t i = 0; i < std::min(most, fleet.section.devices); ++i) {
    fleet.Add(fleet.section.recipe(VectorDraw(number, i)));
  }
  return fleet;
}

// Computes FNV-1a over 64-bit words, as the file's header has it.
inline std::uint64_t HashOf(const VectorFleet& fleet) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    for (const double value : {fleet.noise_to_gain_w[i], fleet.nat_time_s[i], fleet.max_power_w[i],
                               fleet.energy_budget_j[i], fleet.compute_energy_j[i],
                               fleet.time_limit_s[i], fleet.compute_time_s[i]}) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001B3ull;
    }
  }
  return hash;
}

// --- The plans -----------------------------------------------------------------------------------

// Vectors are a fleet and its plan to 50 digits, rounded to doubles.
struct Vectors {
  VectorFleet fleet;
  Plan plan;
};

// Reads the whole file; the result is empty where it cannot be read or was made for other inputs.
inline std::vector<Vectors> ReadVectors() {
  std::ifstream in("tests/data/planning_vectors.bin", std::ios::binary);
  const auto read = [&]<class T>(T value) {
    in.read(reinterpret_cast<char*>(&value), sizeof(value));
    return value;
  };
  const auto magic = read(std::array<char, 8>());
  if (std::string_view(magic.data(), magic.size()) != "AIRLOTPV") return {};
  if (read(std::uint64_t()) != std::size(kVectorSections)) return {};
  std::vector<Vectors> all;
  for (std::size_t number = 0; number < std::size(kVectorSections); ++number) {
    all.push_back({MakeVectorFleet(number), {}});
    if (read(std::uint64_t()) != all.back().fleet.size()) return {};
    if (read(std::uint64_t()) != HashOf(all.back().fleet)) return {};
  }
  for (Vectors& vectors : all) {
    for (std::size_t i = 0; i < vectors.fleet.size(); ++i) {
      vectors.plan.probability.push_back(read(double()));
      vectors.plan.power_w.push_back(read(double()));
    }
  }
  return in && in.peek() == std::ifstream::traits_type::eof() ? std::move(all)
                                                              : std::vector<Vectors>();
}

// Calls `test` with the first `most` devices of every section.
inline void OnEverySection(std::size_t most, const std::function<void(const VectorFleet&)>& test) {
  for (std::size_t number = 0; number < std::size(kVectorSections); ++number) {
    SCOPED_TRACE(kVectorSections[number].name);
    test(MakeVectorFleet(number, most));
  }
}

// --- A problem to work by hand -------------------------------------------------------------------

// In this problem g = 1 W and an update takes L = 2·ln2 s, that is 2 bit per hertz: at 1 W the
// upload takes 2 s and 2 J, at 3 W 1 s and 3 J.
inline PlanningProblem TwoBits() {
  return {.devices = 1,
          .noise_to_gain_w = 1.0,
          .nat_time_s = 2 * std::numbers::ln2,
          .max_power_w = 100.0,
          .energy_budget_j = 100.0,
          .time_limit_s = 1.0};
}

// --- What a plan is measured by ------------------------------------------------------------------

// The planner promises that the relative errors of probabilities, powers and constraints are at
// most this, with every solver on every target. docs/mathematics.md, section 5, and docs/energy.md
// derive less wherever computation time does not count.
inline constexpr double kAccuracy = 1e-12;

// Returns |got - want| / want; where `want` is 0 only 0 will do. A NaN has an infinite error.
inline double RelativeError(double got, double want) {
  if (got == want) return 0;
  const double error = std::abs(got - want) / std::abs(want);
  return want != 0 && error >= 0 ? error : std::numeric_limits<double>::infinity();
}

// Returns the largest relative amount by which device i breaks a constraint of (8) at (a, P), in
// long double; it is at most 0 where it breaks none.
inline long double ViolationOf(const PlanningProblem& problem, std::size_t i, long double a,
                               long double power_w) {
  constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
  if (!(a >= 0 && power_w >= 0 && power_w < kInfinity)) return kInfinity;
  if (a == 0) return 0;
  if (power_w == 0) return kInfinity;  // an upload without power never ends
  const long double g = static_cast<long double>(problem.noise_to_gain_w[i]) * problem.snr_gap;
  const long double nats = std::log1p(power_w / g);
  const long double upload_s = problem.nat_time_s[i] / nats;
  const long double share = problem.time_rule == TimeRule::kDeadline ? 1 : a;
  const long double computing = problem.compute_rule == ComputeRule::kAlways ? 1 : a;
  const long double drawn_w =
      power_w / problem.amplifier_efficiency + static_cast<long double>(problem.circuit_power_w);
  const long double energy_j = a * drawn_w * upload_s + computing * problem.compute_energy_j[i];
  const long double max_nats = problem.spectral_efficiency_cap * std::numbers::ln2_v<long double>;
  return std::max({a - 1, power_w / problem.max_power_w[i] - 1, nats / max_nats - 1,
                   share * (upload_s + problem.compute_time_s[i]) / problem.time_limit_s[i] - 1,
                   energy_j / problem.energy_budget_j[i] - 1});
}

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_PLANNING_VECTORS_FOR_TESTS_H_
