#include "planning/clearing_price.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/gather.h"
#include "base/shards.h"

namespace airlot::planning {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTolerance = 1e-12;
// A fleet larger than this is first asked by a sample of about this size.
constexpr std::size_t kSample = std::size_t{1} << 14;

// Saturation is the band with which every device has all that it can use, maybe infinite, and its
// value Σ w·1.
struct Saturation {
  double bandwidth_hz = 0, value = 0;
};
Saturation Saturate(const BandBuyers& fleet, const Hands& hands) {
  Saturation sum;
  for (const Saturation& part : base::MapFleet(fleet.devices, hands, [&](const base::Shard& shard) {
         Saturation of_shard;
         for (std::size_t i = shard.begin; i < shard.end && of_shard.bandwidth_hz < kInfinity;
              ++i) {
           if (!(fleet.choke_price[i] > 0)) continue;
           of_shard.bandwidth_hz += fleet.SaturatedBand(i);
           of_shard.value += fleet.Weight(i);
         }
         return of_shard;
       })) {
    sum.bandwidth_hz += part.bandwidth_hz;
    sum.value += part.value;
  }
  return sum;
}

// PriceSearch is a monotone search in the logarithm of the price. Demand falls with the price,
// mostly smoothly; but a device with a linear piece (a fixed noise, or a spectral-efficiency cap)
// jumps from 0 to the end of the piece at its choke price.
class PriceSearch {
 public:
  PriceSearch(const BandBuyers& fleet, double total_hz, const Hands& hands)
      : fleet_(fleet), total_hz_(total_hz), hands_(hands) {
    range_.high = std::ranges::max(base::GatherOne(hands, std::ranges::max(fleet.choke_price)));
    range_.bound = kInfinity;
  }

  // Searches around the start, in steps that grow, and then within the bracket.
  PriceRange Run(double start, double first_step, double tolerance) {
    Bracket(std::min(start, range_.high), first_step);
    for (int step = 0; step < kMostSteps && !IsClosed(tolerance); ++step) Try(Next(step));
    return range_;
  }
  double highest() const { return range_.high; }

 private:
  static constexpr int kMostSteps = 300;  // 100 halve 600 orders of magnitude to rounding
  static constexpr int kChordsOnly = 8;
  static constexpr double kLongestStep = 16;  // farther down the functions of u may underflow

  void Bracket(double price, double step) {
    Try(price);
    if (has_low_) {
      for (double high = range_.high; has_low_ && high == range_.high && range_.low < high;
           step *= 2) {
        Try(std::min(range_.low * std::exp(step), high));
      }
      return;
    }
    for (; !has_low_ && price > 1e-290; step = std::min(2 * step, kLongestStep)) {
      Try(price *= std::exp(-step));
    }
  }

  void Try(double price) {
    const Demand demand = DemandAt(fleet_, price, hands_);
    range_.bound = std::min(range_.bound, demand.surplus + price * total_hz_);
    const bool is_low = demand.most_hz >= total_hz_, is_high = demand.least_hz <= total_hz_;
    if (is_low) {
      range_.low = price;
      range_.low_hz = demand.most_hz;
      next_above_low_ = demand.next_choke_above;
      low_weight_ = 1;
      if (was_low_) high_weight_ /= 2;
      has_low_ = true;
    }
    if (is_high) {
      range_.high = price;
      range_.high_hz = demand.least_hz;
      next_below_high_ = demand.next_choke_below;
      high_weight_ = 1;
      if (!was_low_) low_weight_ /= 2;
    }
    was_low_ = is_low;
  }

  // Says whether the split that is mixed from the ends falls short of the bound by at most this
  // share, (B15).
  bool IsClosed(double tolerance) const {
    if (!has_low_) return true;
    return (range_.high - range_.low) * (total_hz_ - range_.high_hz) <=
           tolerance * range_.low * total_hz_;
  }

  // Returns the excess demand, from -1 to 1.
  double Excess(double demand_hz) const {
    return (demand_hz - total_hz_) / (demand_hz + total_hz_);
  }

  // Returns the chord's zero, where an end that stays counts half as much each time (Illinois).
  // Where that does not close in soon, of three steps one goes to the middle and one to a jump near
  // an end.
  double Next(int step) const {
    const double low = std::log(range_.low), width = std::log(range_.high / range_.low);
    if (step >= kChordsOnly && step % 3 == 1) return std::exp(low + width / 2);
    if (step >= kChordsOnly && step % 3 == 2) {
      if (next_above_low_ < range_.high) return next_above_low_;
      if (next_below_high_ > range_.low) return next_below_high_;
    }
    const double at_low = Excess(range_.low_hz) * low_weight_;
    const double at_high = -Excess(range_.high_hz) * high_weight_;
    const double share = at_low + at_high > 0 ? at_low / (at_low + at_high) : 0.5;
    return std::exp(low + width * std::clamp(share, 1e-4, 1 - 1e-4));
  }

  const BandBuyers& fleet_;
  double total_hz_;
  Hands hands_;
  PriceRange range_;
  bool has_low_ = false, was_low_ = false;
  double low_weight_ = 1, high_weight_ = 1;
  double next_above_low_ = kInfinity, next_below_high_ = 0;
};

}  // namespace

// A sample is searched by every member alone, with the same result.
PriceRange FindPrice(const BandBuyers& fleet, double total_hz, const Hands& hands) {
  const Saturation saturation = Saturate(fleet, hands);
  if (saturation.bandwidth_hz <= total_hz) {
    return {.low_hz = saturation.bandwidth_hz,
            .high_hz = saturation.bandwidth_hz,
            .bound = saturation.value};
  }
  PriceSearch search(fleet, total_hz, hands);
  const std::size_t devices = base::SumOfMembers(hands, fleet.devices);
  if (devices <= 4 * kSample) return search.Run(search.highest(), 1, kTolerance);
  const BandBuyers sample = EveryNth(fleet, devices / kSample, hands);
  const double share = static_cast<double>(sample.devices) / static_cast<double>(devices);
  PriceSearch first(sample, total_hz * share, hands.threads);
  const PriceRange near = first.Run(first.highest(), 1, 1e-6);
  return search.Run(near.high, 0.01, kTolerance);
}

ColumnValues MixBands(const BandBuyers& fleet, const PriceRange& range, double total_hz,
                      int threads) {
  ColumnValues bands_hz(fleet.band_scale.size());
  if (range.high == 0) {
    for (std::size_t i = 0; i < fleet.devices; ++i) bands_hz[i] = fleet.SaturatedBand(i);
    bands_hz.resize(fleet.devices);
    return bands_hz;
  }
  ColumnValues more_hz(fleet.band_scale.size());
  BandsAt(fleet, range.high, false, bands_hz, threads);
  BandsAt(fleet, range.low, true, more_hz, threads);
  const double spread_hz = range.low_hz - range.high_hz;
  const double share =
      spread_hz > 0 ? std::clamp((total_hz - range.high_hz) / spread_hz, 0.0, 1.0) : 0;
  base::ForEachShard(fleet.devices, threads, [&](const base::Shard& shard) {
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      bands_hz[i] += share * (more_hz[i] - bands_hz[i]);
    }
  });
  bands_hz.resize(fleet.devices);
  return bands_hz;
}

}  // namespace airlot::planning
