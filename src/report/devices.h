// Maps and distributions show the devices of a fleet with their plan.
#ifndef AIRLOT_REPORT_DEVICES_H_
#define AIRLOT_REPORT_DEVICES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/device_table.h"
#include "airlot/fleet.h"
#include "airlot/plan_file.h"
#include "airlot/planning.h"
#include "report/figure.h"

namespace airlot::report {

// A Place is where a device is; the server is at (0, 0).
struct Place {
  double x_m = 0, y_m = 0;
};

// What is not known of a Device is not set.
struct Device {
  std::size_t index = 0;  // place in the fleet
  std::string id;
  std::optional<Place> place;
  std::optional<double> distance_m;
  std::optional<double> samples;
  double probability = 0;
  double power_w = 0;
  double upload_s = 0;
  double energy_j = 0;             // energy of taking part once
  std::optional<double> budget_j;  // budget of a round
  std::optional<Limit> limit;
};

// A sample is all devices of a fleet or, in a large one, a part in which every limit is there,
// evenly spread.
struct DeviceSample {
  std::size_t devices = 0;  // number of devices in the fleet
  bool direction_is_known = true;
  std::vector<Device> drawn;
};
inline constexpr std::size_t kMostDrawn = 3000;

// A FleetView is a fleet with its plan, as figures show it, whether the plan was just made or kept
// with runs.
struct FleetView {
  DeviceSample sample;
  std::vector<double> probability;        // one value for each device
  std::vector<double> power_w, upload_s;  // one value for each device that can take part
};
FleetView ViewOf(const Fleet& fleet, const PlanningProblem& problem, const PlanView& plan);
FleetView ViewOf(const Fleet& fleet, const PlanFile& rows);
FleetView ViewOf(const DeviceTable& table);

// Draws each device at its place, coloured by probability, sized by data, with its limit as shape.
Figure DrawMap(Heading heading, const DeviceSample& sample);

// LabelCounts says how many samples of each label the devices have.
struct LabelCounts {
  std::size_t devices = 0;  // number of devices in the fleet
  std::size_t classes = 0;
  struct OfDevice {
    std::string id;
    std::vector<std::uint32_t> counts;  // one count for each label
  };
  // The devices with the most samples come first; in a large fleet every n-th of them is drawn.
  std::vector<OfDevice> drawn;
};
// Returns nothing where the labels are not known.
std::optional<LabelCounts> LabelsOf(const DeviceTable& table);
Figure DrawLabels(Heading heading, const LabelCounts& labels);

// Tells whether there is a map to draw: some device has a place, or at least a distance.
bool HasMap(const FleetView& fleet);

// Draws the figures of a plan: map, probabilities, powers, upload times. `prefix` begins their ids.
// `upload_place` says where devices upload, where that is not in their own bands.
std::vector<Figure> PlanFigures(const std::string& prefix, const FleetView& fleet,
                                std::string_view upload_place = "");

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_DEVICES_H_
