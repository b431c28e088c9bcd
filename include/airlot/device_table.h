// A device table has the devices of a run as devices.csv has them: where they are, what was planned
// for them, and what the rounds cost them (docs/formats.md).
#ifndef AIRLOT_DEVICE_TABLE_H_
#define AIRLOT_DEVICE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "airlot/planning.h"
#include "airlot/result.h"
#include "airlot/simulation.h"

namespace airlot {

// KeptPlaces has where the devices are, as columns; the server is at (0, 0).
struct KeptPlaces {
  std::vector<double> x_m, y_m;
};

// Every column that is there has one value for each device, in the order of the fleet. An optional
// column is there for all devices or for none.
struct DeviceTable {
  std::vector<std::string> id;
  std::optional<KeptPlaces> places;
  std::optional<std::vector<double>> distance_m;
  std::vector<std::uint32_t> samples;

  // These columns are the plan; with fading, it is the one for the mean channel.
  std::vector<double> probability;
  std::vector<double> power_w;
  std::vector<double> upload_s;
  std::vector<double> energy_j;  // energy of taking part once

  // These columns are what the rounds made of the plan.
  std::vector<std::uint32_t> participations;
  std::vector<double> energy_spent_j;
  std::optional<std::vector<double>> battery_j;  // charge that is left; none: all have mains
  // This is the first round that the device stayed out of for want of charge, if there is one.
  std::vector<std::optional<std::uint32_t>> first_empty_round;
  // This column has the mean over the rounds so far, where each had a plan of its own.
  std::optional<std::vector<double>> mean_probability;

  // Runs of earlier versions do not have the columns below.
  std::optional<std::vector<double>> energy_budget_j;
  std::optional<std::vector<Limit>> limit;
  std::optional<std::vector<double>> participation_s;  // booked time of computing and sending once
  // label_counts has the number of samples of each label, of equally many labels for every device.
  std::optional<std::vector<std::vector<std::uint32_t>>> label_counts;

  // These columns are what parts of the state from outside tell of devices
  // (StatePart::DeviceColumns). They are written after all others, and not read back.
  std::vector<DeviceColumn> others;

  std::size_t devices() const { return id.size(); }
};

// A BudgetUse says how far the devices of a run went beyond their energy budgets, each budget being
// for a round, on average over the rounds so far.
struct BudgetUse {
  std::size_t devices = 0;       // of the fleet
  std::size_t devices_over = 0;  // beyond rounding, 1e-9 of the budget
  double worst_ratio = 0;        // largest energy over budget; infinite where the budget is 0
  double excess_j = 0;           // energy beyond the budgets, of all devices and rounds
};
// Returns nothing where the table has no budgets, or there were no rounds. (V7)
std::optional<BudgetUse> BudgetUseOf(const DeviceTable& table, std::uint64_t rounds);
std::optional<BudgetUse> BudgetUseOf(std::span<const double> energy_spent_j,
                                     const ColumnView& energy_budget_j, std::uint64_t rounds);

// Returns the table of a run that has come as far as `state`.
DeviceTable DeviceTableOf(const Setting& setting, const RunState& state);

// Replaces what the rounds made of the devices by what `state` says. The state must be of the same
// number of devices.
void SetSpending(const RunState& state, DeviceTable& table);

// Writes the file, which appears whole or not at all.
Status WriteDeviceTable(const std::string& path, const DeviceTable& table);

// Reads a table. An error names the line, the column and the value that cannot have been written
// so. Columns that an earlier version did not write are absent.
Result<DeviceTable> ReadDeviceTable(const std::string& path);

}  // namespace airlot

#endif  // AIRLOT_DEVICE_TABLE_H_
