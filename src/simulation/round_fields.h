// The fields of a round are declared once here: rounds.csv and checkpoints follow this list.
#ifndef AIRLOT_SIMULATION_ROUND_FIELDS_H_
#define AIRLOT_SIMULATION_ROUND_FIELDS_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>

#include "airlot/simulation.h"

namespace airlot::simulation {

struct RoundField {
  std::string_view name;
  std::variant<std::uint64_t RoundRecord::*, double RoundRecord::*,
               std::optional<double> RoundRecord::*>
      member;
  double least = 0;
  double most = std::numeric_limits<double>::max();
};

inline constexpr double kMostDevices = std::numeric_limits<std::uint32_t>::max();
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

// The fields are in the order of rounds.csv and of the format of checkpoints. The losses of a
// training that diverges may be infinite, and R^2 of numbers that are predicted is below 0 where
// they are worse than their mean.
inline constexpr std::array<RoundField, 10> kRoundFields{{
    {"round", &RoundRecord::round},
    {"time_s", &RoundRecord::time_s},
    {"energy_j", &RoundRecord::energy_j},
    {"participants", &RoundRecord::participants, 0, kMostDevices},
    {"loss", &RoundRecord::loss, -kInfinite, kInfinite},
    {"accuracy", &RoundRecord::accuracy, -kInfinite, 1},
    {"test_loss", &RoundRecord::test_loss, -kInfinite, kInfinite},
    {"mean_participation_s", &RoundRecord::mean_participation_s},
    {"empty_batteries", &RoundRecord::empty_batteries, 0, kMostDevices},
    {"arrived", &RoundRecord::arrived, 0, kMostDevices},
}};

// Calls visit(field, value) for each field of a record, in the order of kRoundFields.
template <class Record, class Visit>
void ForEachField(Record& record, const Visit& visit) {
  for (const RoundField& field : kRoundFields) {
    std::visit([&](auto member) { visit(field, record.*member); }, field.member);
  }
}

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_ROUND_FIELDS_H_
