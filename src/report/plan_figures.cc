#include <algorithm>

#include "report/devices.h"

namespace airlot::report {
namespace {

constexpr std::size_t kMostDrawn = 3000;

}  // namespace

std::vector<Figure> PlanFigures(const std::string& prefix, const Fleet& fleet,
                                const PlanningProblem& problem, const PlanView& plan) {
  std::vector<Figure> figures;
  if (fleet.has_distance) {
    figures.push_back(DrawMap(
        {prefix + "map", "The fleet",
         "Each device at its place: colour is its probability of taking part, size its data, shape "
         "what keeps the probability from being larger. The server is the cross in the middle."},
        SampleOf(fleet, problem, plan, kMostDrawn)));
  }
  // Only those that can take part have a power and an upload time.
  std::vector<double> powers_w, uploads_s;
  powers_w.reserve(fleet.devices);
  uploads_s.reserve(fleet.devices);
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    if (!(plan.probability[i] > 0)) continue;
    powers_w.push_back(plan.power_w[i]);
    uploads_s.push_back(Describe(problem, plan, i).upload_s);
  }
  figures.push_back(DrawHistogram({prefix + "probabilities", "Probabilities",
                                   "How likely a device is to take part in a round, as planned."},
                                  {.label = "probability", .name = "probability"},
                                  plan.probability));
  figures.push_back(DrawHistogram(
      {prefix + "powers", "Transmit powers", "At which power devices upload when they take part."},
      {.label = "power (W)", .name = "power_w"}, powers_w));
  figures.push_back(DrawHistogram(
      {prefix + "upload-times", "Upload times", "How long an upload takes at the planned power."},
      {.label = "upload time (s)", .name = "upload_s"}, uploads_s));
  return figures;
}

}  // namespace airlot::report
