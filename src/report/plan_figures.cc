#include <fmt/format.h>

#include <algorithm>

#include "report/devices.h"

namespace airlot::report {

std::vector<Figure> PlanFigures(const std::string& prefix, const FleetView& fleet,
                                std::string_view upload_place) {
  std::vector<Figure> figures;
  if (HasMap(fleet)) {
    const bool has_limits = std::ranges::any_of(
        fleet.sample.drawn, [](const Device& device) { return device.limit.has_value(); });
    figures.push_back(DrawMap(
        {prefix + "map", "The fleet",
         fmt::format(
             "Each device stands at its place: its colour is its probability of taking part, its "
             "size its data{}. The server is the cross in the middle.",
             has_limits ? ", and its shape what keeps the probability from being larger" : "")},
        fleet.sample));
  }
  figures.push_back(
      DrawHistogram({prefix + "probabilities", "Probabilities",
                     "The bars show how likely devices are to take part in a round, as planned."},
                    {.label = "probability", .name = "probability"}, fleet.probability));
  figures.push_back(DrawHistogram(
      {prefix + "powers", "Transmit powers",
       fmt::format("The bars show at which power devices upload that can take part{}.",
                   upload_place)},
      {.label = "power (W)", .name = "power_w"}, fleet.power_w));
  figures.push_back(
      DrawHistogram({prefix + "upload-times", "Upload times",
                     fmt::format("The bars show how long the upload of devices that can take "
                                 "part takes, at the planned power{}.",
                                 upload_place)},
                    {.label = "upload time (s)", .name = "upload_s"}, fleet.upload_s));
  return figures;
}

}  // namespace airlot::report
