// What Python says of a plan, as the planner takes it.
#include <airlot/radio.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "background.h"
#include "plan.h"

namespace airlot::python {
namespace {

template <class Enum>
Enum WordOf(const py::handle& given, const std::string& name,
            const std::vector<std::pair<std::string, Enum>>& words) {
  const std::string word = TextOf(given, name);
  std::string all;
  for (const auto& [text, value] : words) {
    if (text == word) return value;
    all += (all.empty() ? "" : ", ") + text;
  }
  throw Failure(name + " = \"" + word + "\": must be one of " + all);
}

Solver SolverOf(const py::object& name) {
  std::vector<std::pair<std::string, Solver>> words;
  for (const SolverEntry& entry : Solvers()) words.emplace_back(entry.name, entry.solver);
  return WordOf<Solver>(name, "solver", words);
}

// Takes numbers by name out of a dictionary.
class Numbers {
 public:
  explicit Numbers(const py::dict& given) : given_(given) {}

  double Take(const char* name, double otherwise) {
    return given_.contains(name) ? NumberOf(given_[name], name) : otherwise;
  }
  // Takes a number that must be finite and at least 0.
  double TakePositive(const char* name, double most = std::numeric_limits<double>::max()) {
    return given_.contains(name) ? NumberOf(given_[name], name, 0, most) : 0;
  }

 private:
  const py::dict& given_;
};

// Reads the rows of a table of rates, which rise in both numbers.
void ReadRates(const py::object& given, std::vector<RateRow>& rates) {
  const std::string rows = "rows of (snr_db, bit_per_s_per_hz)";
  double last_db = -INFINITY, last_rate = 0;
  for (const py::handle row : ItemsOf(given, "mcs", rows)) {
    const std::string name = "mcs[" + std::to_string(rates.size()) + "]";
    const auto numbers = NumbersOf<double>(row, name);
    if (numbers.size() != 2) {
      throw Failure("mcs: a row has two numbers, snr_db and bit_per_s_per_hz");
    }
    const double snr_db = numbers.data()[0], rate = numbers.data()[1];
    if (!(std::abs(snr_db) <= kMostMcsSnrDb && rate > 0 && rate <= kMostMcsEfficiency)) {
      throw Failure(name + " = (" + Shown(snr_db) + ", " + Shown(rate) + "): must be -100 to 100 " +
                    "dB, and above 0 to 100 bit/s/Hz");
    }
    if (!(snr_db > last_db && rate > last_rate)) {
      throw Failure(name + " = (" + Shown(snr_db) + ", " + Shown(rate) + "): both must rise");
    }
    last_db = snr_db, last_rate = rate;
    rates.push_back({.snr = std::pow(10, snr_db / 10), .bit_per_s_per_hz = rate});
  }
  if (rates.empty()) throw Failure("mcs: is empty: give " + rows + ", or leave it out");
}

RadioSteps RadioStepsOf(Numbers& numbers, const py::object& power_levels_w,
                        const py::object& rates) {
  RadioSteps steps{.min_power_w = numbers.TakePositive("min_power_w")};
  const double step_db = numbers.TakePositive("power_step_db", 100);
  if (step_db > 0 && steps.min_power_w == 0) {
    throw Failure("power_step_db = " + Shown(step_db) +
                  ": levels in steps need a least power: give min_power_w");
  }
  steps.power_step = std::pow(10, step_db / 10);
  if (!power_levels_w.is_none()) {
    const auto levels = NumbersOf<double>(power_levels_w, "power_levels_w");
    steps.power_levels_w.assign(levels.data(), levels.data() + levels.size());
  }
  if (!rates.is_none()) ReadRates(rates, steps.rates);
  return steps;
}

int ThreadsOf(const py::object& threads) { return int(WholeOf(threads, "threads", 1, 1024)); }

std::optional<AirtimeRules> AirtimeOf(const py::object& given) {
  if (given.is_none()) return std::nullopt;
  const auto values = given.cast<py::dict>();
  Numbers numbers(values);
  AirtimeRules rules;
  if (values.contains("floor")) rules.floor = numbers.TakePositive("floor", 1);
  if (values.contains("fairness")) {
    rules.fairness = numbers.TakePositive("fairness", kLargestFairness);
  }
  rules.energy_price_s_per_j = numbers.TakePositive("energy_price_s_per_j", 1e12);
  rules.participants = numbers.TakePositive("participants", 1e12);
  rules.data_exponent = numbers.TakePositive("data_exponent", 10);
  if (values.contains("sharing")) {
    rules.sharing = WordOf<AirtimeSharing>(values["sharing"], "sharing",
                                           {{"better", AirtimeSharing::kBetter},
                                            {"turns", AirtimeSharing::kTurns},
                                            {"bands", AirtimeSharing::kBands}});
  }
  return rules;
}

}  // namespace

std::unique_ptr<HeldPlan> OfColumns(const py::dict& columns, const py::dict& given_numbers,
                                    const py::object& time_rule, const py::object& compute,
                                    const py::object& power_levels_w, const py::object& mcs,
                                    const py::object& solver, const py::object& airtime,
                                    const py::object& noise_grows_with_band,
                                    const py::object& share_band, const py::object& threads) {
  std::vector<InputColumn> inputs;
  for (const auto& [name, value] : columns) inputs.emplace_back(value, name.cast<std::string>());
  Numbers numbers(given_numbers);
  PlanningProblem problem;
  problem.snr_gap = std::pow(10, numbers.TakePositive("snr_gap_db", 100) / 10);
  problem.spectral_efficiency_cap = numbers.Take("spectral_efficiency_cap", INFINITY);
  problem.amplifier_efficiency = numbers.Take("amplifier_efficiency", 1);
  problem.circuit_power_w = numbers.TakePositive("circuit_power_w");
  problem.time_rule =
      WordOf<TimeRule>(time_rule, "time_rule",
                       {{"expected", TimeRule::kExpected}, {"deadline", TimeRule::kDeadline}});
  problem.compute_rule = WordOf<ComputeRule>(
      compute, "compute",
      {{"participants", ComputeRule::kParticipants}, {"always", ComputeRule::kAlways}});
  problem.steps = RadioStepsOf(numbers, power_levels_w, mcs);
  RoundRules rules{.time_rule = problem.time_rule, .compute = problem.compute_rule};
  rules.time_weight = numbers.TakePositive("time_weight");
  if (rules.time_weight > 0 && problem.steps.any()) {
    throw Failure("time_weight: a plan that weighs the round's time knows powers of any size only");
  }
  PlanningOptions options{.solver = SolverOf(solver), .threads = ThreadsOf(threads)};
  if (rules.time_weight > 0 && IsOfThePaper(options.solver)) {
    throw Failure("solver: the paper's algorithms do not weigh the time of a round");
  }
  const double block_hz = numbers.TakePositive("block_hz");
  const ColumnPlanOptions more{
      .total_bandwidth_hz = numbers.TakePositive("total_bandwidth_hz"),
      .noise_grows_with_band = FlagOf(noise_grows_with_band, "noise_grows_with_band"),
      .shares_band = FlagOf(share_band, "share_band") || block_hz > 0,
      .block_hz = block_hz,
      .airtime = AirtimeOf(airtime)};
  if (more.airtime && (more.shares_band || problem.time_rule == TimeRule::kDeadline)) {
    throw Failure(
        "airtime: those who are drawn share the whole band, and the limit bounds the mean round: "
        "leave share_band, block_hz and time_rule=\"deadline\" out");
  }
  return PlanColumns(std::move(inputs), std::move(problem), rules, options, more);
}

std::unique_ptr<HeldPlan> OfScenario(const NamedScenario& named, const py::object& given_seed,
                                     const py::object& given_round,
                                     const py::object& given_threads) {
  const int threads = ThreadsOf(given_threads);
  const std::uint64_t seed = WholeOf(given_seed, "seed");
  std::optional<std::uint64_t> round;
  if (!given_round.is_none()) round = WholeOf(given_round, "round", 1);
  const WithoutGil without;
  const auto reading = ReadingRegistry();
  return PlanScenario(named.scenario, seed, round, threads);
}

}  // namespace airlot::python
