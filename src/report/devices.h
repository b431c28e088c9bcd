// The devices of a fleet with their plan: what maps and distributions show.
#ifndef AIRLOT_REPORT_DEVICES_H_
#define AIRLOT_REPORT_DEVICES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "airlot/fleet.h"
#include "airlot/planning.h"
#include "airlot/scenario.h"
#include "report/figure.h"

namespace airlot::report {

struct Device {
  std::string id;
  double x_m = 0, y_m = 0;  // NaN: not known
  double distance_m = 0;    // NaN: not known
  double samples = 0;       // NaN: not known
  double probability = 0;
  double power_w = 0;
  double upload_s = 0;
  double energy_j = 0;  // of taking part once
  double budget_j = 0;  // of a round
  Limit limit = Limit::kFull;
};

// Devices of a fleet: all, or in a large one a part in which every limit is there, evenly spread.
struct DeviceSample {
  std::size_t devices = 0;  // of the fleet
  bool direction_is_known = true;
  std::vector<Device> drawn;
};
DeviceSample SampleOf(const Fleet& fleet, const PlanningProblem& problem, const PlanView& plan,
                      std::size_t most);

// Each device at its place, coloured by probability, sized by data, its limit as shape.
Figure DrawMap(Heading heading, const DeviceSample& sample);

// How many samples of each label the devices have.
struct LabelCounts {
  int classes = 0;
  std::vector<std::string> ids;
  std::vector<std::vector<std::size_t>> counts;  // of each device, of each label
};
Figure DrawLabels(Heading heading, const LabelCounts& labels);

// The figures of a plan: map, probabilities, powers, upload times. `prefix` begins their ids.
std::vector<Figure> PlanFigures(const std::string& prefix, const Fleet& fleet,
                                const PlanningProblem& problem, const PlanView& plan);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_DEVICES_H_
