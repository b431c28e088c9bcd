// This file sets what the paper reports beside what we get.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "airlot/report.h"
#include "base/text.h"
#include "report/summaries.h"

namespace airlot {
namespace {

constexpr std::nullopt_t kNone = std::nullopt;  // The paper prints "NA".

// These rows are Tables I and II of the paper.
constexpr std::array<PaperRow, 4> kHighlyBiased = {{
    {"probabilistic", {1307, 27364}, {625, 13061}},
    {"deterministic", {31, kNone}, {91, kNone}},
    {"uniform", {80113, 126747}, {77967, 123669}},
    {"equally-weighted", {155, kNone}, {463, kNone}},
}};
// These rows are Tables III and IV of the paper. The energy of equally weighted selection is
// printed "1 61"; it is 1 161 by the ratio of its row.
constexpr std::array<PaperRow, 4> kMildlyBiased = {{
    {"probabilistic", {1145, 2834}, {591, 1438}},
    {"deterministic", {33, 81}, {233, 567}},
    {"uniform", {9502, 29290}, {29225, 90348}},
    {"equally-weighted", {146, 400}, {426, 1161}},
}};
constexpr std::array<PaperScenario, 2> kScenarios = {{
    {"paper-highly-biased", {0.59, 0.80}, kHighlyBiased},
    {"paper-mildly-biased", {0.70, 0.86}, kMildlyBiased},
}};

using report::FindSummary;

const TargetSummary* FindTarget(const StrategySummary* summary, double target) {
  if (summary == nullptr) return nullptr;
  const auto found = std::ranges::find(summary->targets, target, &TargetSummary::target);
  return found == summary->targets.end() ? nullptr : &*found;
}

std::string Number(const std::optional<double>& value) {
  return value ? base::Grouped(fmt::format("{:.0f}", *value)) : "NA";
}

// Returns our mean over all runs, a lower bound where some missed the target, and the paper's
// number.
std::string CellText(const TargetSummary* target, Moments Arrivals::*quantity,
                     const std::optional<double>& paper, const TableStyle& style) {
  if (target == nullptr) return fmt::format("- ({})", Number(paper));
  const Arrivals& arrivals = target->first;
  const Moments& cost = arrivals.*quantity;
  if (arrivals.reached == 0) return fmt::format("NA ({})", Number(paper));
  if (arrivals.reached == cost.count) {
    return fmt::format("{} ({})", Number(cost.mean), Number(paper));
  }
  return fmt::format("{} {} [{} of {}] ({})", style.utf8 ? "≥" : ">=", Number(cost.mean),
                     arrivals.reached, cost.count, Number(paper));
}

constexpr bool IsReachedByHalf(const Arrivals& arrivals, std::size_t runs) {
  return 2 * arrivals.reached >= runs;
}

// Returns the joules per second of the paper's row: the geometric mean over the targets that it
// reached.
double PaperPower(const PaperRow& row) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < 2; ++i) {
    if (!row.time_s[i] || !row.energy_j[i]) continue;
    sum += std::log(*row.energy_j[i] / *row.time_s[i]);
    ++count;
  }
  return std::exp(sum / count);
}

}  // namespace

std::span<const PaperScenario> PaperScenarios() { return kScenarios; }

std::string DrawPaperTables(const PaperScenario& paper, std::span<const StrategySummary> ours,
                            const TableStyle& style) {
  std::string text;
  const auto draw = [&](const char* title, Moments Arrivals::*quantity,
                        const std::optional<double>(PaperRow::*values)[2]) {
    std::vector<std::vector<std::string>> rows{{std::string(title),
                                                fmt::format("{:.0f} %", 100 * paper.targets[0]),
                                                fmt::format("{:.0f} %", 100 * paper.targets[1])}};
    for (const PaperRow& row : paper.rows) {
      const StrategySummary* summary = FindSummary(ours, row.strategy);
      auto& cells = rows.emplace_back(1, std::string(row.strategy));
      for (std::size_t i = 0; i < 2; ++i) {
        const TargetSummary* target = FindTarget(summary, paper.targets[i]);
        cells.push_back(CellText(target, quantity, (row.*values)[i], style));
      }
    }
    text += DrawTable(rows, style);
  };
  draw("time (s): ours (paper)", &Arrivals::time_s, &PaperRow::time_s);
  draw("energy (J): ours (paper)", &Arrivals::energy_j, &PaperRow::energy_j);
  return text;
}

PaperDistance& PaperDistance::operator+=(const PaperDistance& other) {
  cells += other.cells;
  log_sum += other.log_sum;
  all_cells += other.all_cells;
  all_log_sum += other.all_log_sum;
  differing += other.differing;
  strategies += other.strategies;
  power_log_sum += other.power_log_sum;
  return *this;
}

PaperDistance DistanceFrom(const PaperScenario& paper, std::span<const StrategySummary> ours) {
  PaperDistance distance;
  const auto add = [&](const Arrivals& arrivals, const Moments& cost, const Moments& whole,
                       const std::optional<double>& theirs) {
    if (!(cost.mean > 0)) return;  // A target that the start reaches costs nothing.
    const double logarithm = std::abs(std::log(cost.mean / theirs.value_or(whole.mean)));
    distance.all_log_sum += logarithm;
    ++distance.all_cells;
    if (theirs) {
      distance.log_sum += logarithm;
      ++distance.cells;
    }
    if (IsReachedByHalf(arrivals, cost.count) != theirs.has_value()) ++distance.differing;
  };
  for (const PaperRow& row : paper.rows) {
    const StrategySummary* summary = FindSummary(ours, row.strategy);
    if (summary == nullptr || !(summary->time_s.mean > 0 && summary->energy_j.mean > 0)) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      const TargetSummary* target = FindTarget(summary, paper.targets[i]);
      if (target == nullptr) continue;
      add(target->first, target->first.time_s, summary->time_s, row.time_s[i]);
      add(target->first, target->first.energy_j, summary->energy_j, row.energy_j[i]);
    }
    const double power_w = summary->energy_j.mean / summary->time_s.mean;
    distance.power_log_sum += std::abs(std::log(power_w / PaperPower(row)));
    ++distance.strategies;
  }
  return distance;
}

}  // namespace airlot
