// These parts hold what the features of the round loop itself remember from round to round.
#ifndef AIRLOT_SIMULATION_STATE_PARTS_H_
#define AIRLOT_SIMULATION_STATE_PARTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "airlot/state_part.h"

namespace airlot::simulation {

// Batteries are those of a fleet that has them. (Q3), (Q4)
class Batteries : public StatePart {
 public:
  Batteries() = default;
  explicit Batteries(std::vector<double> charges_j)
      : charge_j(std::move(charges_j)), first_empty_round(charge_j.size()) {}

  // Both lists have one value for each device.
  std::vector<double> charge_j;  // the charge that is left
  // This is the first round that the device stayed out of for want of charge, if there is one. The
  // saved state has 0 where there is none.
  std::vector<std::optional<std::uint32_t>> first_empty_round;

  std::string_view name() const override { return "batteries"; }
  void Save(ByteWriter& bytes) const override;
  void Load(ByteReader& bytes) override;
  Status Check(const RunSizes& sizes) const override;
  std::vector<DeviceColumn> DeviceColumns(std::uint64_t rounds) const override;
};

// PlannedProbabilities adds up the probabilities of each device where rounds have plans of their
// own.
class PlannedProbabilities : public StatePart {
 public:
  PlannedProbabilities() = default;
  explicit PlannedProbabilities(std::size_t devices) : sum(devices) {}

  std::vector<double> sum;  // each device's sum over the rounds so far

  std::string_view name() const override { return "planned_probabilities"; }
  void Save(ByteWriter& bytes) const override { bytes.Put(sum); }
  void Load(ByteReader& bytes) override { bytes.Take(sum); }
  Status Check(const RunSizes& sizes) const override;
  std::vector<DeviceColumn> DeviceColumns(std::uint64_t rounds) const override;
};

// LostUpdates counts the updates of each device that did not arrive, where some may not.
class LostUpdates : public StatePart {
 public:
  LostUpdates() = default;
  explicit LostUpdates(std::size_t devices) : count(devices) {}

  std::vector<std::uint32_t> count;

  std::string_view name() const override { return "lost_updates"; }
  void Save(ByteWriter& bytes) const override { bytes.Put(count); }
  void Load(ByteReader& bytes) override { bytes.Take(count); }
  Status Check(const RunSizes& sizes) const override;
  std::vector<DeviceColumn> DeviceColumns(std::uint64_t rounds) const override;
};

// StrategyMemory is what a strategy has noted down in SelectionView::memory.
class StrategyMemory : public StatePart {
 public:
  std::vector<double> numbers;

  std::string_view name() const override { return "strategy"; }
  void Save(ByteWriter& bytes) const override { bytes.Put(numbers); }
  void Load(ByteReader& bytes) override { bytes.Take(numbers); }
  Status Check(const RunSizes&) const override { return {}; }
};

// ClassAccuracies are those of the last evaluation.
class ClassAccuracies : public StatePart {
 public:
  // Each class has its accuracy on the test images, NaN where it has no image; the list is empty
  // before the first evaluation.
  std::vector<double> values;

  std::string_view name() const override { return "class_accuracies"; }
  void Save(ByteWriter& bytes) const override { bytes.Put(values); }
  void Load(ByteReader& bytes) override { bytes.Take(values); }
  Status Check(const RunSizes& sizes) const override;
};

// ErrorFeedback is what devices did not send yet of their compressed updates. (C1)
class ErrorFeedback : public StatePart {
 public:
  ErrorFeedback() = default;
  explicit ErrorFeedback(std::size_t devices) : unsent(devices) {}

  // The list of a device is empty until it takes part.
  std::vector<std::vector<float>> unsent;

  std::string_view name() const override { return "error_feedback"; }
  void Save(ByteWriter& bytes) const override { bytes.Put(unsent); }
  void Load(ByteReader& bytes) override { bytes.Take(unsent); }
  Status Check(const RunSizes& sizes) const override;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_STATE_PARTS_H_
