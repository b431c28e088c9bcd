// In energy-efficient federated learning (Yang et al. 2021), all devices take part in every round,
// in bands, at powers and CPU shares of the least energy with which all end at a deadline:
//
//   min Σ E^c_i·φ_i² + P_i·t_i   s.t.   T^c_i/φ_i + t_i = σ·T_min,   Σ b_i <= B,
//                                       P_i <= P^max,   φ_i <= 1.                            (S19)
//
// T_min is the least time at P^max and full speed (S12), σ the slack. As in the source the problem
// is solved in turn for the CPU shares with the bands given, which is a problem of one variable for
// each device (S20), and for the bands and powers with the times given (S14); each step can only
// save energy. The source's third variable, the accuracy of local training, is not chosen here,
// because the scenario says how devices train.
#include <algorithm>
#include <cmath>

#include "airlot/link.h"
#include "planning/concurrent_uploads.h"
#include "selection/once_per_plan.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

// BestUploadTime returns the time for the upload of a device that has `total_s` for all and sends
// in this band. It solves
//
//   min E^c·(T^c/(total - t))² + t·g·(e^y - 1),   y = c/(b·t),
//
// between what P^max needs and what is left at full speed. The derivative rises with t, so
// bisection finds it. (S20)
double BestUploadTime(const Cell& cell, std::size_t device, double bandwidth_hz, double total_s) {
  const PlanningProblem& problem = cell.problem;
  const double compute_s = cell.compute_time_s[device];
  const double compute_j = FixedEnergyOf(problem, device).drawn_j;
  double high_s = total_s - compute_s;
  const bool can_save = compute_s > 0 && compute_j > 0;
  if (!can_save) return high_s;
  double low_s = std::min(high_s, SendTime(cell, device, problem.max_power_w[device], bandwidth_hz,
                                           cell.update_bits[device]));
  const double noise_to_gain_w = NoiseToGain(cell, device, bandwidth_hz);
  const double nat_time_s = NatTime(cell.update_bits[device], bandwidth_hz);
  const auto is_short = [&](double t) {
    const double share = compute_s / (total_s - t);
    const double y = nat_time_s / t;
    const double saved_w = noise_to_gain_w * (y * std::exp(y) - std::expm1(y));
    return 2 * compute_j * share * share / (total_s - t) < saved_w;
  };
  if (is_short(high_s)) return high_s;
  for (int step = 0; step < 45; ++step) {
    const double t = low_s + (high_s - low_s) / 2;
    (is_short(t) ? low_s : high_s) = t;
  }
  return high_s;
}

class EnergyEfficient : public OncePerPlan {
 public:
  explicit EnergyEfficient(const OptionValues& options) : slack_(options["slack"]) {}

 protected:
  Selection SelectAmong(const SelectionView& view,
                        std::span<const std::uint32_t> able) const override {
    const Cell& cell = *view.cell;
    const planning::CommonFinish finish =
        planning::FinishTogether(cell, able, cell.problem.max_power_w);
    const double deadline_s = slack_ * finish.finish_s;
    std::vector<double> upload_s;
    for (const std::uint32_t i : able) {
      upload_s.push_back(deadline_s - cell.compute_time_s[i]);
    }
    auto least = planning::LeastEnergyBands(cell, able, upload_s);
    // Without slack, rounding can make it infeasible.
    if (!least) return AtFullPower(cell, able, finish);
    double energy_j = TotalEnergy(cell, able, upload_s, deadline_s, *least);
    for (int turn = 0; turn < kMostTurns; ++turn) {
      std::vector<double> next_s(able.size());
      for (std::size_t j = 0; j < able.size(); ++j) {
        next_s[j] = BestUploadTime(cell, able[j], least->bandwidth_hz[j], deadline_s);
      }
      if (next_s == upload_s) break;  // so it is where the computation takes no time
      auto next = planning::LeastEnergyBands(cell, able, next_s);
      if (!next) break;  // only rounding makes it so
      const double next_j = TotalEnergy(cell, able, next_s, deadline_s, *next);
      const bool is_worth = next_j < energy_j * (1 - kLeastSaving);
      if (next_j < energy_j) {
        upload_s = std::move(next_s);
        least = std::move(next);
        energy_j = next_j;
      }
      if (!is_worth) break;
    }

    Selection selection;
    selection.devices.assign(able.begin(), able.end());
    for (std::size_t j = 0; j < able.size(); ++j) {
      selection.terms.push_back({.power_w = least->power_w[j],
                                 .bandwidth_hz = least->bandwidth_hz[j],
                                 .cpu_share = CpuShare(cell, able[j], upload_s[j], deadline_s)});
    }
    return selection;
  }

 private:
  static constexpr int kMostTurns = 20;
  static constexpr double kLeastSaving = 1e-4;  // saving of a turn that another follows

  static Selection AtFullPower(const Cell& cell, std::span<const std::uint32_t> able,
                               const planning::CommonFinish& finish) {
    Selection selection;
    selection.devices.assign(able.begin(), able.end());
    for (std::size_t j = 0; j < able.size(); ++j) {
      selection.terms.push_back(
          {.power_w = cell.problem.max_power_w[able[j]], .bandwidth_hz = finish.bandwidth_hz[j]});
    }
    return selection;
  }

  static double CpuShare(const Cell& cell, std::size_t device, double upload_s, double total_s) {
    const double compute_s = cell.compute_time_s[device];
    const bool is_full = upload_s >= total_s - compute_s;
    return is_full ? 1 : std::min(1.0, compute_s / (total_s - upload_s));
  }

  static double TotalEnergy(const Cell& cell, std::span<const std::uint32_t> devices,
                            std::span<const double> upload_s, double total_s,
                            const planning::LeastEnergy& least) {
    double energy_j = least.energy_j;
    for (std::size_t j = 0; j < devices.size(); ++j) {
      const double share = CpuShare(cell, devices[j], upload_s[j], total_s);
      energy_j += cell.problem.compute_energy_j[devices[j]] * share * share;
    }
    return energy_j;
  }

  double slack_;
};

}  // namespace

StrategyEntry EnergyEfficientEntry() {
  return {"energy-efficient",
          "All devices send in bands, at powers and CPU speeds of least energy for a finish time "
          "(Yang).",
          {{.name = "slack",
            .value = 1.2,
            .low = 1,
            .high = 1e6,
            .summary =
                "A round takes this many times the least time that is possible with all devices."}},
          ConstructStrategy<EnergyEfficient>,
          /*knows_probabilities=*/false,
          /*cuts_updates=*/false,
          /*needs_shannon=*/true};
}

}  // namespace airlot::selection
