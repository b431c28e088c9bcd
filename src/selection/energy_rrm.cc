// Energy-efficient radio resource management (Zeng et al.) takes as many devices as are worth their
// energy, in the bands in which all uploads that end at the deadline need the least (S14):
//
//   max λ·|Π| - E*(Π)                                                                        (S16)
//
// With a price μ of the band, a device costs its own energy and its band, min_b E_k(b) + μ·b, which
// is less for a better channel and for a shorter computation. If devices could take part in parts,
// those that cost less than λ would, at the price at which they fill the band; what they demand
// falls with the price, so that bisection finds it. Of whole devices, those are taken that fit, the
// cheapest first, and further ones as long as each raises E* by less than λ.
//
// Where the user gives no λ, it is the one at which as many devices are worth it as the plan
// expects: the multiplier of the number m in
//
//   min E*(Π)   s.t.   |Π| = m                                                               (S16)
//
// At the price μ the m cheapest devices cost φ(μ), which is a minimum of concave functions and so
// concave; its derivative, the band that they demand, falls with μ, so that bisection finds the
// price at which it is the cell's. If they demand exactly that, nothing is cheaper, by duality; who
// is among them may change at the price, so that they demand more below it and less above, and the
// better of these two sets is taken.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "airlot/strategy_parts.h"
#include "base/check.h"
#include "base/ranking.h"
#include "planning/concurrent_uploads.h"
#include "selection/once_per_plan.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

constexpr double kAsExpected = -1;  // a value of reward_j for which the user writes a word

class EnergyRrm : public OncePerPlan {
 public:
  explicit EnergyRrm(const OptionValues& options) : reward_j_(options["reward_j"]) {}

 protected:
  Selection SelectAmong(const SelectionView& view,
                        std::span<const std::uint32_t> able) const override {
    const Cell& cell = *view.cell;
    std::vector<Candidate> candidates = FindCandidates(cell, able);
    if (candidates.empty()) return {};
    if (reward_j_ == kAsExpected) {
      const std::size_t count = std::max<std::size_t>(1, ExpectedDevices(view));
      const std::size_t most = MostThatFit(cell, candidates);
      return TakeCheapest(cell, std::min(count, most), std::move(candidates));
    }
    const double log_price = ClearingPrice(cell, candidates);
    std::vector<std::pair<double, std::size_t>> order;  // by rising cost, then by device
    for (Candidate& candidate : candidates) {
      Ask(cell, log_price, candidate);
      order.emplace_back(candidate.cost_j, order.size());
    }
    std::ranges::sort(order);
    return TakeWorthwhile(cell, candidates, order);
  }

 private:
  struct Candidate {
    std::uint32_t device;
    double upload_s;
    planning::TimedUpload band;
    double band_hz = 0, cost_j = 0;  // at the price of the last Ask
    double least_cost_j = 0;         // at the least price that is left
  };

  // Candidates are those that could send alone by the deadline, the shortest time limit of all.
  static std::vector<Candidate> FindCandidates(const Cell& cell,
                                               std::span<const std::uint32_t> able) {
    const double deadline_s = ShortestTimeLimit(cell, able);
    std::vector<Candidate> candidates;
    for (const std::uint32_t i : able) {
      const double upload_s = deadline_s - cell.problem.compute_time_s[i];
      const planning::TimedUpload band(cell, i, upload_s);
      if (band.is_possible() && band.BandOf(band.most_nats()) <= cell.total_bandwidth_hz) {
        candidates.push_back({i, upload_s, band});
      }
    }
    return candidates;
  }

  static void Ask(const Cell& cell, double log_price, Candidate& candidate) {
    const std::uint32_t i = candidate.device;
    candidate.band_hz = candidate.band.BandOf(candidate.band.NatsAt(log_price));
    const double power_w =
        SendPower(cell, i, candidate.band_hz, cell.update_bits[i], candidate.upload_s);
    candidate.cost_j = power_w * candidate.upload_s + std::exp(log_price) * candidate.band_hz;
  }

  // ClearingPrice returns the price at which those who cost less than the reward would fill the
  // band, or just not. It lies between the price at which somebody would take all of the band and
  // that at which the least band of any is too dear.
  double ClearingPrice(const Cell& cell, std::vector<Candidate> candidates) const {
    double low = std::numeric_limits<double>::infinity(), least_hz = low;
    for (const Candidate& candidate : candidates) {
      const planning::TimedUpload& band = candidate.band;
      low = std::min(low, band.LogPriceOf(band.BandOf(1) / cell.total_bandwidth_hz));
      least_hz = std::min(least_hz, band.BandOf(band.most_nats()));
    }
    double high = std::max(low, std::log(reward_j_ / least_hz));
    for (int step = 0; step < kPriceSteps && high - low > kPriceTolerance; ++step) {
      const double log_price = low + (high - low) / 2;
      double demand_hz = 0;
      for (Candidate& candidate : candidates) {
        Ask(cell, log_price, candidate);
        if (candidate.cost_j < reward_j_) demand_hz += candidate.band_hz;
        if (demand_hz > kFarTooMuch * cell.total_bandwidth_hz) break;  // others need not be asked
      }
      if (demand_hz > kFarTooMuch * cell.total_bandwidth_hz) {
        low = log_price;
      } else if (demand_hz > cell.total_bandwidth_hz) {
        low = log_price;  // who costs too much here does so at any price that is left
        std::erase_if(candidates, [&](const Candidate& c) { return !(c.cost_j < reward_j_); });
      } else {
        high = log_price;
      }
    }
    return high;
  }

  Selection TakeWorthwhile(const Cell& cell, std::span<const Candidate> candidates,
                           std::span<const std::pair<double, std::size_t>> order) const {
    std::vector<std::uint32_t> devices;
    std::vector<double> upload_s;
    double sum_hz = 0;
    for (const auto& [cost_j, index] : order) {
      const Candidate& candidate = candidates[index];
      sum_hz += candidate.band_hz;
      if (!(cost_j < reward_j_) || sum_hz > cell.total_bandwidth_hz) break;
      devices.push_back(candidate.device);
      upload_s.push_back(candidate.upload_s);
    }
    auto least = planning::LeastEnergyBands(cell, devices, upload_s);
    AIRLOT_CHECK(least, "{} devices, whose bands fit, have no powers", devices.size());
    while (devices.size() < candidates.size()) {
      const Candidate& candidate = candidates[order[devices.size()].second];
      devices.push_back(candidate.device);
      upload_s.push_back(candidate.upload_s);
      auto next = planning::LeastEnergyBands(cell, devices, upload_s);
      if (!next || !(next->energy_j - least->energy_j < reward_j_)) {
        devices.pop_back();
        break;
      }
      least = std::move(next);
    }

    return OnTermsOf(*least, devices);
  }

  static Selection OnTermsOf(const planning::LeastEnergy& least,
                             std::span<const std::uint32_t> devices) {
    std::vector<Terms> terms;
    for (std::size_t j = 0; j < devices.size(); ++j) {
      terms.push_back({.power_w = least.power_w[j], .bandwidth_hz = least.bandwidth_hz[j]});
    }
    return InRisingOrder(devices, terms);
  }

  // MostThatFit returns how many devices have room in the band, each in the least that it needs at
  // P^max.
  static std::size_t MostThatFit(const Cell& cell, std::span<const Candidate> candidates) {
    std::vector<double> least_hz;
    for (const Candidate& candidate : candidates) {
      least_hz.push_back(candidate.band.BandOf(candidate.band.most_nats()));
    }
    std::ranges::sort(least_hz);
    double sum_hz = 0;
    std::size_t count = 0;
    while (count < least_hz.size() && sum_hz + least_hz[count] <= cell.total_bandwidth_hz) {
      sum_hz += least_hz[count++];
    }
    return count;
  }

  // TakeCheapest solves (S16) for the m that fit. The price lies between the one at which somebody
  // would take all of the band and one at which the cheapest fit into it, for which a guess is the
  // price at which m would take their part of the band. Costs rise with the price, so that who is
  // dearer at the low price than all those taken at the high one is never taken.
  static Selection TakeCheapest(const Cell& cell, std::size_t count,
                                std::vector<Candidate> candidates) {
    const double band_hz = cell.total_bandwidth_hz, most_hz = band_hz * (1 + kRounding);
    double low = std::numeric_limits<double>::infinity();
    std::vector<double> price_of_part;
    for (const Candidate& candidate : candidates) {
      const planning::TimedUpload& band = candidate.band;
      const double alone = band.BandOf(1) / band_hz;  // the nats per second and Hz in all of it
      low = std::min(low, band.LogPriceOf(alone));
      price_of_part.push_back(band.LogPriceOf(std::min(band.most_nats(), alone * double(count))));
    }
    double high = base::NumberAtRank(std::move(price_of_part), count - 1);
    for (int step = 0; step < kPriceSteps && Demand(cell, high, count, candidates) > most_hz;
         ++step) {
      high += 1;
    }
    double dearest_j = candidates[count - 1].cost_j;  // of those taken at the high price
    double stride = 0.5;
    for (int step = 0; step < kPriceSteps && high - low > kPriceTolerance; ++step) {
      const double most_j = dearest_j * (1 + kCostTolerance);
      std::erase_if(candidates, [&](const Candidate& c) { return c.least_cost_j > most_j; });
      const double log_price = std::max(low + (high - low) / 2, high - stride);
      stride *= 2;  // The guess is mostly near, and each look at all candidates costs time.
      if (Demand(cell, log_price, count, candidates) <= most_hz) {
        high = log_price;
        dearest_j = candidates[count - 1].cost_j;
      } else {
        low = log_price;
        for (Candidate& candidate : candidates) candidate.least_cost_j = candidate.cost_j;
      }
    }
    return BetterOf(cell, low, high, count, candidates);
  }

  // Demand puts the `count` cheapest candidates first, the dearest of them last, and returns the
  // band that they would take.
  static double Demand(const Cell& cell, double log_price, std::size_t count,
                       std::vector<Candidate>& candidates) {
    for (Candidate& candidate : candidates) Ask(cell, log_price, candidate);
    std::ranges::nth_element(
        candidates, candidates.begin() + std::ptrdiff_t(count - 1), {},
        [](const Candidate& candidate) { return std::pair(candidate.cost_j, candidate.device); });
    double sum_hz = 0;
    for (std::size_t j = 0; j < count; ++j) sum_hz += candidates[j].band_hz;
    return sum_hz;
  }

  // BetterOf returns the cheapest at one of two prices, those that need less energy together.
  static Selection BetterOf(const Cell& cell, double low, double high, std::size_t count,
                            std::vector<Candidate>& candidates) {
    Selection selection;
    double least_j = std::numeric_limits<double>::infinity();
    for (const double log_price : {high, low}) {
      Demand(cell, log_price, count, candidates);
      std::ranges::sort(candidates.begin(), candidates.begin() + std::ptrdiff_t(count), {},
                        &Candidate::device);
      std::vector<std::uint32_t> devices;
      std::vector<double> upload_s;
      for (std::size_t j = 0; j < count; ++j) {
        devices.push_back(candidates[j].device);
        upload_s.push_back(candidates[j].upload_s);
      }
      const auto least = planning::LeastEnergyBands(cell, devices, upload_s);
      if (!least || !(least->energy_j < least_j)) continue;
      least_j = least->energy_j;
      selection = OnTermsOf(*least, devices);
    }
    return selection;
  }

  static constexpr double kRounding = 1e-12;      // by which a sum of bands may be too large
  static constexpr double kCostTolerance = 1e-9;  // far more than costs at two prices are off by
  static constexpr double kFarTooMuch = 4;        // in units of the band
  static constexpr int kPriceSteps = 60;
  static constexpr double kPriceTolerance = 1e-6;  // relative error of a price

  double reward_j_;
};

}  // namespace

StrategyEntry EnergyRrmEntry() {
  return {
      "energy-rrm",
      "Devices that are worth their transmit energy by the deadline take part, in bands of least "
      "energy (Zeng).",
      {{.name = "reward_j",
        .value = kAsExpected,
        .low = 0,
        .high = 1e9,
        .summary = "One more device may cost all uploads together this energy, in J, or as much as "
                   "makes it take as many as the plan expects (expected).",
        .words = {{"expected", kAsExpected}}}},
      ConstructStrategy<EnergyRrm>,
      /*knows_probabilities=*/false,
      /*cuts_updates=*/false,
      /*needs_shannon=*/true};
}

}  // namespace airlot::selection
