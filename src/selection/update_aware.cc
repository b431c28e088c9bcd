// In the update-aware scheduling of Amiri, Gunduz, Kulkarni and Poor (arXiv:2001.10402), a round
// has a fixed number of channel uses, which the scheduled devices share; each sends what its share
// carries of its update. Devices are scheduled by the channel (BC), by the norm of the update
// (BN2), by both (BC-BN2), or by the norm of what could be sent (BN2-C).
#include <algorithm>
#include <cmath>
#include <limits>

#include "airlot/strategy_parts.h"
#include "selection/best_devices.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

enum class Policy { kChannel, kNorm, kChannelThenNorm, kSentNorm };

using Devices = std::vector<std::uint32_t>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An Airtime says for how long and at which power a device would send in a round. Only BC lets
// devices compute within it: who was asked for a norm has computed before.
struct Airtime {
  const Cell& cell;
  double round_s;
  bool holds_computation;
  double power_share;  // the power as a share of P^max

  double SendingTime(std::size_t device) const {
    return holds_computation ? round_s - cell.problem.compute_time_s[device] : round_s;
  }
  double Power(std::size_t device) const { return power_share * cell.problem.max_power_w[device]; }
  // Returns the bits that the device sends in a band. (S8)
  double BitsIn(std::size_t device, double bandwidth_hz) const {
    return SendingTime(device) / SendTime(cell, device, Power(device), bandwidth_hz, 1);
  }
};

// BestChannels returns the devices of the `count` best channels, of those that can send for some
// time, in rising order.
Devices BestChannels(const SelectionView& view, const Airtime& airtime, double bandwidth_hz,
                     std::size_t count) {
  std::vector<double> score(view.probability.size(), -kInfinity);
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (airtime.SendingTime(i) > 0) score[i] = -NoiseToGain(*view.cell, i, bandwidth_hz);
  }
  return DevicesOfLargestScore(view, std::move(score), count);
}

// AskNorms returns what the devices answer, NaN where one does not.
std::vector<double> AskNorms(const SelectionView& view, std::span<const std::uint32_t> devices,
                             std::span<const double> bits) {
  std::vector<double> norms(devices.size());
  view.probe->Ask(AskUpdateNorm{bits}, devices, norms);
  return norms;
}

// KeepLargest cuts `devices` to the `count` of largest norms among those who have answered, and
// `norms` to theirs.
void KeepLargest(const SelectionView& view, std::size_t count, Devices& devices,
                 std::vector<double>& norms) {
  std::vector<double> score(view.probability.size(), -kInfinity);
  std::size_t answers = 0;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (std::isnan(norms[i])) continue;
    score[devices[i]] = norms[i];
    ++answers;
  }
  devices = DevicesOfLargestScore(view, score, std::min(count, answers));
  norms.resize(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) norms[i] = score[devices[i]];
}

// MakeWeights makes numbers in proportion to the norms that are not too large to add. If all norms
// are 0, all weights are equal; if some are infinite, those alone count.
void MakeWeights(std::span<double> norms) {
  if (norms.empty()) return;
  const double largest = std::ranges::max(norms);
  for (double& norm : norms) norm = norm == largest ? 1 : norm / largest;
}

template <Policy kPolicy>
class UpdateAware : public Strategy {
 public:
  explicit UpdateAware(const OptionValues& options)
      : count_(std::size_t(options["devices"])), mean_power_share_(options["mean_power_share"]) {
    if constexpr (kPolicy == Policy::kChannelThenNorm) {
      channels_ = std::size_t(options["channel_devices"]);
    }
  }

  void Select(const SelectionView& view, Selection& selection) override {
    able_.Update(view);
    const std::span<const std::uint32_t> able = able_.devices();
    if (able.empty()) return;
    const Cell& cell = *view.cell;
    const std::size_t count = std::min(count_, able.size());
    const double equal_hz = cell.total_bandwidth_hz / double(count);
    const double seldom = double(able.size()) / double(count);
    const Airtime airtime{.cell = cell,
                          .round_s = ShortestTimeLimit(cell, able),
                          .holds_computation = kPolicy == Policy::kChannel,
                          .power_share = std::min(1.0, seldom * mean_power_share_)};  // (S8)
    std::vector<double> weight;
    const Devices devices = Schedule(view, able, airtime, count, equal_hz, weight);
    Share(airtime, devices, weight, equal_hz, selection);
  }

 private:
  // Schedule returns who is scheduled, and in `weight` the ratio of each one's share to its 1/C.
  Devices Schedule(const SelectionView& view, std::span<const std::uint32_t> able,
                   const Airtime& airtime, std::size_t count, double equal_hz,
                   std::vector<double>& weight) const {
    if constexpr (kPolicy == Policy::kChannel) {
      weight.assign(count, 1);  // the same bits for all, (S9)
      return BestChannels(view, airtime, equal_hz, count);
    }
    Devices devices;
    std::vector<double> bits;
    if constexpr (kPolicy == Policy::kChannelThenNorm) {
      devices = BestChannels(view, airtime, equal_hz, std::max(count, channels_));
    } else {
      devices.assign(able.begin(), able.end());
    }
    if constexpr (kPolicy == Policy::kSentNorm) {
      for (const std::uint32_t device : devices) {
        const double fitting = airtime.BitsIn(device, equal_hz);
        bits.push_back(fitting < view.cell->update_bits[device] ? fitting : kInfinity);
      }
    }
    weight = AskNorms(view, devices, bits);
    KeepLargest(view, count, devices, weight);
    MakeWeights(weight);  // (S10)
    return devices;
  }

  // Devices share the band instead of the time: n_m channel uses of n are a band of B·n_m/n for the
  // whole round. C_m is taken at an equal share, and what the device sends at the share it gets;
  // they differ only where the noise grows with the band. Whose share does not carry one number of
  // its update does not take part, and nobody else gets that share; whose share carries all of its
  // update sends it as it is.
  static void Share(const Airtime& airtime, const Devices& devices, std::span<const double> weight,
                    double equal_hz, Selection& selection) {
    const Cell& cell = airtime.cell;
    std::vector<double> uses(devices.size());  // numbers in proportion to channel uses
    double sum = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (!(airtime.SendingTime(devices[i]) > 0)) continue;
      uses[i] = weight[i] / airtime.BitsIn(devices[i], equal_hz);
      sum += uses[i];  // (S9), (S10)
    }
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const double bandwidth_hz = cell.total_bandwidth_hz * (uses[i] / sum);
      const double bits = airtime.BitsIn(devices[i], bandwidth_hz);
      const double all_bits = cell.update_bits[devices[i]];
      if (!(bits >= std::max(1.0, std::min(all_bits, cell.least_update_bits)))) continue;
      selection.devices.push_back(devices[i]);
      selection.terms.push_back(
          {.power_w = airtime.Power(devices[i]), .bandwidth_hz = bandwidth_hz});
      if (bits < all_bits) selection.terms.back().update_bits = bits;
    }
  }

  std::size_t count_;
  double mean_power_share_;
  std::size_t channels_ = 0;
  AbleDevices able_;
};

StrategyOption MeanPowerShareOption() {
  return {
      .name = "mean_power_share",
      .value = 1,
      .low = 1e-9,
      .high = 1,
      .summary =
          "A device may send at this share of its largest power on average over all rounds; who "
          "takes part seldom sends with more."};
}

}  // namespace

StrategyEntry UpdateAwareEntry() {
  return {"update-aware",
          "The largest updates of the best channels are sent, cut to what fits into the round "
          "(BC-BN2).",
          {DevicesOption(10),
           CountOption("channel_devices", 20,
                       "This many devices of the best channels are asked for their norms."),
           MeanPowerShareOption()},
          ConstructStrategy<UpdateAware<Policy::kChannelThenNorm>>,
          /*knows_probabilities=*/false,
          /*cuts_updates=*/true,
          /*needs_shannon=*/true};
}
StrategyEntry UpdateAwareBcEntry() {
  return {"update-aware-bc",
          "The best channels send updates, cut to what fits into the round.",
          {DevicesOption(10), MeanPowerShareOption()},
          ConstructStrategy<UpdateAware<Policy::kChannel>>,
          /*knows_probabilities=*/false,
          /*cuts_updates=*/true,
          /*needs_shannon=*/true};
}
StrategyEntry UpdateAwareBn2Entry() {
  return {"update-aware-bn2",
          "The largest updates are sent, cut to what fits into the round.",
          {DevicesOption(10), MeanPowerShareOption()},
          ConstructStrategy<UpdateAware<Policy::kNorm>>,
          /*knows_probabilities=*/false,
          /*cuts_updates=*/true,
          /*needs_shannon=*/true};
}
StrategyEntry UpdateAwareBn2CEntry() {
  return {"update-aware-bn2-c",
          "The updates are sent that are largest after they are cut to what fits into the "
          "round.",
          {DevicesOption(10), MeanPowerShareOption()},
          ConstructStrategy<UpdateAware<Policy::kSentNorm>>,
          /*knows_probabilities=*/false,
          /*cuts_updates=*/true,
          /*needs_shannon=*/true};
}

}  // namespace airlot::selection
