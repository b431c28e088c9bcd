#include "cli/run_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/planning.h"
#include "base/text.h"

namespace airlot::cli {
namespace {

// A strategy may find nobody, such as one that takes as many as a plan expects, where that is half
// a device.
std::string NoteOnIdle(const Scenario& scenario, const RunResult& run) {
  const bool lacks_charge =
      !run.records.empty() && run.records.back().empty_batteries.value_or(0) > 0;
  return fmt::format(
      "nobody was selected in any round: raise round.time_limit_s{} or the budgets, or choose "
      "another {}",
      lacks_charge ? ", fleet.battery_j" : "",
      IsOfThePaper(scenario.planning.solver) ? "strategy or planning.solver" : "strategy");
}

bool IsInfinite(const std::optional<double>& value) { return value && !std::isfinite(*value); }

bool HasDiverged(const RoundRecord& record) {
  return IsInfinite(record.loss) || IsInfinite(record.test_loss) || IsInfinite(record.accuracy);
}

bool IsOwnData(const std::optional<std::string>& dataset) {
  return dataset && std::ranges::none_of(Datasets(), [&](const DatasetEntry& entry) {
           return entry.name == *dataset;
         });
}

// Steps that are too large lead away from every optimum, until the numbers end.
std::string NoteOnDivergence(const Scenario& scenario, const RoundRecord& first) {
  const auto key = [](std::string_view name, double value) {
    return fmt::format("{} = {}", name, base::FormatNumber(value));
  };
  std::string keys = key("learning.rate", scenario.learning.rate);
  if (scenario.learning.server_rate) {
    keys += " or " + key("learning.server_rate", *scenario.learning.server_rate);
  }
  const bool may_standardise = IsOwnData(scenario.data.dataset) && !scenario.data.standardise;
  return fmt::format("training diverged: the loss is not finite from round {} on: lower {}{}",
                     first.round, keys, may_standardise ? ", or set data.standardise = true" : "");
}

// These return what is to be said of a run, and nothing where there is nothing.
std::optional<std::string> IdleOf(const Scenario& scenario, const RunResult& run) {
  if (run.fairness) return std::nullopt;
  return NoteOnIdle(scenario, run);
}

std::optional<std::string> DivergenceOf(const Scenario& scenario, const RunResult& run) {
  const auto first = std::ranges::find_if(run.records, HasDiverged);
  if (first == run.records.end()) return std::nullopt;
  return NoteOnDivergence(scenario, *first);
}

constexpr auto kKindsOfNotes = {IdleOf, DivergenceOf};

}  // namespace

std::vector<std::string> NotesOn(const Scenario& scenario, const std::vector<RunResult>& runs) {
  std::vector<std::string> notes;
  for (const RunResult& run : runs) {
    for (const auto& note_of : kKindsOfNotes) {
      const auto note = note_of(scenario, run);
      if (!note) continue;
      notes.push_back(
          fmt::format("{}: {}, seed {}: {}", scenario.name, run.strategy, run.seed, *note));
    }
  }
  return notes;
}

std::vector<std::string> NotesOnCell(std::string_view cell, const Scenario& scenario,
                                     const std::vector<RunResult>& runs) {
  std::vector<std::string> notes;
  for (const auto& note_of : kKindsOfNotes) {
    const auto is_noted = [&](const RunResult& run) { return note_of(scenario, run).has_value(); };
    const auto first = std::ranges::find_if(runs, is_noted);
    if (first == runs.end()) continue;
    const auto more = std::count_if(first + 1, runs.end(), is_noted);
    const std::string and_more =
        more == 0 ? "" : fmt::format(", and {} more of its {} runs", more, runs.size());
    notes.push_back(fmt::format("the cell {}, {}, seed {}{}: {}", cell, first->strategy,
                                first->seed, and_more, *note_of(scenario, *first)));
  }
  return notes;
}

}  // namespace airlot::cli
