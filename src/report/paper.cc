// What the paper reports, beside what we get.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "airlot/report.h"
#include "base/text.h"

namespace airlot {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // "NA"

// Tables I and II of the paper.
constexpr std::array<PaperRow, 4> kHighlyBiased = {{
    {"probabilistic", {1307, 27364}, {625, 13061}},
    {"deterministic", {31, kNone}, {91, kNone}},
    {"uniform", {80113, 126747}, {77967, 123669}},
    {"equally-weighted", {155, kNone}, {463, kNone}},
}};
// Tables III and IV. The energy of equally weighted selection is printed "1 61": 1 161 by the ratio
// of its row.
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

std::string Number(double value) {
  return std::isnan(value) ? "NA" : base::Grouped(fmt::format("{:.0f}", value));
}

std::string Cell(const StrategySummary* summary, const Moments* ours, double paper) {
  if (ours == nullptr) return fmt::format("- ({})", Number(paper));
  std::string text = ours->count == 0 ? "NA" : Number(ours->mean);
  if (ours->count > 0 && ours->count < summary->runs) {
    text += fmt::format(" [{} of {}]", ours->count, summary->runs);
  }
  return fmt::format("{} ({})", text, Number(paper));
}

// Comparisons of times or energies to a target, where not to reach it is worse than anything.
struct Judge {
  std::span<const StrategySummary> summaries;
  double target;
  Moments TargetSummary::*quantity;

  // Infinite where no run reached it.
  double Of(std::string_view strategy) const {
    const TargetSummary* summary = FindTarget(FindSummary(summaries, strategy), target);
    if (summary == nullptr || (summary->*quantity).count == 0) {
      return std::numeric_limits<double>::infinity();
    }
    return (summary->*quantity).mean;
  }
  std::size_t ReachedBy(std::string_view strategy) const {
    const TargetSummary* summary = FindTarget(FindSummary(summaries, strategy), target);
    return summary == nullptr ? 0 : summary->time_s.count;
  }
  std::string Show(std::string_view strategy) const {
    const double value = Of(strategy);
    return fmt::format("{} {}", strategy, std::isinf(value) ? "never" : Number(value));
  }
};

Claim Reaches(const Judge& judge, std::string_view strategy, bool wanted) {
  const StrategySummary* summary = FindSummary(judge.summaries, strategy);
  const std::size_t runs = summary == nullptr ? 0 : summary->runs;
  const std::size_t reached = judge.ReachedBy(strategy);
  return {.text = fmt::format("{} {} {:.0f} %", strategy, wanted ? "reaches" : "never reaches",
                              100 * judge.target),
          .holds = runs > 0 && reached == (wanted ? runs : 0),
          .found = fmt::format("{} of {} runs reach it", reached, runs)};
}

Claim Less(const Judge& judge, std::string_view less, std::string_view more,
           std::string_view text) {
  return {.text = fmt::format("{} ({:.0f} %)", text, 100 * judge.target),
          .holds = judge.Of(less) < judge.Of(more),
          .found = fmt::format("{}, {}", judge.Show(less), judge.Show(more))};
}

// Among those that reach the target.
Claim UniformIsLargest(const Judge& judge, std::string_view text) {
  Claim claim{.text = fmt::format("{} ({:.0f} %)", text, 100 * judge.target), .holds = true};
  for (const StrategySummary& summary : judge.summaries) {
    if (summary.strategy == "uniform" || judge.ReachedBy(summary.strategy) == 0) continue;
    claim.holds &= judge.Of("uniform") > judge.Of(summary.strategy);
    claim.found += judge.Show(summary.strategy) + ", ";
  }
  claim.found += judge.Show("uniform");
  return claim;
}

// The best of the three with as many devices a round.
Claim ProbabilisticIsMostAccurate(std::span<const StrategySummary> summaries) {
  Claim claim{.text = "probabilistic gets higher accuracy than deterministic, equally weighted",
              .holds = true};
  const StrategySummary* probabilistic = FindSummary(summaries, "probabilistic");
  for (const StrategySummary& summary : summaries) {
    if (summary.strategy == "uniform") continue;
    if (&summary != probabilistic) {
      claim.holds &= probabilistic != nullptr &&
                     summary.final_accuracy.mean < probabilistic->final_accuracy.mean;
    }
    claim.found += fmt::format("{}{} {:.1f} %", claim.found.empty() ? "" : ", ", summary.strategy,
                               100 * summary.final_accuracy.mean);
  }
  return claim;
}

}  // namespace

std::span<const PaperScenario> PaperScenarios() { return kScenarios; }

std::string DrawPaperTables(const PaperScenario& paper, std::span<const StrategySummary> ours,
                            const TableStyle& style) {
  std::string text;
  const auto draw = [&](const char* title, Moments TargetSummary::*quantity,
                        const double(PaperRow::*values)[2]) {
    std::vector<std::vector<std::string>> rows{{std::string(title),
                                                fmt::format("{:.0f} %", 100 * paper.targets[0]),
                                                fmt::format("{:.0f} %", 100 * paper.targets[1])}};
    for (const PaperRow& row : paper.rows) {
      const StrategySummary* summary = FindSummary(ours, row.strategy);
      auto& cells = rows.emplace_back(1, std::string(row.strategy));
      for (std::size_t i = 0; i < 2; ++i) {
        const TargetSummary* target = FindTarget(summary, paper.targets[i]);
        cells.push_back(
            Cell(summary, target == nullptr ? nullptr : &(target->*quantity), (row.*values)[i]));
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
    claims = {ProbabilisticIsMostAccurate(ours), Reaches(last, "probabilistic", true),
              Reaches(last, "deterministic", false), Reaches(last, "equally-weighted", false)};
  }
  for (const double target : paper.targets) {
    const Judge time{ours, target, &TargetSummary::time_s};
    const Judge energy{ours, target, &TargetSummary::energy_j};
    claims.push_back(UniformIsLargest(time, "uniform takes the longest"));
    claims.push_back(
        Less(energy, "probabilistic", "uniform", "uniform spends more energy than probabilistic"));
    if (is_highly_biased) continue;
    claims.push_back(
        Less(time, "deterministic", "probabilistic", "deterministic is faster than probabilistic"));
    claims.push_back(Less(energy, "deterministic", "probabilistic",
                          "deterministic spends less energy than probabilistic"));
    claims.push_back(Less(time, "equally-weighted", "probabilistic",
                          "equally weighted is faster than probabilistic"));
    claims.push_back(Less(time, "deterministic", "equally-weighted",
                          "deterministic is faster than equally weighted"));
  }
  return claims;
}

}  // namespace airlot
