// delay-energy trades time for energy (Tran et al., FEDL). All devices take part in every round and
// upload in turn in the whole band, with
//
//   min Σ E_i + κ·(T_cp + Σ τ_i),   T^c_i/φ_i <= T_cp,   φ_min <= φ_i <= 1,   P_i <= P^max,
//
// which falls apart: each upload time τ_i is found by itself, and the CPU shares φ_i with the time
// T_cp of all computations. The third part of the source, the accuracy of local training, is not
// chosen here, because the scenario says how devices train.
#include <algorithm>
#include <cmath>

#include "airlot/link.h"
#include "planning/concurrent_uploads.h"
#include "selection/once_per_plan.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class DelayEnergy : public OncePerPlan {
 public:
  explicit DelayEnergy(const OptionValues& options)
      : weight_j_per_s_(options["weight_j_per_s"]), least_cpu_share_(options["least_cpu_share"]) {}

 protected:
  Selection SelectAmong(const SelectionView& view,
                        std::span<const std::uint32_t> able) const override {
    const Cell& cell = *view.cell;
    const double compute_s = ComputeTime(cell, able);
    struct Turn {
      double ready_s;
      std::uint32_t device;
      double cpu_share;
      bool operator<(const Turn& other) const {
        return ready_s != other.ready_s ? ready_s < other.ready_s : device < other.device;
      }
    };
    std::vector<Turn> turns;
    for (const std::uint32_t i : able) {
      const double cpu_share = CpuShare(cell, i, compute_s);
      const double ready_s = cell.compute_time_s[i] / cpu_share;
      // Who is ready at T_cp is so exactly, whatever the rounding, so that the first of them sends
      // first.
      turns.push_back({ready_s > compute_s * (1 - 1e-12) ? compute_s : ready_s, i, cpu_share});
    }
    std::ranges::sort(turns, std::less<>());

    Selection selection;
    selection.takes_turns = true;
    for (const Turn& turn : turns) {
      selection.devices.push_back(turn.device);
      selection.terms.push_back({.power_w = Power(cell, turn.device),
                                 .bandwidth_hz = cell.total_bandwidth_hz,
                                 .cpu_share = turn.cpu_share});
    }
    return selection;
  }

 private:
  // Power solves min τ·g·(e^y - 1) + κ·τ with y = c/(B·τ), at which 1 + (y - 1)·e^y = κ/g, or takes
  // the largest y that P^max and ρ allow. (S17)
  double Power(const Cell& cell, std::size_t device) const {
    const double noise_to_gain_w = NoiseToGain(cell, device, cell.total_bandwidth_hz);
    const double nats = std::min(planning::NatsOfPrice(std::log(weight_j_per_s_ / noise_to_gain_w)),
                                 MaxNatsPerHertz(cell.problem.spectral_efficiency_cap));
    return std::min(PowerOfNats(noise_to_gain_w, nats), cell.problem.max_power_w[device]);
  }

  // Returns whether a slower CPU would save a device energy.
  static bool CanSave(const Cell& cell, std::size_t device) {
    return cell.compute_time_s[device] > 0 && FixedEnergyOf(cell.problem, device).drawn_j > 0;
  }

  // ComputeTime returns the T_cp of the least Σ E^c_i·φ_i² + κ·T_cp with φ_i = max(φ_min,
  // T^c_i/T_cp), at which κ·T_cp³ = 2·Σ E^c_i·(T^c_i)² over those above φ_min, but never one before
  // the slowest device at full speed. The left side rises and the right side falls, so bisection
  // finds it. (S18)
  double ComputeTime(const Cell& cell, std::span<const std::uint32_t> able) const {
    double low_s = 0;
    for (const std::uint32_t i : able) low_s = std::max(low_s, cell.compute_time_s[i]);
    double high_s = low_s / least_cpu_share_;
    const auto is_early = [&](double time_s) {
      double saved_j = 0;  // half of what one more time_s would save at this rate
      for (const std::uint32_t i : able) {
        const double share = cell.compute_time_s[i] / time_s;
        if (CanSave(cell, i) && share > least_cpu_share_) {
          saved_j += cell.problem.compute_energy_j[i] * share * share;
        }
      }
      return weight_j_per_s_ * time_s < 2 * saved_j;
    };
    if (low_s == 0 || !is_early(low_s)) return low_s;
    for (int step = 0; step < 60; ++step) {
      const double middle_s = low_s + (high_s - low_s) / 2;
      (is_early(middle_s) ? low_s : high_s) = middle_s;
    }
    return high_s;
  }

  // Devices are of the three groups of the source: at full speed, at the least, or such that they
  // end at T_cp. (S18)
  double CpuShare(const Cell& cell, std::size_t device, double compute_s) const {
    if (!CanSave(cell, device)) return 1;
    return std::clamp(cell.compute_time_s[device] / compute_s, least_cpu_share_, 1.0);
  }

  double weight_j_per_s_;
  double least_cpu_share_;
};

}  // namespace

StrategyEntry DelayEnergyEntry() {
  return {
      "delay-energy",
      "All devices send in turn in the whole band, at the least energy plus weighted time (Tran).",
      {{.name = "weight_j_per_s",
        .value = 1,
        .low = 1e-9,
        .high = 1e9,
        .summary = "A second less is worth this energy, in J/s."},
       {.name = "least_cpu_share",
        .value = 0.15,
        .low = 0.001,
        .high = 1,
        .summary = "A CPU runs with at least this share of its frequency."}},
      ConstructStrategy<DelayEnergy>,
      /*knows_probabilities=*/false,
      /*cuts_updates=*/false,
      /*needs_shannon=*/true};
}

}  // namespace airlot::selection
