// Each path loss has one file, which says all that is known of the model. Formulas, ranges and
// sources are in docs/radio.md.
#ifndef AIRLOT_RADIO_PATH_LOSS_H_
#define AIRLOT_RADIO_PATH_LOSS_H_

#include <limits>
#include <optional>

#include "airlot/radio.h"
#include "base/random.h"

namespace airlot::radio {

inline constexpr double kLightSpeed = 299792458;  // m/s
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// A Path is where a link runs.
struct Path {
  double distance_m = 0;            // distance on the ground
  double base_height_m = 0;         // height of the server's antenna
  double antenna_distance_m = 0;    // distance from antenna to antenna (R1)
  double environment_height_m = 1;  // height from which waves are reflected (uma)
};

// A PathLossModel is a path loss, and where it holds. A bound that is not given is no bound.
struct PathLossModel {
  // These are the losses in dB, with line of sight and without; where the second is null, the first
  // holds for both.
  double (*sight_db)(const Propagation& propagation, const Path& path);
  double (*obstructed_db)(const Propagation& propagation, const Path& path) = nullptr;

  // The probability of line of sight is there only with both laws. Distances are on the ground.
  double (*sight_probability)(const Propagation& propagation, double distance_m) = nullptr;
  double (*shadowing_sd_db)(const Propagation& propagation, const Path& path,
                            bool line_of_sight) = nullptr;
  std::optional<RicianK> rician_k = {};  // with line of sight; without, there is no direct path
  double (*draw_environment_height_m)(const Propagation& propagation, double distance_m,
                                      base::RandomStream& stream) = nullptr;

  bool has_geometry = false;  // frequency and heights count
  double default_base_height_m = 0;
  ValidInterval frequency_hz = {};
  ValidInterval base_height_m = {};
  ValidInterval device_height_m = {};
  ValidInterval building_height_m = {};
  ValidInterval street_width_m = {};
  ValidInterval distance_m = {};             // distance on the ground
  ValidInterval obstructed_distance_m = {};  // distance on the ground without line of sight
  ValidInterval antenna_distance_m = {};     // distance from antenna to antenna
};

extern const PathLossModel kInverseSquare;
extern const PathLossModel kLogDistance;
extern const PathLossModel kMacro2Ghz;
extern const PathLossModel kRma;
extern const PathLossModel kUma;
extern const PathLossModel kUmi;
extern const PathLossModel kInh;

// Sight says who has line of sight.
enum class Sight : std::uint8_t { kAll, kNone, kDrawn };

const PathLossModel& ModelOf(PathLoss path_loss);
Sight SightOf(PathLoss path_loss);
Path PathOf(const Propagation& propagation, double distance_m, double environment_height_m = 1);

// By (R10), what reflects waves around a device is 1 m high, or 12, 15, ... m, at least 1.5 m below
// it.
inline constexpr double kLowestEnvironmentM = 12, kEnvironmentStepM = 3;
inline constexpr double kEnvironmentClearanceM = 1.5;
inline double HighestEnvironment(const Propagation& propagation) {
  return propagation.device_height_m - kEnvironmentClearanceM;
}

// Returns the effective environment height of a link, drawn where the model draws one, else 1 m.
double DrawEnvironmentHeight(const Propagation& propagation, double distance_m,
                             base::RandomStream& stream);

}  // namespace airlot::radio

#endif  // AIRLOT_RADIO_PATH_LOSS_H_
