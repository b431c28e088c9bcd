#include "radio/path_loss.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace airlot {
namespace radio {
namespace {

struct NamedModel {
  PathLossEntry entry;
  const PathLossModel& model;
  Sight sight;
};

constexpr NamedModel kModels[] = {
    {{PathLoss::kInverseSquare, "inverse-square", "The gain is distance^-2, as in the paper."},
     kInverseSquare,
     Sight::kAll},
    {{PathLoss::kLogDistance, "log-distance",
      "The gain is distance^-radio.path_loss_exponent, radio.reference_loss_db less at 1 m."},
     kLogDistance,
     Sight::kAll},
    {{PathLoss::kMacro2Ghz, "macro-2ghz",
      "The loss is 128.1 + 37.6 log10(distance in km) dB, 3GPP's macro cell at 2 GHz."},
     kMacro2Ghz,
     Sight::kAll},
    {{PathLoss::kRma, "rma", "Rural macro cell, 3GPP TR 38.901; line of sight is drawn."},
     kRma,
     Sight::kDrawn},
    {{PathLoss::kRmaLos, "rma-los",
      "Rural macro cell, 3GPP TR 38.901; every link has line of sight."},
     kRma,
     Sight::kAll},
    {{PathLoss::kRmaNlos, "rma-nlos",
      "Rural macro cell, 3GPP TR 38.901; no link has line of sight."},
     kRma,
     Sight::kNone},
    {{PathLoss::kUma, "uma", "Urban macro cell, 3GPP TR 38.901; line of sight is drawn."},
     kUma,
     Sight::kDrawn},
    {{PathLoss::kUmaLos, "uma-los",
      "Urban macro cell, 3GPP TR 38.901; every link has line of sight."},
     kUma,
     Sight::kAll},
    {{PathLoss::kUmaNlos, "uma-nlos",
      "Urban macro cell, 3GPP TR 38.901; no link has line of sight."},
     kUma,
     Sight::kNone},
    {{PathLoss::kUmi, "umi",
      "Urban micro cell in a street canyon, 3GPP TR 38.901; line of sight is drawn."},
     kUmi,
     Sight::kDrawn},
    {{PathLoss::kUmiLos, "umi-los",
      "Urban micro cell in a street canyon, 3GPP TR 38.901; every link has line of sight."},
     kUmi,
     Sight::kAll},
    {{PathLoss::kUmiNlos, "umi-nlos",
      "Urban micro cell in a street canyon, 3GPP TR 38.901; no link has line of sight."},
     kUmi,
     Sight::kNone},
    {{PathLoss::kInh, "inh", "Indoor office, 3GPP TR 38.901; line of sight is drawn."},
     kInh,
     Sight::kDrawn},
    {{PathLoss::kInhLos, "inh-los", "Indoor office, 3GPP TR 38.901; every link has line of sight."},
     kInh,
     Sight::kAll},
    {{PathLoss::kInhNlos, "inh-nlos", "Indoor office, 3GPP TR 38.901; no link has line of sight."},
     kInh,
     Sight::kNone},
};

// The rows stand in the order of the enumeration.
const NamedModel& RowOf(PathLoss path_loss) {
  const auto row = static_cast<std::size_t>(path_loss);
  AIRLOT_CHECK(row < std::size(kModels) && kModels[row].entry.path_loss == path_loss,
               "path loss {}", row);
  return kModels[row];
}

}  // namespace

const PathLossModel& ModelOf(PathLoss path_loss) { return RowOf(path_loss).model; }
Sight SightOf(PathLoss path_loss) { return RowOf(path_loss).sight; }

Path PathOf(const Propagation& propagation, double distance_m, double environment_height_m) {
  Path path{.distance_m = distance_m,
            .antenna_distance_m = distance_m,
            .environment_height_m = environment_height_m};
  if (ModelOf(propagation.path_loss).has_geometry) {
    path.base_height_m = BaseHeight(propagation);
    path.antenna_distance_m =
        std::hypot(distance_m, path.base_height_m - propagation.device_height_m);  // (R1)
  }
  return path;
}

double DrawEnvironmentHeight(const Propagation& propagation, double distance_m,
                             base::RandomStream& stream) {
  const auto draw = ModelOf(propagation.path_loss).draw_environment_height_m;
  return draw == nullptr ? 1 : draw(propagation, distance_m, stream);
}

}  // namespace radio

std::span<const PathLossEntry> PathLosses() {
  static const auto entries = [] {
    std::array<PathLossEntry, std::size(radio::kModels)> all;
    std::ranges::transform(radio::kModels, all.begin(), &radio::NamedModel::entry);
    return all;
  }();
  return entries;
}

std::string_view PathLossName(PathLoss path_loss) { return radio::RowOf(path_loss).entry.name; }

double BaseHeight(const Propagation& propagation) {
  return propagation.base_height_m.value_or(
      radio::ModelOf(propagation.path_loss).default_base_height_m);
}

bool HasGeometry(PathLoss path_loss) { return radio::ModelOf(path_loss).has_geometry; }

bool KnowsLineOfSight(PathLoss path_loss) {
  return radio::ModelOf(path_loss).obstructed_db != nullptr;
}

bool DrawsLineOfSight(PathLoss path_loss) {
  return radio::SightOf(path_loss) == radio::Sight::kDrawn;
}

double LineOfSightProbability(const Propagation& propagation, double distance_m) {
  switch (radio::SightOf(propagation.path_loss)) {
    case radio::Sight::kAll:
      return 1;
    case radio::Sight::kNone:
      return 0;
    case radio::Sight::kDrawn:
      return radio::ModelOf(propagation.path_loss).sight_probability(propagation, distance_m);
  }
  AIRLOT_CHECK(false, "path loss {}", static_cast<int>(propagation.path_loss));
}

double PathLossDb(const Propagation& propagation, double distance_m, bool line_of_sight,
                  double environment_height_m) {
  const radio::PathLossModel& model = radio::ModelOf(propagation.path_loss);
  const radio::Path path = radio::PathOf(propagation, distance_m, environment_height_m);
  const bool is_obstructed = !line_of_sight && model.obstructed_db != nullptr;
  return is_obstructed ? model.obstructed_db(propagation, path) : model.sight_db(propagation, path);
}

double PathGain(const Propagation& propagation, double distance_m, bool line_of_sight,
                double environment_height_m) {
  if (propagation.path_loss == PathLoss::kInverseSquare) {  // exact where decibels would round
    const double d = std::max(distance_m, 1.0);
    return 1 / (d * d);
  }
  return FromDecibel(-PathLossDb(propagation, distance_m, line_of_sight, environment_height_m));
}

double ShadowingSd(const Propagation& propagation, double distance_m, bool line_of_sight) {
  if (!propagation.shadowing) return 0;
  if (propagation.shadowing->sd_db) return *propagation.shadowing->sd_db;
  const auto sd_db = radio::ModelOf(propagation.path_loss).shadowing_sd_db;
  AIRLOT_CHECK(sd_db != nullptr, "path loss {}", PathLossName(propagation.path_loss));
  return sd_db(propagation, radio::PathOf(propagation, distance_m), line_of_sight);
}

RicianK RicianKOf(const FadingModel& fading, PathLoss path_loss, bool line_of_sight) {
  constexpr double kNoDirectPath = -std::numeric_limits<double>::infinity();
  if (fading.rician_k_db) return {.mean_db = *fading.rician_k_db};
  const auto& rician_k = radio::ModelOf(path_loss).rician_k;
  AIRLOT_CHECK(rician_k.has_value(), "path loss {}", PathLossName(path_loss));
  return line_of_sight ? *rician_k : RicianK{.mean_db = kNoDirectPath};
}

}  // namespace airlot
