// This file leads from the rows of a fleet to all of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "airlot/fleet.h"
#include "base/gather.h"
#include "base/random.h"
#include "base/shards.h"
#include "base/text.h"
#include "fleet/check_fleet.h"
#include "fleet/lifetime.h"
#include "fleet/measured_noise.h"
#include "fleet/purposes.h"
#include "radio/path_loss.h"

namespace airlot::fleet {
namespace {

using base::Purpose;
using base::RandomStream;

// Makes a column of one value per device, `value_of(i)`.
template <class ValueOf>
ColumnValues Fill(std::size_t devices, int threads, const ValueOf& value_of) {
  ColumnValues values(devices);
  base::ForEachShard(devices, threads, [&](const base::Shard& shard) {
    for (std::size_t i = shard.begin; i < shard.end; ++i) values[i] = value_of(i);
  });
  return values;
}

// Makes a column as Fill does, but of one value for all where every input is one value for all.
template <class ValueOf>
Column Derive(std::size_t devices, int threads, bool all_constant, const ValueOf& value_of) {
  return all_constant ? Column(value_of(0)) : Column(Fill(devices, threads, value_of));
}

double DrawOne(const Spread& spread, RandomStream stream) {
  return spread.kind == Spread::Kind::kUniform ? stream.Uniform(spread.low, spread.high)
                                               : stream.LogUniform(spread.low, spread.high);
}

// Returns the given column, or a draw from the spread.
Column GivenOrDrawn(ColumnValues given, const Spread& spread, Purpose purpose, const Fleet& fleet,
                    std::uint64_t seed, int threads) {
  if (!given.empty()) return Column(std::move(given));
  if (spread.kind == Spread::Kind::kConstant) return Column(spread.low);
  return Fill(fleet.devices, threads, [&](std::size_t i) {
    return DrawOne(spread, RandomStream(seed, purpose, 0, fleet.first_device + i));
  });
}

Column GivenOrConstant(ColumnValues given, double constant) {
  return given.empty() ? Column(constant) : Column(std::move(given));
}

// The path loss must be defined all over the square.
Status CheckArea(double area_m, const Propagation& propagation) {
  const double corner_m = area_m / std::numbers::sqrt2;
  const double largest_m = DistanceRange(propagation).high;
  if (corner_m <= largest_m) return {};
  return Error{fmt::format(
      "fleet.area_m = {}: its corners are {:.6g} m from the server, and {} is defined up to {:.6g} "
      "m: must be <= {:.6g}",
      base::FormatNumber(area_m), corner_m, PathLossName(propagation.path_loss), largest_m,
      largest_m * std::numbers::sqrt2)};
}

// Returns the least distance of a place; closer than the path loss is defined for, or than 1 m,
// counts as that.
double LeastDistance(const FleetDefaults& defaults) {
  return std::max(1.0, DistanceRange(defaults.radio.propagation).low);
}

// Draws places in the square around the server, and how far they are from it.
void DrawPlaces(Fleet& fleet, const FleetDefaults& defaults, int threads) {
  ColumnValues x_m(fleet.devices), y_m(fleet.devices), distance_m(fleet.devices);
  const double half_m = defaults.model.area_m / 2;
  const double least_m = LeastDistance(defaults);
  base::ForEachShard(fleet.devices, threads, [&](const base::Shard& shard) {
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      RandomStream stream(defaults.seed, kPlace, 0, fleet.first_device + i);
      x_m[i] = stream.Uniform(-half_m, half_m);
      y_m[i] = stream.Uniform(-half_m, half_m);
      distance_m[i] = std::max(least_m, std::hypot(x_m[i], y_m[i]));
    }
  });
  fleet.places = {.x_m = std::move(x_m), .y_m = std::move(y_m)};
  fleet.distance_m = std::move(distance_m);
}

// Draws who has line of sight.
Column DrawLineOfSight(const Fleet& fleet, const FleetDefaults& defaults, int threads) {
  const Propagation& propagation = defaults.radio.propagation;
  if (!DrawsLineOfSight(propagation.path_loss)) return LineOfSightProbability(propagation, 0);
  const Column& distance_m = *fleet.distance_m;
  return Fill(fleet.devices, threads, [&](std::size_t i) {
    RandomStream stream(defaults.seed, kLineOfSight, 0, fleet.first_device + i);
    return stream.Uniform() < LineOfSightProbability(propagation, distance_m[i]) ? 1.0 : 0.0;
  });
}

// Draws how strong the direct path is, (R23); it is 0 where there is none.
Column DrawRicianK(const Fleet& fleet, const FleetDefaults& defaults, int threads) {
  const FadingModel& fading = defaults.radio.fading;
  if (fading.kind != Fading::kRician) return 0.0;
  const RicianK direct = RicianKOf(fading, defaults.radio.propagation.path_loss, true);
  if (fading.rician_k_db) return FromDecibel(direct.mean_db);
  if (fleet.line_of_sight.is_constant() && fleet.line_of_sight[0] == 0) return 0.0;
  return Fill(fleet.devices, threads, [&](std::size_t i) {
    if (fleet.line_of_sight[i] == 0) return 0.0;
    RandomStream stream(defaults.seed, kRicianK, 0, fleet.first_device + i);
    return FromDecibel(direct.mean_db + direct.sd_db * stream.Normal());
  });
}

Column DrawShadowing(const Fleet& fleet, const FleetDefaults& defaults, int threads) {
  const Propagation& propagation = defaults.radio.propagation;
  if (!propagation.shadowing) return 0.0;
  const Column& distance_m = *fleet.distance_m;
  return Fill(fleet.devices, threads, [&](std::size_t i) {  // (R22)
    RandomStream stream(defaults.seed, kShadowing, 0, fleet.first_device + i);
    return ShadowingSd(propagation, distance_m[i], fleet.line_of_sight[i] == 1) * stream.Normal();
  });
}

// Returns the channel gain of a device without fading, (R22).
double Gain(const Fleet& fleet, const FleetDefaults& defaults, std::size_t device) {
  const Propagation& propagation = defaults.radio.propagation;
  RandomStream stream(defaults.seed, kEnvironmentHeight, 0, fleet.first_device + device);
  const double distance_m = (*fleet.distance_m)[device];
  const double gain = PathGain(propagation, distance_m, fleet.line_of_sight[device] == 1,
                               radio::DrawEnvironmentHeight(propagation, distance_m, stream));
  return propagation.shadowing ? gain * FromDecibel(-fleet.shadowing_db[device]) : gain;
}

// Takes the places of the rows; closer than drawn places may be counts as that.
void SetPlaces(Fleet& fleet, FleetRows& rows, const FleetDefaults& defaults, int threads) {
  if (!rows.distance_m.empty()) fleet.distance_m = std::move(rows.distance_m);
  if (rows.x_m.empty()) return;
  const double least_m = LeastDistance(defaults);
  fleet.distance_m = Fill(fleet.devices, threads, [&](std::size_t i) {  // (F2)
    return std::max(least_m, std::hypot(rows.x_m[i], rows.y_m[i]));
  });
  fleet.places = {.x_m = std::move(rows.x_m), .y_m = std::move(rows.y_m)};
}

// Returns the noise power of a device in its own band: as measured, or the scenario's. (2)
double OwnNoise(const Fleet& fleet, const FleetRows& rows, const FleetDefaults& defaults,
                std::size_t device) {
  constexpr double kDbmOfOneWatt = 30;
  return rows.noise_dbm.empty() ? NoisePower(defaults.radio.noise, fleet.bandwidth_hz[device])
                                : FromDecibel(rows.noise_dbm[device] - kDbmOfOneWatt);
}

// Returns the noise over the measured gain of every device. (F1)
ColumnValues MeasuredNoiseToGain(const Fleet& fleet, FleetRows& rows, const FleetDefaults& defaults,
                                 int threads) {
  if (!rows.noise_to_gain_w.empty()) return std::move(rows.noise_to_gain_w);
  return Fill(fleet.devices, threads, [&](std::size_t i) {
    const double gain_db =
        rows.channel_gain_db.empty() ? -rows.path_loss_db[i] : rows.channel_gain_db[i];
    return OwnNoise(fleet, rows, defaults, i) / FromDecibel(gain_db);
  });
}

// Takes the channel as a file gives it. Only Rician fading still asks who has line of sight.
Status SetGivenChannel(Fleet& fleet, FleetRows& rows, const FleetDefaults& defaults, int threads) {
  const Radio& radio = defaults.radio;
  fleet.noise_to_gain_w = MeasuredNoiseToGain(fleet, rows, defaults, threads);
  fleet.rician_k = fleet.shadowing_db = 0.0;
  if (radio.fading.kind != Fading::kRician) return {};
  if (!radio.fading.rician_k_db && DrawsLineOfSight(radio.propagation.path_loss) &&
      !fleet.distance_m) {
    return Error{fmt::format(
        "radio.fading = rician: the fleet gives its channel but no distance_m, from which {} "
        "would draw line of sight: set radio.rician_k_db, or one of {}-los and {}-nlos",
        PathLossName(radio.propagation.path_loss), PathLossName(radio.propagation.path_loss),
        PathLossName(radio.propagation.path_loss))};
  }
  if (!radio.fading.rician_k_db) fleet.line_of_sight = DrawLineOfSight(fleet, defaults, threads);
  fleet.rician_k = DrawRicianK(fleet, defaults, threads);
  return {};
}

Status SetChannel(Fleet& fleet, FleetRows& rows, const FleetDefaults& defaults, int threads) {
  SetPlaces(fleet, rows, defaults, threads);
  if (rows.HasMeasuredChannel()) return SetGivenChannel(fleet, rows, defaults, threads);
  if (!fleet.distance_m) {
    if (auto status = CheckArea(defaults.model.area_m, defaults.radio.propagation); !status)
      return status;
    DrawPlaces(fleet, defaults, threads);
  }
  fleet.line_of_sight = DrawLineOfSight(fleet, defaults, threads);
  fleet.rician_k = DrawRicianK(fleet, defaults, threads);
  fleet.shadowing_db = DrawShadowing(fleet, defaults, threads);
  fleet.noise_to_gain_w = Fill(fleet.devices, threads, [&](std::size_t i) {  // (1)
    return OwnNoise(fleet, rows, defaults, i) / Gain(fleet, defaults, i);
  });
  return {};
}

void SetComputation(Fleet& fleet, FleetRows& rows, const FleetDefaults& defaults, int threads) {
  const auto draw = [&](ColumnValues& column, const Spread& spread, Purpose purpose) {
    return GivenOrDrawn(std::move(column), spread, purpose, fleet, defaults.seed, threads);
  };
  if (rows.compute_energy_j.empty()) {
    const FleetModel& model = defaults.model;
    const Column& samples = fleet.samples.emplace(draw(rows.samples, model.samples, kSamples));
    const Column cycles = draw(rows.cycles_per_sample, model.cycles_per_sample, kCyclesPerSample);
    const Column cpu_hz = draw(rows.cpu_hz, model.cpu_hz, kCpu);
    const Column kappa = draw(rows.kappa, model.kappa, kKappa);
    const auto computed = [&](std::size_t i) { return defaults.work.ComputedSamples(samples[i]); };
    const bool same_work = samples.is_constant() && cycles.is_constant() && cpu_hz.is_constant();
    fleet.compute_energy_j = Derive(  // (6)
        fleet.devices, threads, same_work && kappa.is_constant(),
        [&](std::size_t i) { return kappa[i] * cycles[i] * computed(i) * cpu_hz[i] * cpu_hz[i]; });
    fleet.compute_time_s = Derive(  // (7)
        fleet.devices, threads, same_work,
        [&](std::size_t i) { return cycles[i] * computed(i) / cpu_hz[i]; });
  } else {
    fleet.compute_energy_j = std::move(rows.compute_energy_j);
    if (!rows.samples.empty()) fleet.samples = std::move(rows.samples);
  }
  if (!rows.compute_time_s.empty()) fleet.compute_time_s = std::move(rows.compute_time_s);
}

// Returns the cap of what the server sends: that of uploads, or the last row of their table.
double DownloadCap(const LinkCoding& coding) {
  return coding.mcs.rows.empty() ? coding.spectral_efficiency_cap
                                 : coding.mcs.rows.back().bit_per_s_per_hz;
}

// Returns the energy of receiving the model, sent in the whole band of the cell over the mean
// channel. (Q1)
double ReceiveEnergy(const Fleet& fleet, const FleetDefaults& defaults, std::size_t device) {
  const Radio& radio = defaults.radio;
  const double total_hz = fleet.total_bandwidth_hz;
  const double own_hz = fleet.bandwidth_hz[device];
  const double noise_to_gain_w =
      ScaledNoise(fleet.noise_to_gain_w[device] * FromDecibel(radio.gap_db()),
                  NoisePower(radio.noise, total_hz), NoisePower(radio.noise, own_hz));
  const double nats = NatsPerHertz(radio.server_power_w / noise_to_gain_w,
                                   MaxNatsPerHertz(DownloadCap(radio.coding)));
  return ReceptionEnergy(radio.consumption.receive_power_w, NatTime(defaults.model_bits, total_hz),
                         nats);
}

void SetReception(Fleet& fleet, FleetRows& rows, const FleetDefaults& defaults, int threads) {
  ColumnValues receive_energy_j = std::move(rows.receive_energy_j);
  if (receive_energy_j.empty() && defaults.radio.consumption.receive_power_w > 0) {
    receive_energy_j = Fill(fleet.devices, threads,
                            [&](std::size_t i) { return ReceiveEnergy(fleet, defaults, i); });
  }
  if (receive_energy_j.empty()) return;
  ColumnValues fixed_energy_j = Fill(fleet.devices, threads, [&](std::size_t i) {
    return fleet.compute_energy_j[i] + receive_energy_j[i];
  });
  fleet.reception = {.receive_energy_j = std::move(receive_energy_j),
                     .fixed_energy_j = std::move(fixed_energy_j)};
}

Status SetBattery(Fleet& fleet, FleetRows& rows, const FleetDefaults& defaults, int threads) {
  const FleetModel& model = defaults.model;
  if (!rows.battery_mah.empty()) {
    rows.battery_j = Fill(fleet.devices, threads, [&](std::size_t i) {
      return BatteryEnergy(rows.battery_mah[i], rows.battery_v[i]);
    });
  }
  if (!model.battery_j && rows.battery_j.empty()) {
    if (!rows.harvest_w.empty()) {
      return Error{
          fmt::format("{}column harvest_w: there is no battery to charge: add battery_j, or "
                      "battery_mah and "
                      "battery_v, or set fleet.battery_j",
                      HeaderOf(rows))};
    }
    if (model.harvest_w.high == 0) return {};
    return Error{"fleet.harvest_w: there is no battery to charge: set fleet.battery_j"};
  }
  fleet.batteries = {
      .capacity_j = GivenOrDrawn(std::move(rows.battery_j), model.battery_j.value_or(Spread{}),
                                 kBattery, fleet, defaults.seed, threads),
      .harvest_w = GivenOrDrawn(std::move(rows.harvest_w), model.harvest_w, kHarvest, fleet,
                                defaults.seed, threads)};
  return {};
}

Status SetBudgets(Fleet& fleet, FleetRows& rows, const FleetDefaults& defaults, int threads) {
  if (!rows.lifetime_days.empty()) return SetLifetimeBudgets(fleet, rows, defaults);
  fleet.energy_budget_j =
      GivenOrDrawn(std::move(rows.energy_budget_j), defaults.model.energy_budget_j, kEnergyBudget,
                   fleet, defaults.seed, threads);
  return {};
}

// The nat times are those of (4). A device without samples has nothing to send, and so no plan: its
// nat time is infinite.
Column NatTimes(const Fleet& fleet, int threads) {
  const bool is_same = fleet.bandwidth_hz.is_constant() && fleet.update_bits.is_constant() &&
                       (!fleet.samples || fleet.samples->is_constant());
  const auto nat_time_s = [&](std::size_t i) {
    const bool has_data = !fleet.samples || (*fleet.samples)[i] > 0;
    return has_data ? NatTime(fleet.update_bits[i], fleet.bandwidth_hz[i])
                    : std::numeric_limits<double>::infinity();
  };
  return Derive(fleet.devices, threads, is_same, nat_time_s);
}

// Sets the bands of the devices, and that of the cell.
void SetBands(Fleet& fleet, FleetRows& rows, const FleetDefaults& defaults, const Hands& hands) {
  const std::size_t all_devices = base::SumOfMembers(hands, fleet.devices);
  fleet.bandwidth_hz =
      GivenOrConstant(std::move(rows.bandwidth_hz),
                      defaults.radio.band.bandwidth_hz / static_cast<double>(all_devices));
  fleet.total_bandwidth_hz =
      static_cast<double>(base::SumOfFleet(fleet.devices, hands, [&](std::size_t i) {
        return static_cast<long double>(fleet.bandwidth_hz[i]);
      }));
}

// Completes the devices of this process. An error may be of theirs alone.
Status CompleteOwn(FleetRows& rows, const FleetDefaults& defaults, bool bands_are_of_rows,
                   int threads, Fleet& fleet) {
  const FleetModel& model = defaults.model;
  fleet.update_bits = GivenOrConstant(std::move(rows.update_bits), defaults.update_bits);
  fleet.time_limit_s = GivenOrConstant(std::move(rows.time_limit_s), defaults.time_limit_s);
  fleet.max_power_w = GivenOrDrawn(std::move(rows.max_power_w), model.max_power_w, kMaxPower, fleet,
                                   defaults.seed, threads);
  if (auto status =
          BringNoiseIntoOwnBands(rows, fleet.bandwidth_hz, bands_are_of_rows, defaults.radio);
      !status) {
    return status;
  }
  const bool is_measured = rows.HasMeasuredChannel();
  const bool is_channel_from_distance = !is_measured && rows.HasPlaces();
  if (auto status = SetChannel(fleet, rows, defaults, threads); !status) return status;
  SetComputation(fleet, rows, defaults, threads);
  fleet.nat_time_s = NatTimes(fleet, threads);
  SetReception(fleet, rows, defaults, threads);
  if (auto status = SetBattery(fleet, rows, defaults, threads); !status) return status;
  if (auto status = SetBudgets(fleet, rows, defaults, threads); !status) return status;
  fleet.ids = std::move(rows.ids);
  if (is_channel_from_distance) {
    if (auto status = CheckDistances(fleet, defaults.radio.propagation, rows, threads); !status) {
      return status;
    }
  }
  if (auto status = CheckDerived(fleet, rows, is_measured, threads); !status) return status;
  return FitMaxPower(defaults.radio, rows, fleet);
}

}  // namespace
}  // namespace airlot::fleet

namespace airlot {

std::vector<const ColumnValues*> FleetRows::Columns() const {
  return {&distance_m,
          &noise_to_gain_w,
          &bandwidth_hz,
          &max_power_w,
          &energy_budget_j,
          &compute_energy_j,
          &compute_time_s,
          &samples,
          &cycles_per_sample,
          &cpu_hz,
          &kappa,
          &update_bits,
          &time_limit_s,
          &receive_energy_j,
          &battery_j,
          &harvest_w,
          &path_loss_db,
          &channel_gain_db,
          &noise_dbm,
          &noise_band_hz,
          &x_m,
          &y_m,
          &battery_mah,
          &battery_v,
          &lifetime_days,
          &round_period_s};
}

double LocalWork::ComputedSamples(double samples) const {
  if (epochs > 0) return double(epochs) * samples;
  const double of_step = batch == 0 ? samples : std::min(double(batch), samples);
  return std::max(samples, double(steps) * of_step);
}

Result<Fleet> CompleteFleet(FleetRows rows, const FleetDefaults& defaults, const Hands& hands) {
  if (auto status = Validate(defaults.radio); !status) return status.error();
  Fleet fleet;
  fleet.devices = rows.devices;
  fleet.first_device = rows.first_device;
  const bool bands_are_of_rows = !rows.bandwidth_hz.empty();
  fleet::SetBands(fleet, rows, defaults, hands);
  const Status status = base::AgreeOn(
      hands, fleet::CompleteOwn(rows, defaults, bands_are_of_rows, hands.threads, fleet));
  if (!status) return status.error();
  return fleet;
}

Result<Fleet> DrawFleet(const FleetDefaults& defaults, int threads) {
  return CompleteFleet({.devices = defaults.model.devices}, defaults, threads);
}

Result<Fleet> ReadFleet(const std::string& path, const FleetDefaults& defaults, int threads,
                        const std::function<void(double)>& progress) {
  auto rows = ReadFleetRows(path, progress, UnknownColumns::kRefuse, threads);
  if (!rows) return rows.error();
  return CompleteFleet(std::move(*rows), defaults, threads);
}

}  // namespace airlot
