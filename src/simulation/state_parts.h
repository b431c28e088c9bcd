// What the features of the round loop itself remember from round to round.
#ifndef AIRLOT_SIMULATION_STATE_PARTS_H_
#define AIRLOT_SIMULATION_STATE_PARTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "airlot/state_part.h"

namespace airlot::simulation {

// The batteries of a fleet that has them. (Q3), (Q4)
class Batteries : public StatePart {
 public:
  Batteries() = default;
  explicit Batteries(std::vector<double> charges_j)
      : charge_j(std::move(charges_j)), first_empty_round(charge_j.size()) {}

  // One value for each device.
  std::vector<double> charge_j;                  // that is left
  std::vector<std::uint32_t> first_empty_round;  // that it stayed out of for want of it; 0: none

  std::string_view name() const override { return "batteries"; }
  void Save(ByteWriter& bytes) const override;
  void Load(ByteReader& bytes) override;
  Status Check(const RunSizes& sizes) const override;
  std::vector<DeviceColumn> DeviceColumns(std::uint64_t rounds) const override;
};

// The probabilities of each device, where rounds have plans of their own.
class PlannedProbabilities : public StatePart {
 public:
  PlannedProbabilities() = default;
  explicit PlannedProbabilities(std::size_t devices) : sum(devices) {}

  std::vector<double> sum;  // over the rounds so far

  std::string_view name() const override { return "planned_probabilities"; }
  void Save(ByteWriter& bytes) const override { bytes.Put(sum); }
  void Load(ByteReader& bytes) override { bytes.Take(sum); }
  Status Check(const RunSizes& sizes) const override;
  std::vector<DeviceColumn> DeviceColumns(std::uint64_t rounds) const override;
};

// What a strategy has noted down in SelectionView::memory.
class StrategyMemory : public StatePart {
 public:
  std::vector<double> numbers;

  std::string_view name() const override { return "strategy"; }
  void Save(ByteWriter& bytes) const override { bytes.Put(numbers); }
  void Load(ByteReader& bytes) override { bytes.Take(numbers); }
  Status Check(const RunSizes&) const override { return {}; }
};

// What devices did not send yet of their compressed updates. (C1)
class ErrorFeedback : public StatePart {
 public:
  ErrorFeedback() = default;
  explicit ErrorFeedback(std::size_t devices) : unsent(devices) {}

  std::vector<std::vector<float>> unsent;  // of each device; empty until it takes part

  std::string_view name() const override { return "error_feedback"; }
  void Save(ByteWriter& bytes) const override { bytes.Put(unsent); }
  void Load(ByteReader& bytes) override { bytes.Take(unsent); }
  Status Check(const RunSizes& sizes) const override;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_STATE_PARTS_H_
