// This file sets what the paper reports beside what we get.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "airlot/report.h"
#include "base/text.h"

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

const StrategySummary* FindSummary(std::span<const StrategySummary> summaries,
                                   std::string_view strategy) {
  const auto found = std::ranges::find(summaries, strategy, &StrategySummary::strategy);
  return found == summaries.end() ? nullptr : &*found;
}

const TargetSummary* FindTarget(const StrategySummary* summary, double target) {
  if (summary == nullptr) return nullptr;
  const auto found = std::ranges::find(summary->targets, target, &TargetSummary::target);
  return found == summary->targets.end() ? nullptr : &*found;
}

std::string Number(const std::optional<double>& value) {
  return value ? base::Grouped(fmt::format("{:.0f}", *value)) : "NA";
}

std::string CellText(const StrategySummary* summary, const Moments* ours,
                     const std::optional<double>& paper) {
  if (ours == nullptr) return fmt::format("- ({})", Number(paper));
  std::string text = ours->count == 0 ? "NA" : Number(ours->mean);
  if (ours->count > 0 && ours->count < summary->runs) {
    text += fmt::format(" [{} of {}]", ours->count, summary->runs);
  }
  return fmt::format("{} ({})", text, Number(paper));
}

// A Judge compares times or energies to a target.
struct Judge {
  std::span<const StrategySummary> summaries;
  double target;
  Moments TargetSummary::*quantity;

  // Returns nothing where not every run reached the target.
  std::optional<double> Of(std::string_view strategy) const {
    const StrategySummary* summary = FindSummary(summaries, strategy);
    const TargetSummary* found = FindTarget(summary, target);
    if (found == nullptr || (found->*quantity).count < summary->runs) return std::nullopt;
    return (found->*quantity).mean;
  }
  std::string Show(std::string_view strategy) const {
    const StrategySummary* summary = FindSummary(summaries, strategy);
    const TargetSummary* found = FindTarget(summary, target);
    if (found == nullptr) return fmt::format("{} -", strategy);
    const Moments& moments = found->*quantity;
    if (moments.count == 0) return fmt::format("{} never", strategy);
    const std::string share = moments.count == summary->runs
                                  ? ""
                                  : fmt::format(" [{} of {}]", moments.count, summary->runs);
    return fmt::format("{} {}{}", strategy, Number(moments.mean), share);
  }
};

Claim Reaches(const Judge& judge, std::string_view strategy, bool wanted) {
  const StrategySummary* summary = FindSummary(judge.summaries, strategy);
  const TargetSummary* target = FindTarget(summary, judge.target);
  Claim claim{.text = fmt::format("{} {} {:.0f} %", strategy, wanted ? "reaches" : "never reaches",
                                  100 * judge.target)};
  if (target == nullptr) return claim;
  claim.holds = target->time_s.count == (wanted ? summary->runs : 0);
  claim.found = fmt::format("{} of {} runs reach it", target->time_s.count, summary->runs);
  return claim;
}

// A strategy that does not reach the target in every run is worse than one that does.
Claim Less(const Judge& judge, std::string_view less, std::string_view more,
           std::string_view text) {
  Claim claim{.text = fmt::format("{} ({:.0f} %)", text, 100 * judge.target),
              .found = fmt::format("{}, {}", judge.Show(less), judge.Show(more))};
  const auto small = judge.Of(less), large = judge.Of(more);
  if (small && large) claim.holds = *small < *large;
  if (small.has_value() != large.has_value()) claim.holds = small.has_value();
  return claim;
}

// Only strategies that reach the target in every run are compared.
Claim UniformIsLargest(const Judge& judge, std::string_view text) {
  Claim claim{.text = fmt::format("{} ({:.0f} %)", text, 100 * judge.target)};
  const auto uniform = judge.Of("uniform");
  for (const StrategySummary& summary : judge.summaries) {
    claim.found +=
        fmt::format("{}{}", claim.found.empty() ? "" : ", ", judge.Show(summary.strategy));
    const auto other = judge.Of(summary.strategy);
    if (summary.strategy == "uniform" || !uniform || !other) continue;
    claim.holds = claim.holds.value_or(true) && *uniform > *other;
  }
  return claim;
}

Claim IsMoreAccurate(std::span<const StrategySummary> summaries, std::string_view more,
                     std::string_view less) {
  Claim claim{.text = fmt::format("{} ends with a higher accuracy than {}", more, less)};
  const StrategySummary* large = FindSummary(summaries, more);
  const StrategySummary* small = FindSummary(summaries, less);
  if (large == nullptr || small == nullptr) return claim;
  claim.holds = large->final_accuracy.mean > small->final_accuracy.mean;
  claim.found = fmt::format("{} {:.1f} %, {} {:.1f} %", more, 100 * large->final_accuracy.mean,
                            less, 100 * small->final_accuracy.mean);
  return claim;
}

}  // namespace

std::span<const PaperScenario> PaperScenarios() { return kScenarios; }

std::string DrawPaperTables(const PaperScenario& paper, std::span<const StrategySummary> ours,
                            const TableStyle& style) {
  std::string text;
  const auto draw = [&](const char* title, Moments TargetSummary::*quantity,
                        const std::optional<double>(PaperRow::*values)[2]) {
    std::vector<std::vector<std::string>> rows{{std::string(title),
                                                fmt::format("{:.0f} %", 100 * paper.targets[0]),
                                                fmt::format("{:.0f} %", 100 * paper.targets[1])}};
    for (const PaperRow& row : paper.rows) {
      const StrategySummary* summary = FindSummary(ours, row.strategy);
      auto& cells = rows.emplace_back(1, std::string(row.strategy));
      for (std::size_t i = 0; i < 2; ++i) {
        const TargetSummary* target = FindTarget(summary, paper.targets[i]);
        cells.push_back(CellText(summary, target == nullptr ? nullptr : &(target->*quantity),
                                 (row.*values)[i]));
      }
    }
    text += DrawTable(rows, style);
  };
  draw("time (s): ours (paper)", &TargetSummary::time_s, &PaperRow::time_s);
  draw("energy (J): ours (paper)", &TargetSummary::energy_j, &PaperRow::energy_j);
  return text;
}

std::vector<Claim> CheckClaims(const PaperScenario& paper, std::span<const StrategySummary> ours) {
  std::vector<Claim> claims;
  const bool is_highly_biased = paper.rows.data() == kHighlyBiased.data();
  if (is_highly_biased) {
    const Judge last{ours, paper.targets[1], &TargetSummary::time_s};
    claims = {IsMoreAccurate(ours, "probabilistic", "deterministic"),
              IsMoreAccurate(ours, "probabilistic", "equally-weighted"),
              Reaches(last, "probabilistic", true), Reaches(last, "deterministic", false),
              Reaches(last, "equally-weighted", false)};
  } else {
    claims = {IsMoreAccurate(ours, "probabilistic", "equally-weighted"),
              IsMoreAccurate(ours, "deterministic", "equally-weighted")};
  }
  for (const double target : paper.targets) {
    const Judge time{ours, target, &TargetSummary::time_s};
    const Judge energy{ours, target, &TargetSummary::energy_j};
    claims.push_back(UniformIsLargest(time, "uniform takes the longest"));
    claims.push_back(UniformIsLargest(energy, "uniform spends the most energy"));
    if (is_highly_biased) continue;
    claims.push_back(
        Less(time, "deterministic", "probabilistic", "deterministic is faster than probabilistic"));
    claims.push_back(Less(energy, "deterministic", "probabilistic",
                          "deterministic spends less energy than probabilistic"));
    claims.push_back(Less(time, "equally-weighted", "probabilistic",
                          "equally-weighted is faster than probabilistic"));
  }
  return claims;
}

}  // namespace airlot
