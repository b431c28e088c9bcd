// These functions check that the keys of [radio] fit the path loss, and that a distance is in its
// range.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "airlot/radio.h"
#include "base/text.h"
#include "radio/path_loss.h"

namespace airlot {
namespace {

using base::FormatNumber;
using radio::PathLossModel;

bool IsIn(const ValidInterval& range, double value) {
  return range.low <= value && value <= range.high;
}

// Returns "rma is defined from 10 to 5000" or "rma is defined for 25 only".
std::string Bounds(PathLoss path_loss, const ValidInterval& range) {
  if (range.low == range.high) {
    return fmt::format("{} is defined for {} only", PathLossName(path_loss),
                       FormatNumber(range.low));
  }
  if (range.high == radio::kUnbounded) {
    return fmt::format("{} is defined from {} on", PathLossName(path_loss),
                       FormatNumber(range.low));
  }
  return fmt::format("{} is defined from {} to {}", PathLossName(path_loss),
                     FormatNumber(range.low), FormatNumber(range.high));
}

Status CheckGeometry(const Propagation& propagation, const PathLossModel& model) {
  const double base_height_m = BaseHeight(propagation);
  const struct {
    std::string_view key;
    double value;
    const ValidInterval& range;
    bool is_height;
  } rows[] = {
      {"frequency_hz", propagation.frequency_hz, model.frequency_hz, false},
      {"base_height_m", base_height_m, model.base_height_m, true},
      {"device_height_m", propagation.device_height_m, model.device_height_m, true},
      {"building_height_m", propagation.building_height_m, model.building_height_m, false},
      {"street_width_m", propagation.street_width_m, model.street_width_m, false},
  };
  const bool is_swapped = base_height_m < propagation.device_height_m;
  for (const auto& [key, value, range, is_height] : rows) {
    if (IsIn(range, value)) continue;
    return Error{fmt::format(
        "radio.{} = {}: {}{}", key, FormatNumber(value), Bounds(propagation.path_loss, range),
        is_height && is_swapped ? " (are radio.base_height_m and radio.device_height_m swapped?)"
                                : "")};
  }
  const double rise_m = base_height_m - propagation.device_height_m;
  if (rise_m > model.antenna_distance_m.high) {
    const std::string most_m = FormatNumber(model.antenna_distance_m.high);
    return Error{fmt::format(
        "radio.base_height_m = {}: {} is defined up to {} m between the antennas, so at most {} m "
        "above radio.device_height_m = {}",
        FormatNumber(base_height_m), PathLossName(propagation.path_loss), most_m, most_m,
        FormatNumber(propagation.device_height_m))};
  }
  // Where the model bounds neither height, only their order shows a mistake.
  if (is_swapped && model.base_height_m.high == radio::kUnbounded) {
    return Error{
        fmt::format("radio.base_height_m = {}: {} is defined from radio.device_height_m = {} on "
                    "(are the two swapped?)",
                    FormatNumber(base_height_m), PathLossName(propagation.path_loss),
                    FormatNumber(propagation.device_height_m))};
  }
  return {};
}

Status ValidateKnowledge(const Radio& radio) {
  const double correlation = radio.knowledge.correlation;
  if (correlation == 1) return {};
  const auto error = [&](const std::string& reason) {
    return Error{
        fmt::format("radio.channel_correlation = {}: {}", FormatNumber(correlation), reason)};
  };
  if (radio.fading.kind != Fading::kRayleigh) {
    return error("only the amplitudes of rayleigh fading are estimated: set radio.fading to it");
  }
  if (radio.knowledge.error_sd_db > 0)
    return error("cannot stand beside radio.channel_error_db: choose one");
  if (correlation > kMostCorrelation) {
    return error(fmt::format("must be at most {}, or 1", kMostCorrelation));
  }
  return {};
}

// What solves for powers or bands by Shannon's formula does not know other rates. (docs/radios.md)
Status ValidateSteps(const Radio& radio) {
  const auto with_section = [](const Status& status) {
    return Error{"radio." + status.error().message};
  };
  const McsTable& mcs = radio.coding.mcs;
  if (auto status = Validate(mcs); !status) return with_section(status);
  const RadioSteps steps = StepsOf(radio);
  if (auto status = Validate(steps); !status) return with_section(status);
  const double cap = radio.coding.spectral_efficiency_cap;
  if (!mcs.rows.empty() && !std::isinf(cap)) {
    return Error{fmt::format(
        "radio.spectral_efficiency_cap = {}: cannot stand beside radio.mcs, whose last row is the "
        "cap: leave it out",
        FormatNumber(cap))};
  }
  const AfterDraw rule = radio.band.after_draw;
  if (steps.any() && (rule == AfterDraw::kTogether || rule == AfterDraw::kLeastEnergy)) {
    return Error{fmt::format(
        "radio.after_draw = {}: finds bands by Shannon's formula for powers of any size, which {} "
        "rules out: set it to strategy, own, equal or turns",
        AfterDrawName(rule), KeyOfSteps(radio))};
  }
  return {};
}

}  // namespace

std::string_view KeyOfSteps(const Radio& radio) {
  if (!radio.coding.mcs.rows.empty()) return "radio.mcs";
  if (!radio.power.levels_w.empty()) return "radio.power_levels_w";
  return radio.power.step_db > 0 ? "radio.power_step_db" : "radio.min_power_w";
}

Status Validate(const Radio& radio) {
  const std::optional<Shadowing>& shadowing = radio.propagation.shadowing;
  const PathLossModel& model = radio::ModelOf(radio.propagation.path_loss);
  if (model.has_geometry) {
    if (auto status = CheckGeometry(radio.propagation, model); !status) return status;
  }
  if (shadowing && !shadowing->sd_db && model.shadowing_sd_db == nullptr) {
    return Error{
        fmt::format("radio.shadowing = true: {} has no standard deviation of its own: set "
                    "radio.shadowing_sd_db, from 0 to 100",
                    PathLossName(radio.propagation.path_loss))};
  }
  if (radio.fading.kind == Fading::kRician && !radio.fading.rician_k_db && !model.rician_k) {
    return Error{
        fmt::format("radio.fading = rician: {} has no K-factor of its own: set radio.rician_k_db, "
                    "from -40 to 40",
                    PathLossName(radio.propagation.path_loss))};
  }
  if (auto status = ValidateSteps(radio); !status) return status;
  return ValidateKnowledge(radio);
}

ValidInterval DistanceRange(const Propagation& propagation) {
  const PathLossModel& model = radio::ModelOf(propagation.path_loss);
  ValidInterval range = model.distance_m;
  if (radio::SightOf(propagation.path_loss) != radio::Sight::kAll) {
    range.low = std::max(range.low, model.obstructed_distance_m.low);
    range.high = std::min(range.high, model.obstructed_distance_m.high);
  }
  if (!model.has_geometry) return range;
  const double rise_m = BaseHeight(propagation) - propagation.device_height_m;  // (R1)
  const auto on_ground = [&](double m) {
    return std::sqrt(std::max(m * m - rise_m * rise_m, 0.0));
  };
  return {std::max(range.low, on_ground(model.antenna_distance_m.low)),
          std::min(range.high, on_ground(model.antenna_distance_m.high))};
}

Status CheckDistance(const Propagation& propagation, double distance_m) {
  const ValidInterval range = DistanceRange(propagation);
  if (IsIn(range, distance_m)) return {};
  return Error{fmt::format("distance_m = {}: {}", FormatNumber(distance_m),
                           Bounds(propagation.path_loss, range))};
}

Status CheckEnvironmentHeight(const Propagation& propagation, double environment_height_m) {
  if (environment_height_m == 1) return {};
  const auto error = [&](const std::string& bounds) {
    return Error{fmt::format("environment_height_m = {}: must be 1{}",
                             FormatNumber(environment_height_m), bounds)};
  };
  if (radio::ModelOf(propagation.path_loss).draw_environment_height_m == nullptr) {
    return error(fmt::format(" with {}", PathLossName(propagation.path_loss)));
  }
  const double highest_m = radio::HighestEnvironment(propagation);
  if (highest_m < radio::kLowestEnvironmentM) {
    return error(
        fmt::format(", as radio.device_height_m is below {}",
                    FormatNumber(radio::kLowestEnvironmentM + radio::kEnvironmentClearanceM)));
  }
  const double steps =
      (environment_height_m - radio::kLowestEnvironmentM) / radio::kEnvironmentStepM;
  const bool is_one = steps >= 0 && steps == std::floor(steps) && environment_height_m <= highest_m;
  if (is_one) return {};
  return error(fmt::format(", or one of {}, {}, ... up to {}", radio::kLowestEnvironmentM,
                           radio::kLowestEnvironmentM + radio::kEnvironmentStepM,
                           FormatNumber(highest_m)));
}

}  // namespace airlot
