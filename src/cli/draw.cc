// `airlot draw` writes who takes part when, by a plan file.
#include "airlot/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "airlot/plan_file.h"
#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output_files.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct DrawOptions {
  std::string plan_file;
  std::uint64_t rounds = 0, first_round = 1, seed = 1;
  int threads = 1;
  std::optional<std::string> draws_file;
  OutputOptions output;
};

// DrawnRounds are what is counted over the rounds.
struct DrawnRounds {
  std::uint64_t participations = 0, empty_rounds = 0;
  std::size_t fewest = std::numeric_limits<std::size_t>::max(), most = 0;
  long double sum_of_squares = 0;  // of the participants of a round
  long double energy_j = 0;
  std::vector<std::uint64_t> times;  // how often each device is drawn
};

void CountRound(const std::vector<std::uint32_t>& drawn, const PlanFile& plan, DrawnRounds& all) {
  all.participations += drawn.size();
  all.empty_rounds += drawn.empty() ? 1 : 0;
  all.fewest = std::min(all.fewest, drawn.size());
  all.most = std::max(all.most, drawn.size());
  all.sum_of_squares += static_cast<long double>(drawn.size()) * drawn.size();
  for (const std::uint32_t device : drawn) {
    ++all.times[device];
    all.energy_j += plan.energy_j[device];
  }
}

// Appends the rows of a round: round,id,power_w.
void AppendRound(std::string& rows, std::uint64_t round, const std::vector<std::uint32_t>& drawn,
                 const PlanFile& plan) {
  std::string buffer;
  for (const std::uint32_t device : drawn) {
    rows += std::to_string(round);
    rows += ',';
    base::AppendCsvField(rows, plan.ids.Get(device, buffer));
    rows += ',';
    base::AppendNumber(rows, plan.plan.power_w[device]);
    rows += '\n';
  }
}

// Draws all rounds, and writes them where there is a file.
Result<DrawnRounds> DrawRounds(const PlanFile& plan, const DrawOptions& options) {
  std::optional<base::AtomicFile> file;
  if (options.draws_file) {
    auto created = base::AtomicFile::Create(*options.draws_file);
    if (!created) return created.error();
    file.emplace(std::move(*created));
    file->Append("round,id,power_w\n");
  }
  DrawnRounds all;
  all.times.resize(plan.limits.size());
  Progress progress("drawing", options.output.quiet);
  std::string rows;
  for (std::uint64_t i = 0; i < options.rounds; ++i) {
    const std::uint64_t round = options.first_round + i;
    const auto drawn = DrawParticipants(plan.plan.probability, options.seed, round);
    CountRound(drawn, plan, all);
    if (file) {
      rows.clear();
      AppendRound(rows, round, drawn, plan);
      file->Append(rows);
    }
    progress(static_cast<double>(i + 1) / static_cast<double>(options.rounds));
  }
  if (file) {
    if (auto status = file->Commit(); !status) return status.error();
  }
  return all;
}

// A DrawSummary is what is printed.
struct DrawSummary {
  const DrawOptions* options;
  const PlanFile* plan;
  const DrawnRounds* all;
  double mean = 0, sd = 0, expected = 0;  // of the participants of a round
  double probability_empty_round = 0;
  std::vector<std::size_t> able;  // devices whose probability is not 0, the most frequent first
  std::size_t never_drawn = 0;    // of these
};

DrawSummary SummariseDraws(const DrawOptions& options, const PlanFile& plan,
                           const DrawnRounds& all) {
  DrawSummary summary{.options = &options, .plan = &plan, .all = &all};
  const auto rounds = static_cast<long double>(options.rounds);
  const long double mean = static_cast<long double>(all.participations) / rounds;
  summary.mean = static_cast<double>(mean);
  const long double variance = all.sum_of_squares / rounds - mean * mean;
  summary.sd = std::sqrt(std::max(static_cast<double>(variance), 0.0));
  long double expected = 0;
  double log_empty = 0;
  for (std::size_t i = 0; i < all.times.size(); ++i) {
    const double probability = plan.plan.probability[i];
    expected += probability;
    log_empty += std::log1p(-probability);  // (31)
    if (probability == 0) continue;
    summary.able.push_back(i);
    summary.never_drawn += all.times[i] == 0 ? 1 : 0;
  }
  summary.expected = static_cast<double>(expected);
  summary.probability_empty_round = std::exp(log_empty);
  std::ranges::stable_sort(summary.able, std::greater<>(),
                           [&](std::size_t i) { return all.times[i]; });
  return summary;
}

// Returns the devices that are drawn most often, and at least once, and in rising order those drawn
// least often. No device is in both.
constexpr std::size_t kNamed = 3;
std::vector<std::size_t> MostFrequent(const DrawSummary& summary) {
  const auto& able = summary.able;
  const std::size_t drawn = able.size() - summary.never_drawn;
  return {able.begin(), able.begin() + std::ptrdiff_t(std::min(kNamed, drawn))};
}
std::vector<std::size_t> LeastFrequent(const DrawSummary& summary) {
  const auto& able = summary.able;
  const std::size_t rest = able.size() - MostFrequent(summary).size();
  return {able.rbegin(), able.rbegin() + std::ptrdiff_t(std::min(kNamed, rest))};
}

std::string NamesText(const DrawSummary& summary, const std::vector<std::size_t>& devices) {
  std::string text, buffer;
  for (const std::size_t i : devices) {
    text += fmt::format("{}{} ({}, planned {:.4g} %)", text.empty() ? "" : ", ",
                        summary.plan->ids.Get(i, buffer), CountOf(summary.all->times[i], "round"),
                        100 * summary.plan->plan.probability[i]);
  }
  return text;
}

std::string DrawText(const DrawSummary& summary) {
  const DrawOptions& options = *summary.options;
  const DrawnRounds& all = *summary.all;
  const std::uint64_t last_round = options.first_round + options.rounds - 1;
  std::string text = fmt::format(
      "{} of {} by {}, seed {}\n\n",
      options.rounds == 1 ? fmt::format("Round {}", last_round)
                          : fmt::format("Rounds {} to {}", options.first_round, last_round),
      CountOf(all.times.size(), "device"), FileName(options.plan_file), options.seed);
  text +=
      fmt::format("  participants   {:.4g} a round (sd {:.3g}, from {} to {}); planned {:.4g}\n",
                  summary.mean, summary.sd, Count(all.fewest), Count(all.most), summary.expected);
  text += fmt::format("  empty rounds   {} of {}; planned {:.4g} %\n", Count(all.empty_rounds),
                      Count(options.rounds), 100 * summary.probability_empty_round);
  text +=
      fmt::format("  energy         {} in all\n", Quantity(static_cast<double>(all.energy_j), "J"));
  const auto most = MostFrequent(summary), least = LeastFrequent(summary);
  if (!most.empty()) text += fmt::format("  most often     {}\n", NamesText(summary, most));
  if (!least.empty()) text += fmt::format("  least often    {}\n", NamesText(summary, least));
  text += fmt::format("  never          {} of {} that can take part\n", Count(summary.never_drawn),
                      Count(summary.able.size()));
  text += options.draws_file
              ? fmt::format("\nWho takes part when is {}.\n", PlaceOfFile(*options.draws_file))
              : std::string("\nAdd -o draws.csv to keep who takes part when.\n");
  return text;
}

Json NamesJson(const DrawSummary& summary, const std::vector<std::size_t>& devices) {
  Json list = Json::array();
  std::string buffer;
  for (const std::size_t i : devices) {
    list.push_back({{"id", summary.plan->ids.Get(i, buffer)},
                    {"rounds", summary.all->times[i]},
                    {"probability", summary.plan->plan.probability[i]}});
  }
  return list;
}

std::string DrawJson(const DrawSummary& summary) {
  const DrawOptions& options = *summary.options;
  const DrawnRounds& all = *summary.all;
  return TextOf({{"plan", options.plan_file},
                 {"devices", all.times.size()},
                 {"seed", options.seed},
                 {"first_round", options.first_round},
                 {"rounds", options.rounds},
                 {"participations", all.participations},
                 {"participants",
                  {{"mean", summary.mean},
                   {"sd", summary.sd},
                   {"fewest", all.fewest},
                   {"most", all.most},
                   {"expected", summary.expected}}},
                 {"empty_rounds", all.empty_rounds},
                 {"probability_empty_round", summary.probability_empty_round},
                 {"energy_j", Finite(static_cast<double>(all.energy_j))},
                 {"most_often", NamesJson(summary, MostFrequent(summary))},
                 {"least_often", NamesJson(summary, LeastFrequent(summary))},
                 {"can_take_part", summary.able.size()},
                 {"never_drawn", summary.never_drawn},
                 {"draws", OrNull(options.draws_file)}});
}

Result<PlanFile> LoadPlan(const DrawOptions& options) {
  if (auto status = CheckDistinct({{options.plan_file, "the plan"}},
                                  {{options.draws_file, "the list of draws"}});
      !status) {
    return status.error();
  }
  Progress progress("reading the plan", options.output.quiet);
  return ReadPlan(options.plan_file, std::ref(progress), options.threads);
}

int RunDraw(const DrawOptions& options) {
  const auto plan = LoadPlan(options);
  if (!plan) return Report(plan.error());
  const auto all = DrawRounds(*plan, options);
  if (!all) return Report(all.error());
  const DrawSummary summary = SummariseDraws(options, *plan, *all);
  std::FILE* stream = options.draws_file == "/dev/stdout" ? stderr : stdout;
  options.output.json ? WriteSafely(stream, DrawJson(summary))
                      : WriteForPeople(stream, DrawText(summary));
  return kDone;
}

}  // namespace

void AddDraw(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DrawOptions>();
  CLI::App& command = *app.add_subcommand("draw", "Draw who takes part when, by a plan file");
  command
      .add_option("PLAN", options->plan_file,
                  "A plan (CSV or .npz) that airlot plan -o has written")
      ->required()
      ->check(kNotEmpty);
  constexpr double kMostRounds = 1e9;
  command.add_option("--rounds", options->rounds, "Draw so many rounds")
      ->required()
      ->check(WholeNumberIn(1, kMostRounds))
      ->type_name("N");
  command.add_option("--first-round", options->first_round, "Number of the first of them")
      ->check(WholeNumberIn(1, kMostRounds))
      ->capture_default_str();
  command.add_option("--seed", options->seed, "Seed of the draws")
      ->check(kSeed)
      ->capture_default_str();
  command
      .add_option("-o,--output", options->draws_file,
                  "Write round,id,power_w (CSV); - for standard output")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_option("--threads", options->threads, "Threads that read the plan")
      ->check(NumberIn(1, 1024))
      ->capture_default_str();
  AddOutputOptions(command, options->output);
  AddExample(command,
             "airlot plan float32-cell -o plan.csv\n"
             "  airlot draw plan.csv --rounds 100 --seed 1 -o draws.csv");
  command.callback([options, &exit_code] {
    if (options->plan_file == "-") options->plan_file = "/dev/stdin";
    if (options->draws_file == "-") options->draws_file = "/dev/stdout";
    exit_code = RunDraw(*options);
  });
}

}  // namespace airlot::cli
