// The devices of a fleet with their plan: what maps and distributions show.
#ifndef AIRLOT_REPORT_DEVICES_H_
#define AIRLOT_REPORT_DEVICES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "airlot/device_table.h"
#include "airlot/fleet.h"
#include "airlot/planning.h"
#include "report/figure.h"

namespace airlot::report {

struct Device {
  std::size_t index = 0;  // in the fleet
  std::string id;
  double x_m = 0, y_m = 0;  // NaN: not known
  double distance_m = 0;    // NaN: not known
  double samples = 0;       // NaN: not known
  double probability = 0;
  double power_w = 0;
  double upload_s = 0;
  double energy_j = 0;  // of taking part once
  double budget_j = 0;  // of a round; NaN: not known
  std::optional<Limit> limit;
};

// Devices of a fleet: all, or in a large one a part in which every limit is there, evenly spread.
struct DeviceSample {
  std::size_t devices = 0;  // of the fleet
  bool direction_is_known = true;
  std::vector<Device> drawn;
};
inline constexpr std::size_t kMostDrawn = 3000;

// A fleet with its plan, as figures show it, whether the plan was just made or kept with runs.
struct FleetView {
  DeviceSample sample;
  std::vector<double> probability;        // of all devices
  std::vector<double> power_w, upload_s;  // of those that can take part
};
FleetView ViewOf(const Fleet& fleet, const PlanningProblem& problem, const PlanView& plan);
FleetView ViewOf(const DeviceTable& table);

// Each device at its place, coloured by probability, sized by data, its limit as shape.
Figure DrawMap(Heading heading, const DeviceSample& sample);

// How many samples of each label the devices have.
struct LabelCounts {
  std::size_t devices = 0;  // of the fleet
  std::size_t classes = 0;  // 0: labels are not known
  struct OfDevice {
    std::string id;
    std::vector<std::uint32_t> counts;  // of each label
  };
  // Those with the most samples first; in a large fleet every n-th of them.
  std::vector<OfDevice> drawn;
};
LabelCounts LabelsOf(const DeviceTable& table);
Figure DrawLabels(Heading heading, const LabelCounts& labels);

// Whether there is a map to draw: some device has a place, or at least a distance.
bool HasMap(const FleetView& fleet);

// The figures of a plan: map, probabilities, powers, upload times. `prefix` begins their ids.
std::vector<Figure> PlanFigures(const std::string& prefix, const FleetView& fleet);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_DEVICES_H_
