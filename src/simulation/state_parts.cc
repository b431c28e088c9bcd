#include "simulation/state_parts.h"

#include <fmt/format.h>

namespace airlot::simulation {

void Batteries::Save(ByteWriter& bytes) const {
  bytes.Put(charge_j);
  std::vector<std::uint32_t> rounds;
  rounds.reserve(first_empty_round.size());
  for (const std::optional<std::uint32_t>& round : first_empty_round) {
    rounds.push_back(round.value_or(0));
  }
  bytes.Put(rounds);
}

void Batteries::Load(ByteReader& bytes) {
  bytes.Take(charge_j);
  std::vector<std::uint32_t> rounds;
  bytes.Take(rounds);
  first_empty_round.clear();
  for (const std::uint32_t round : rounds) {
    first_empty_round.push_back(round > 0 ? std::optional(round) : std::nullopt);
  }
}

Status Batteries::Check(const RunSizes& sizes) const {
  if (auto status = CheckSize(sizes.devices, charge_j.size(), "charge_j"); !status) return status;
  return CheckSize(sizes.devices, first_empty_round.size(), "first_empty_round");
}

std::vector<DeviceColumn> Batteries::DeviceColumns(std::uint64_t /*rounds*/) const {
  DeviceColumn charge{"battery_j", {charge_j.begin(), charge_j.end()}};
  DeviceColumn first{"first_empty_round", {first_empty_round.begin(), first_empty_round.end()}};
  return {std::move(charge), std::move(first)};
}

Status PlannedProbabilities::Check(const RunSizes& sizes) const {
  return CheckSize(sizes.devices, sum.size(), "sum");
}

std::vector<DeviceColumn> PlannedProbabilities::DeviceColumns(std::uint64_t rounds) const {
  if (rounds == 0) return {};
  DeviceColumn mean{"mean_probability", {}};
  for (const double probabilities : sum) mean.values.emplace_back(probabilities / double(rounds));
  return {std::move(mean)};
}

Status LostUpdates::Check(const RunSizes& sizes) const {
  return CheckSize(sizes.devices, count.size(), "count");
}

std::vector<DeviceColumn> LostUpdates::DeviceColumns(std::uint64_t /*rounds*/) const {
  return {{"lost_updates", {count.begin(), count.end()}}};
}

Status ClassAccuracies::Check(const RunSizes& /*sizes*/) const {
  for (const double accuracy : values) {
    if (accuracy < 0 || accuracy > 1) {
      return Error{fmt::format("values: {}: must be from 0 to 1, or NaN", accuracy)};
    }
  }
  return {};
}

Status ErrorFeedback::Check(const RunSizes& sizes) const {
  if (auto status = CheckSize(sizes.devices, unsent.size(), "unsent"); !status) return status;
  for (const std::vector<float>& update : unsent) {
    if (auto status = CheckNoneOr(sizes.parameters, update.size(), "unsent"); !status) {
      return status;
    }
  }
  return {};
}

}  // namespace airlot::simulation
