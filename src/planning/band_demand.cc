#include "planning/band_demand.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

#include "base/gather.h"
#include "base/shards.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "planning/band_demand.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "planning/band_demand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace airlot::planning::HWY_NAMESPACE {

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

PricedColumns ColumnsOf(const BandBuyers& fleet) {
  return {fleet.band_scale.data(), fleet.price_scale.data(), fleet.choke_price.data(),
          fleet.top.data(),        fleet.full.data(),        fleet.budget.data(),
          fleet.compute.data(),    fleet.power.data(),       fleet.kink.data(),
          fleet.kink_slope.data()};
}

// Computes the limits of u, (B6), where the noise is fixed and `top` comes as P^max/g.
void FinishFixedNoise(BandBuyers& fleet, double max_nats, std::size_t begin, std::size_t end) {
  const D d;
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const V b = hn::LoadU(d, fleet.budget.data() + i);
    const V rest = hn::Max(hn::Sub(b, hn::LoadU(d, fleet.compute.data() + i)), hn::Zero(d));
    const V by_power = Log1p(d, hn::LoadU(d, fleet.top.data() + i));
    const V top = hn::Min(hn::Min(by_power, Log1p(d, b)), hn::Set(d, max_nats));
    hn::StoreU(top, d, fleet.top.data() + i);
    hn::StoreU(Log1p(d, rest), d, fleet.full.data() + i);
  }
}

// Computes the limits of u, (B8), where the noise is a density; `kink` comes as (e^u - 1)/u at the
// kink, maybe infinite, and `full` likewise.
void FinishDensity(BandBuyers& fleet, double max_nats, std::size_t begin, std::size_t end) {
  const D d;
  const V most = hn::Set(d, kMostNats);
  const V infinite = hn::Set(d, std::numeric_limits<double>::infinity());
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const V ratio = hn::LoadU(d, fleet.kink.data() + i);
    const V kink = NatsOfRatio(d, hn::Min(ratio, hn::Set(d, 1e300)));
    const V slope = Excess(d, kink, Expm1(d, kink));
    const auto is_beyond = hn::Ge(kink, most);
    hn::StoreU(hn::IfThenElse(is_beyond, infinite, kink), d, fleet.kink.data() + i);
    hn::StoreU(hn::IfThenElse(is_beyond, infinite, slope), d, fleet.kink_slope.data() + i);
    const V full = NatsOfRatio(d, hn::LoadU(d, fleet.full.data() + i));
    hn::StoreU(full, d, fleet.full.data() + i);
    hn::StoreU(hn::Set(d, std::min(max_nats, kMostNats)), d, fleet.top.data() + i);
  }
}

void FinishRange(BandBuyers& fleet, double max_nats, std::size_t begin, std::size_t end) {
  fleet.is_density ? FinishDensity(fleet, max_nats, begin, end)
                   : FinishFixedNoise(fleet, max_nats, begin, end);
}

template <bool kDensity>
Demand SumDemand(const BandBuyers& fleet, double price, std::size_t begin, std::size_t end) {
  const D d;
  const PricedColumns columns = ColumnsOf(fleet);
  const V at_price = hn::Set(d, price);
  const V infinite = hn::Set(d, std::numeric_limits<double>::infinity());
  V least = hn::Zero(d), most = hn::Zero(d), surplus = hn::Zero(d);
  V above = infinite, below = hn::Zero(d);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const auto bought = Buy<kDensity>(d, columns, i, at_price);
    least = hn::Add(least, hn::IfThenZeroElse(bought.is_tied, bought.bandwidth_hz));
    most = hn::Add(most, bought.bandwidth_hz);
    surplus = hn::Add(surplus, bought.surplus);
    const V choke = hn::LoadU(d, columns.choke_price + i);
    above = hn::Min(above, hn::IfThenElse(hn::Gt(choke, at_price), choke, infinite));
    below = hn::Max(below, hn::IfThenElseZero(hn::Lt(choke, at_price), choke));
  }
  return {.least_hz = hn::GetLane(hn::SumOfLanes(d, least)),
          .most_hz = hn::GetLane(hn::SumOfLanes(d, most)),
          .surplus = hn::GetLane(hn::SumOfLanes(d, surplus)),
          .next_choke_above = hn::GetLane(hn::MinOfLanes(d, above)),
          .next_choke_below = hn::GetLane(hn::MaxOfLanes(d, below))};
}

Demand DemandOfRange(const BandBuyers& fleet, double price, std::size_t begin, std::size_t end) {
  return fleet.is_density ? SumDemand<true>(fleet, price, begin, end)
                          : SumDemand<false>(fleet, price, begin, end);
}

template <bool kDensity>
void StoreBands(const BandBuyers& fleet, double price, bool with_tied, std::size_t begin,
                std::size_t end, double* bandwidth_hz) {
  const D d;
  const PricedColumns columns = ColumnsOf(fleet);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const auto bought = Buy<kDensity>(d, columns, i, hn::Set(d, price));
    const V bands =
        with_tied ? bought.bandwidth_hz : hn::IfThenZeroElse(bought.is_tied, bought.bandwidth_hz);
    hn::StoreU(bands, d, bandwidth_hz + i);
  }
}

void BandsOfRange(const BandBuyers& fleet, double price, bool with_tied, std::size_t begin,
                  std::size_t end, double* bandwidth_hz) {
  fleet.is_density ? StoreBands<true>(fleet, price, with_tied, begin, end, bandwidth_hz)
                   : StoreBands<false>(fleet, price, with_tied, begin, end, bandwidth_hz);
}

}  // namespace airlot::planning::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace airlot::planning {
namespace {

HWY_EXPORT(FinishRange);
HWY_EXPORT(DemandOfRange);
HWY_EXPORT(BandsOfRange);

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Calls `work` on those columns by name that a fleet has.
template <class Fleet, class Work>
void ForEachColumn(Fleet& fleet, const Work& work) {
  for (auto* column : {&fleet.band_scale, &fleet.price_scale, &fleet.choke_price, &fleet.top,
                       &fleet.full, &fleet.budget, &fleet.compute}) {
    work(*column);
  }
  if (!fleet.is_density) return;
  for (auto* column : {&fleet.power, &fleet.kink, &fleet.kink_slope}) work(*column);
}

std::size_t Padded(std::size_t devices) {
  return (devices + kBuyersPadding - 1) / kBuyersPadding * kBuyersPadding;
}

BandBuyers Empty(std::size_t devices, bool is_density) {
  BandBuyers fleet;
  fleet.devices = devices;
  fleet.is_density = is_density;
  const std::size_t size = Padded(devices);
  ForEachColumn(fleet, [&](ColumnValues& column) {
    column.resize(size);
    std::fill(column.begin() + static_cast<std::ptrdiff_t>(devices), column.end(), 1.0);
  });
  std::fill(fleet.choke_price.begin() + static_cast<std::ptrdiff_t>(devices),
            fleet.choke_price.end(), -1.0);
  return fleet;
}

// Sets one device in the terms of (B4) to (B8), up to the functions of u, which are vectorised.
void SetDevice(const BandProblem& bands, std::size_t i, BandBuyers& fleet) {
  const Cell& cell = bands.cell;
  const Device device = DeviceAt(cell.problem, i);  // (B3)
  const double budget_j = device.energy_budget_j, compute_j = device.compute_energy_j;
  const double nats = NatsOfBits(cell.update_bits[i]);
  const double limit_s = device.time_limit_s, max_power_w = device.max_power_w;
  const double noise_w = device.noise_to_gain_w;
  fleet.band_scale[i] = nats / limit_s;
  fleet.price_scale[i] = fleet.band_scale[i] / bands.weight[i];
  fleet.choke_price[i] = budget_j > 0 && device.has_samples ? 1 : -1;
  if (!fleet.is_density) {
    const double unit_j = noise_w * limit_s;
    fleet.budget[i] = budget_j / unit_j;
    fleet.compute[i] = compute_j / unit_j;
    fleet.top[i] = max_power_w / noise_w;
    return;
  }
  const double unit_j = nats * (noise_w / cell.bandwidth_hz[i]);
  fleet.budget[i] = budget_j / unit_j;
  fleet.compute[i] = compute_j / unit_j;
  fleet.power[i] = max_power_w * limit_s / unit_j;
  fleet.full[i] = std::min(fleet.power[i], fleet.budget[i] - fleet.compute[i]);
  fleet.kink[i] = fleet.budget[i] > fleet.power[i]
                      ? fleet.power[i] / (fleet.budget[i] - fleet.power[i]) * fleet.compute[i]
                      : kInfinity;
}

// Returns what one device buys, as the vectorised loops have it.
double CircuitDemandAt(const BandBuyers& fleet, std::size_t i, double price) {
  return price <= fleet.choke_price[i] ? fleet.circuits[i].BandAt(price) : 0;
}

Demand DemandWithCircuits(const BandBuyers& fleet, double price, std::size_t begin,
                          std::size_t end) {
  Demand sum{.next_choke_above = kInfinity};
  for (std::size_t i = begin; i < end; ++i) {
    const double choke = fleet.choke_price[i], band_hz = CircuitDemandAt(fleet, i, price);
    sum.most_hz += band_hz;
    if (price < choke) {
      sum.least_hz += band_hz;
      sum.surplus += std::max(fleet.circuits[i].Value(band_hz) - price * band_hz, 0.0);
      sum.next_choke_above = std::min(sum.next_choke_above, choke);
    }
    if (price > choke) sum.next_choke_below = std::max(sum.next_choke_below, choke);
  }
  return sum;
}

// Calls `work` on the shards of the padded columns.
template <class Work>
auto MapPadded(const BandBuyers& fleet, const Hands& hands, const Work& work) {
  return base::MapFleet(fleet.band_scale.size(), hands, work);
}

}  // namespace

double BandBuyers::SaturatedBand(std::size_t i) const {
  if (!(choke_price[i] > 0)) return 0;
  if (!circuits.empty()) return circuits[i].saturated_hz();
  const double u = std::min(full[i], top[i]);
  return u > 0 ? band_scale[i] / u : kInfinity;
}

BandBuyers MakeBandBuyers(const BandProblem& problem, int threads) {
  BandBuyers fleet = Empty(problem.cell.problem.devices, problem.cell.noise_grows_with_band);
  if (problem.cell.problem.circuit_power_w > 0) {
    const auto parts = base::MapShards(fleet.devices, threads, [&](const base::Shard& shard) {
      std::vector<CircuitDemand> part;
      for (std::size_t i = shard.begin; i < shard.end; ++i) part.emplace_back(problem, i);
      return part;
    });
    for (const std::vector<CircuitDemand>& part : parts) {
      fleet.circuits.insert(fleet.circuits.end(), part.begin(), part.end());
    }
    for (std::size_t i = 0; i < fleet.devices; ++i) {
      fleet.choke_price[i] = fleet.circuits[i].choke_price();
    }
    return fleet;
  }
  const double max_nats = MaxNatsPerHertz(problem.cell.problem.spectral_efficiency_cap);
  base::ForEachShard(fleet.band_scale.size(), threads, [&](const base::Shard& shard) {
    for (std::size_t i = shard.begin; i < std::min(shard.end, fleet.devices); ++i) {
      SetDevice(problem, i, fleet);
    }
    HWY_DYNAMIC_DISPATCH(FinishRange)(fleet, max_nats, shard.begin, shard.end);
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      if (fleet.choke_price[i] > 0) fleet.choke_price[i] = fleet.top[i] / fleet.price_scale[i];
    }
  });
  return fleet;
}

BandBuyers EveryNth(const BandBuyers& fleet, std::size_t stride, const Hands& hands) {
  const std::size_t before = base::SumOfEarlierMembers(hands, fleet.devices);
  const std::size_t first = (stride - before % stride) % stride;
  const auto sample_of = [&](const auto& values) {
    std::vector<typename std::decay_t<decltype(values)>::value_type> sampled;
    for (std::size_t i = first; i < std::min(values.size(), fleet.devices); i += stride) {
      sampled.push_back(values[i]);
    }
    if (hands.team == nullptr) return sampled;
    return base::GatherAll<typename decltype(sampled)::value_type>(*hands.team, sampled);
  };
  std::vector<std::vector<double>> columns;
  ForEachColumn(fleet, [&](const ColumnValues& column) { columns.push_back(sample_of(column)); });
  BandBuyers sample = Empty(columns.front().size(), fleet.is_density);
  std::size_t next = 0;
  ForEachColumn(sample,
                [&](ColumnValues& column) { std::ranges::copy(columns[next++], column.begin()); });
  sample.circuits = sample_of(fleet.circuits);
  return sample;
}

Demand DemandAt(const BandBuyers& fleet, double price, const Hands& hands) {
  const auto parts = MapPadded(fleet, hands, [&](const base::Shard& shard) {
    if (!fleet.circuits.empty()) {
      return DemandWithCircuits(fleet, price, shard.begin, std::min(shard.end, fleet.devices));
    }
    return HWY_DYNAMIC_DISPATCH(DemandOfRange)(fleet, price, shard.begin, shard.end);
  });
  Demand sum{.next_choke_above = kInfinity};
  for (const Demand& part : parts) {
    sum.least_hz += part.least_hz;
    sum.most_hz += part.most_hz;
    sum.surplus += part.surplus;
    sum.next_choke_above = std::min(sum.next_choke_above, part.next_choke_above);
    sum.next_choke_below = std::max(sum.next_choke_below, part.next_choke_below);
  }
  return sum;
}

void BandsAt(const BandBuyers& fleet, double price, bool with_tied, std::span<double> bandwidth_hz,
             int threads) {
  base::ForEachShard(fleet.band_scale.size(), threads, [&](const base::Shard& shard) {
    if (!fleet.circuits.empty()) {
      for (std::size_t i = shard.begin; i < std::min(shard.end, fleet.devices); ++i) {
        const bool is_left = !with_tied && price == fleet.choke_price[i];
        bandwidth_hz[i] = is_left ? 0 : CircuitDemandAt(fleet, i, price);
      }
      return;
    }
    HWY_DYNAMIC_DISPATCH(BandsOfRange)
    (fleet, price, with_tied, shard.begin, shard.end, bandwidth_hz.data());
  });
}

}  // namespace airlot::planning
#endif  // HWY_ONCE
