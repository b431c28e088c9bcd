#include "fleet/file_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "airlot/column.h"
#include "base/text.h"

namespace airlot::fleet {
namespace {

constexpr double kLargestDecibel = 400;

constexpr std::array kColumns{
    FileColumn{"distance_m", &FleetRows::distance_m, NumberRange::kNotNegative},
    FileColumn{"noise_to_gain_w", &FleetRows::noise_to_gain_w, NumberRange::kPositive},
    FileColumn{"bandwidth_hz", &FleetRows::bandwidth_hz, NumberRange::kPositive},
    FileColumn{"max_power_w", &FleetRows::max_power_w, NumberRange::kPositive},
    FileColumn{"energy_budget_j", &FleetRows::energy_budget_j, NumberRange::kNotNegative},
    FileColumn{"compute_energy_j", &FleetRows::compute_energy_j, NumberRange::kNotNegative},
    FileColumn{"compute_time_s", &FleetRows::compute_time_s, NumberRange::kNotNegative},
    FileColumn{"samples", &FleetRows::samples, NumberRange::kNotNegative},
    FileColumn{"cycles_per_sample", &FleetRows::cycles_per_sample, NumberRange::kNotNegative},
    FileColumn{"cpu_hz", &FleetRows::cpu_hz, NumberRange::kPositive},
    FileColumn{"kappa", &FleetRows::kappa, NumberRange::kNotNegative},
    FileColumn{"update_bits", &FleetRows::update_bits, NumberRange::kPositive},
    FileColumn{"time_limit_s", &FleetRows::time_limit_s, NumberRange::kPositive},
    FileColumn{"receive_energy_j", &FleetRows::receive_energy_j, NumberRange::kNotNegative},
    FileColumn{"battery_j", &FleetRows::battery_j, NumberRange::kPositive},
    FileColumn{"harvest_w", &FleetRows::harvest_w, NumberRange::kNotNegative},
    FileColumn{"path_loss_db", &FleetRows::path_loss_db, NumberRange::kLoss},
    FileColumn{"channel_gain_db", &FleetRows::channel_gain_db, NumberRange::kGain},
    FileColumn{"noise_dbm", &FleetRows::noise_dbm, NumberRange::kDecibel},
    FileColumn{"noise_band_hz", &FleetRows::noise_band_hz, NumberRange::kPositive},
    FileColumn{"x_m", &FleetRows::x_m, NumberRange::kCoordinate},
    FileColumn{"y_m", &FleetRows::y_m, NumberRange::kCoordinate},
    FileColumn{"battery_mah", &FleetRows::battery_mah, NumberRange::kPositive},
    FileColumn{"battery_v", &FleetRows::battery_v, NumberRange::kPositive},
    FileColumn{"lifetime_days", &FleetRows::lifetime_days, NumberRange::kPositive},
    FileColumn{"round_period_s", &FleetRows::round_period_s, NumberRange::kPositive},
};

// Two columns of one file that say the same thing contradict each other.
struct Contradiction {
  std::string_view first, second, reason;
};
constexpr std::string_view kChannelTwice = "both say how much of what is sent arrives: give one";
constexpr std::string_view kPlaceTwice = "the distance follows from x_m and y_m: give one";
constexpr std::string_view kEnergyTwice = "give either the energy or what it is computed from";
constexpr std::array kContradictions{
    Contradiction{"compute_energy_j", "cycles_per_sample", kEnergyTwice},
    Contradiction{"compute_energy_j", "cpu_hz", kEnergyTwice},
    Contradiction{"compute_energy_j", "kappa", kEnergyTwice},
    Contradiction{"path_loss_db", "channel_gain_db", kChannelTwice},
    Contradiction{"path_loss_db", "noise_to_gain_w", kChannelTwice},
    Contradiction{"channel_gain_db", "noise_to_gain_w", kChannelTwice},
    Contradiction{"path_loss_db", "distance_m", kChannelTwice},
    Contradiction{"channel_gain_db", "distance_m", kChannelTwice},
    Contradiction{"noise_dbm", "noise_to_gain_w",
                  "the noise is in noise_to_gain_w already: give one, or path_loss_db beside "
                  "noise_dbm"},
    Contradiction{"distance_m", "x_m", kPlaceTwice},
    Contradiction{"distance_m", "y_m", kPlaceTwice},
    Contradiction{"energy_budget_j", "lifetime_days",
                  "the budget of a round follows from battery and lifetime: give one"},
    Contradiction{"battery_j", "battery_mah", "both say the charge: give one"},
    Contradiction{"battery_j", "battery_v", "both say the charge: give one"},
};

// A column may be of use only beside another one.
struct Need {
  std::string_view column, needed, or_needed;
};
constexpr std::array kNeeds{
    Need{"x_m", "y_m", ""},
    Need{"y_m", "x_m", ""},
    Need{"battery_mah", "battery_v", ""},
    Need{"battery_v", "battery_mah", ""},
    Need{"noise_band_hz", "noise_dbm", "noise_to_gain_w"},
    Need{"round_period_s", "lifetime_days", ""},
};

Status CheckTogether(const FileLayout& layout, const std::string& where) {
  for (const auto& [first, second, reason] : kContradictions) {
    if (!layout.Has(first) || !layout.Has(second)) continue;
    return Error{fmt::format("{}: columns {} and {}: {}", where, first, second, reason)};
  }
  for (const auto& [column, needed, or_needed] : kNeeds) {
    if (!layout.Has(column) || layout.Has(needed)) continue;
    if (!or_needed.empty() && layout.Has(or_needed)) continue;
    return Error{fmt::format("{}: column {}: needs a column {}{}{} beside it", where, column,
                             needed, or_needed.empty() ? "" : " or ", or_needed)};
  }
  return {};
}

std::vector<std::string_view> ColumnNames() {
  std::vector<std::string_view> names{kIdColumn};
  for (const FileColumn& column : kColumns) names.push_back(column.name);
  return names;
}

bool HasOtherSeparator(std::string_view name) {
  return name.find_first_of(";\t") != std::string_view::npos;
}

Error OtherSeparator(const std::string& where, std::string_view name) {
  return {fmt::format("{}: unknown column {}: columns are separated by commas", where,
                      base::Quoted(name))};
}

std::optional<std::string_view> NearestColumn(std::string_view name,
                                              std::span<const std::string_view> names) {
  std::string small(name);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return base::NearestName(small, names);
}

// Says what may be meant by the columns that are not known: "path_los_db" (path_loss_db?).
Error UnknownOnes(const std::string& where, std::span<const std::string> unknown) {
  const auto names = ColumnNames();
  const auto nearest = NearestColumn(unknown.front(), names);
  std::string text =
      fmt::format("{}: unknown column {}: ", where, base::Quoted(unknown.front())) +
      (nearest ? fmt::format("did you mean {}?", *nearest)
               : fmt::format("plan --ignore-unknown, or fleet.ignore_unknown, leaves such columns "
                             "out; known are {}",
                             fmt::join(names, ", ")));
  std::vector<std::string> others;
  for (const std::string& name : unknown.subspan(1)) {
    const auto meant = NearestColumn(name, names);
    others.push_back(base::Quoted(name) + (meant ? fmt::format(" ({}?)", *meant) : ""));
  }
  if (!others.empty()) {
    text += fmt::format("{} Not known, either: {}", nearest ? "" : ".", fmt::join(others, ", "));
  }
  return {std::move(text)};
}

std::size_t IndexOf(std::string_view name) {
  if (name == kIdColumn) return FileLayout::kId;
  const auto* const known = std::ranges::find(kColumns, name, &FileColumn::name);
  return known == kColumns.end() ? FileLayout::kIgnored
                                 : static_cast<std::size_t>(known - kColumns.begin());
}

}  // namespace

std::span<const FileColumn> FileColumns() { return kColumns; }

bool IsIn(NumberRange range, double value) {
  switch (range) {
    case NumberRange::kPositive:
      return IsInput(value, false);
    case NumberRange::kNotNegative:
      return IsInput(value, true);
    case NumberRange::kDecibel:
      return std::abs(value) <= kLargestDecibel;
    case NumberRange::kLoss:
      return value >= 0 && value <= kLargestDecibel;
    case NumberRange::kGain:
      return value <= 0 && value >= -kLargestDecibel;
    case NumberRange::kCoordinate:
      return std::abs(value) <= kLargestInput;
  }
  return false;
}

std::string BoundOf(NumberRange range, double value) {
  if (!std::isfinite(value)) return "must be a finite number";
  if (range == NumberRange::kLoss) {
    return value < 0 ? "must be >= 0: did you mean channel_gain_db?"
                     : fmt::format("must be <= {}", kLargestDecibel);
  }
  if (range == NumberRange::kGain) {
    return value > 0 ? "must be <= 0: did you mean path_loss_db?"
                     : fmt::format("must be >= {}", -kLargestDecibel);
  }
  if (range == NumberRange::kDecibel) {
    return fmt::format("must be from {} to {}", -kLargestDecibel, kLargestDecibel);
  }
  if (value > kLargestInput) return fmt::format("must be <= {}", kLargestInput);
  if (range == NumberRange::kCoordinate) return fmt::format("must be >= {}", -kLargestInput);
  if (range == NumberRange::kNotNegative) {
    return value < 0 ? "must be >= 0" : fmt::format("must be 0 or >= {}", kSmallestInput);
  }
  return value <= 0 ? "must be > 0" : fmt::format("must be >= {}", kSmallestInput);
}

bool FileLayout::Has(std::string_view name) const {
  return std::ranges::find(columns, IndexOf(name)) != columns.end();
}

Result<FileLayout> ReadFileLayout(std::span<const std::string> header, const std::string& where,
                                  UnknownColumns unknown) {
  FileLayout layout;
  for (const std::string& name : header) {
    const std::size_t column = IndexOf(name);
    if (column == FileLayout::kIgnored) {
      if (HasOtherSeparator(name)) return OtherSeparator(where, name);
      layout.ignored.push_back(name);
    } else if (std::ranges::find(layout.columns, column) != layout.columns.end()) {
      return Error{fmt::format("{}: column {} appears twice", where, name)};
    }
    layout.columns.push_back(column);
  }
  if (unknown == UnknownColumns::kRefuse && !layout.ignored.empty()) {
    return UnknownOnes(where, layout.ignored);
  }
  if (layout.ignored.size() == header.size()) {
    return Error{
        fmt::format("{}: no column is known: known are {}", where, fmt::join(ColumnNames(), ", "))};
  }
  if (const auto status = CheckTogether(layout, where); !status) return status.error();
  return layout;
}

}  // namespace airlot::fleet
