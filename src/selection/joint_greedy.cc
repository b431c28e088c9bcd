// In joint scheduling and bandwidth allocation (Shi et al.), devices are added one by one, each
// time the one with which all would finish first, until a bound on the progress falls.
//
// With m devices that finish together at T* (S12), a given time holds 1/T* rounds per second, and
// the bound on the inverse of the loss grows with each round by a part that is larger the more take
// part:
//
//   max (1 - m_0/m) / T*(Π)                                                                  (S15)
//
// The form of the bound's dependence on m is ours: the constants of the source cannot be known from
// outside. m_0 is the number of devices below which there is no progress at all.
#include <algorithm>
#include <cmath>
#include <limits>

#include "planning/concurrent_uploads.h"
#include "selection/once_per_plan.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Newcomers are those who have not been added yet; they can be asked who of them would finish first
// in a band. An answer needs only a few candidates, because all the others were later than
// `horizon_s` in a band that was wider.
class Newcomers {
 public:
  Newcomers(const Cell& cell, std::span<const std::uint32_t> devices)
      : cell_(cell), others_(devices.begin(), devices.end()) {}

  std::uint32_t FirstIn(double band_hz) {
    if (band_hz <= horizon_hz_ && !candidates_.empty()) {
      const Finish first = FirstCandidate(band_hz);
      if (first.finish_s < horizon_s_ || others_.empty()) return first.device;
    }
    FindCandidates(band_hz);
    return FirstCandidate(band_hz).device;
  }

  void Remove(std::uint32_t device) {
    if (std::erase(candidates_, device) == 0) std::erase(others_, device);
  }

 private:
  static constexpr std::size_t kCandidates = 1024;

  struct Finish {
    double finish_s = kInfinity;
    std::uint32_t device = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm
    auto operator<=>(const Finish&) const = default;
  };

  Finish FinishIn(double band_hz, std::uint32_t device) const {
    const PlanningProblem& problem = cell_.problem;
    return {cell_.compute_time_s[device] + SendTime(cell_, device, problem.max_power_w[device],
                                                    band_hz, cell_.update_bits[device]),
            device};
  }

  Finish FirstCandidate(double band_hz) const {
    Finish first = FinishIn(band_hz, candidates_.front());
    for (const std::uint32_t device : candidates_) {
      first = std::min(first, FinishIn(band_hz, device));
    }
    return first;
  }

  void FindCandidates(double band_hz) {
    others_.insert(others_.end(), candidates_.begin(), candidates_.end());
    std::vector<Finish> finishes;
    finishes.reserve(others_.size());
    for (const std::uint32_t device : others_) finishes.push_back(FinishIn(band_hz, device));
    const std::size_t count = std::min(kCandidates, finishes.size());
    std::nth_element(finishes.begin(), finishes.begin() + std::ptrdiff_t(count - 1),
                     finishes.end());
    horizon_hz_ = band_hz;
    horizon_s_ = finishes[count - 1].finish_s;
    candidates_.clear();
    others_.clear();
    for (std::size_t j = 0; j < finishes.size(); ++j) {
      (j < count ? candidates_ : others_).push_back(finishes[j].device);
    }
  }

  const Cell& cell_;
  std::vector<std::uint32_t> candidates_, others_;
  double horizon_hz_ = 0, horizon_s_ = 0;
};

class JointGreedy : public OncePerPlan {
 public:
  explicit JointGreedy(const OptionValues& options) : least_devices_(options["least_devices"]) {}

 protected:
  Selection SelectAmong(const SelectionView& view,
                        std::span<const std::uint32_t> able) const override {
    const Cell& cell = *view.cell;
    Newcomers newcomers(cell, able);
    std::vector<std::uint32_t> devices;
    planning::CommonFinish finish;
    while (devices.size() < able.size()) {
      const planning::CommonFinish next = AddFirst(cell, newcomers, devices);
      if (devices.size() > 1 &&
          Progress(devices.size(), next) < Progress(devices.size() - 1, finish)) {
        devices.pop_back();
        break;
      }
      newcomers.Remove(devices.back());
      finish = next;
    }
    std::vector<Terms> terms;
    for (std::size_t j = 0; j < devices.size(); ++j) {
      terms.push_back({.power_w = cell.problem.max_power_w[devices[j]],
                       .bandwidth_hz = finish.bandwidth_hz[j]});
    }
    return InRisingOrder(devices, terms);
  }

 private:
  // Progress returns the bound of (S15).
  double Progress(std::size_t count, const planning::CommonFinish& finish) const {
    return (1 - least_devices_ / double(count)) / finish.finish_s;
  }

  // AddFirst adds the device with which all finish first. In the band that a device gets, it is
  // itself the first of all newcomers, or the first is better, because whoever ends sooner there
  // leaves band to spare. So the search goes from one to the next until it stays, two or three
  // times.
  static planning::CommonFinish AddFirst(const Cell& cell, Newcomers& newcomers,
                                         std::vector<std::uint32_t>& devices) {
    double band_hz = cell.total_bandwidth_hz / double(devices.size() + 1);
    std::uint32_t added = newcomers.FirstIn(band_hz);
    devices.push_back(added);
    planning::CommonFinish best = planning::FinishTogether(cell, devices, cell.problem.max_power_w);
    while (true) {
      devices.back() = newcomers.FirstIn(best.bandwidth_hz.back());
      if (devices.back() == added) return best;
      planning::CommonFinish next =
          planning::FinishTogether(cell, devices, cell.problem.max_power_w);
      if (!(next.finish_s < best.finish_s)) {  // both are the same but for rounding
        devices.back() = added;
        return best;
      }
      added = devices.back();
      best = std::move(next);
    }
  }

  double least_devices_;
};

}  // namespace

StrategyEntry JointGreedyEntry() {
  return {
      "joint-greedy",
      "Those that finish together soonest take part, as many as a bound on progress favours (Shi).",
      {{.name = "least_devices",
        .value = 5,
        .low = 0,
        .high = 1e9,
        .summary =
            "Below this many devices its bound sees no progress; it takes about twice as many."}},
      ConstructStrategy<JointGreedy>,
      /*knows_probabilities=*/false,
      /*cuts_updates=*/false,
      /*needs_shannon=*/true};
}

}  // namespace airlot::selection
