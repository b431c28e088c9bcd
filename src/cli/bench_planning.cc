// `airlot bench planning` measures the planner against a plain scalar loop and against the memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "airlot/airtime.h"
#include "airlot/fleet.h"
#include "airlot/planning.h"
#include "airlot/radio.h"
#include "airlot/simd_target.h"
#include "base/random.h"
#include "base/shards.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "planning/solvers.h"

namespace airlot::cli {
namespace {

struct PlanningBenchOptions : BenchOptions {
  std::size_t devices = 4'000'000;
};

// Every column of this fleet differs from device to device: places in the paper's square, and a
// spread of bands, limits and budgets that mixes full, energy-limited and power-limited devices.
struct BenchFleet {
  ColumnValues noise_to_gain_w, nat_time_s, max_power_w, energy_budget_j, compute_energy_j,
      time_limit_s;

  explicit BenchFleet(std::size_t devices, int threads)
      : noise_to_gain_w(devices),
        nat_time_s(devices),
        max_power_w(devices),
        energy_budget_j(devices),
        compute_energy_j(devices),
        time_limit_s(devices) {
    base::ForEachShard(devices, threads, [&](const base::Shard& shard) {
      for (std::size_t i = shard.begin; i < shard.end; ++i) {
        base::RandomStream stream(1, base::Purpose{900}, 0, i);
        const double x_m = stream.Uniform(-500, 500), y_m = stream.Uniform(-500, 500);
        noise_to_gain_w[i] = std::max(1.0, x_m * x_m + y_m * y_m) * 1e-12;
        nat_time_s[i] = stream.LogUniform(0.5, 50);
        max_power_w[i] = stream.Uniform(0.05, 0.2);
        energy_budget_j[i] = stream.LogUniform(1e-3, 100);
        compute_energy_j[i] = stream.Uniform(0.1, 4);
        time_limit_s[i] = stream.LogUniform(0.05, 5);
      }
    });
  }

  PlanningProblem Problem() const {
    PlanningProblem problem{.devices = noise_to_gain_w.size()};
    problem.noise_to_gain_w = noise_to_gain_w;
    problem.nat_time_s = nat_time_s;
    problem.max_power_w = max_power_w;
    problem.energy_budget_j = energy_budget_j;
    problem.compute_energy_j = compute_energy_j;
    problem.time_limit_s = time_limit_s;
    return problem;
  }
};

// Returns what planning one device reads and writes: its share of the columns, and the plan.
double BytesPerDevice(const PlanningProblem& problem) {
  std::size_t numbers = 2;
  for (const ColumnView& column :
       {problem.noise_to_gain_w, problem.nat_time_s, problem.max_power_w, problem.energy_budget_j,
        problem.compute_energy_j, problem.time_limit_s, problem.compute_time_s}) {
    numbers += column.is_constant() ? 0 : 1;
  }
  return static_cast<double>(numbers * sizeof(double));
}

// Triad computes x = y + s·z over arrays far larger than the caches, which shows what the memory
// gives one thread.
class Triad {
 public:
  explicit Triad(std::size_t size) : x_(size, 0), y_(size, 1), z_(size, 2) {}
  double Bytes() const { return 3.0 * sizeof(double) * static_cast<double>(x_.size()); }
  void Run() {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = y_[i] + 3.0 * z_[i];
  }

 private:
  ColumnValues x_, y_, z_;
};

struct PlanningSpeed {
  Best vector, scalar, threads, triad;
  Best rayleigh, rician, nakagami;       // Each draws a round and plans it.
  Best levels, table, levels_and_table;  // Each plans radios with steps.
  Best airtime, airtime_by_energy;       // Each plans the airtime.
  std::size_t first_devices = 0;  // so many of the fleet have steps, or their airtime planned
  double triad_bytes = 0;
  double bytes_per_device = 0;
  double largest_difference = 0;
  Expectations limits;
};

// FadingRound is a round with fading: it draws the gains, divides the noise by them and plans.
class FadingRound {
 public:
  explicit FadingRound(const PlanningProblem& problem)
      : problem_(problem), faded_w_(problem.devices) {
    const std::span<const double> static_w = problem.noise_to_gain_w.values();
    fleet_.devices = problem.devices;
    fleet_.noise_to_gain_w = ColumnValues(static_w.begin(), static_w.end());
    fleet_.rician_k = 8.0;  // This is 9 dB, the mean of the urban models.
    problem_.noise_to_gain_w = faded_w_;
  }
  void Run(Fading fading, std::uint64_t round, Plan& plan) {
    FadeNoise(fleet_, {.kind = fading}, {}, 1, round, faded_w_);
    Solve(problem_, {}, plan.probability, plan.power_w);
  }

 private:
  Fleet fleet_;
  PlanningProblem problem_;
  ColumnValues faded_w_;
};

// Returns the first million devices of a fleet, or all where there are fewer.
PlanningProblem FirstDevices(PlanningProblem problem) {
  constexpr std::size_t kMostDevices = 1'000'000;  // A plan of airtime takes 200 bytes each.
  problem.devices = std::min(problem.devices, kMostDevices);
  for (ColumnView* column :
       {&problem.noise_to_gain_w, &problem.nat_time_s, &problem.max_power_w,
        &problem.energy_budget_j, &problem.compute_energy_j, &problem.time_limit_s}) {
    *column = column->values().first(problem.devices);
  }
  return problem;
}

// Returns steps of 1 dB from P^max down to 0.1 µW, which are about 60 levels, the rates of the
// table `cqi`, or both.
RadioSteps StepsOfBench(bool has_levels, bool has_table) {
  Radio radio;
  if (has_levels) radio.power = {.min_power_w = 1e-7, .step_db = 1};
  const std::span<const McsRow> cqi = McsTables().front().rows;
  if (has_table) radio.coding.mcs.rows.assign(cqi.begin(), cqi.end());
  return StepsOf(radio);
}

// StepsRound plans devices whose powers or rates come in steps.
class StepsRound {
 public:
  StepsRound(const PlanningProblem& problem, RadioSteps steps) : problem_(problem) {
    problem_.steps = std::move(steps);
  }
  void Run(Plan& plan) const {
    Solve(problem_, {}, std::span(plan.probability).first(problem_.devices),
          std::span(plan.power_w).first(problem_.devices));
  }

 private:
  PlanningProblem problem_;
};

// AirtimeRound is a round whose airtime is planned, for devices that take part in one round of ten
// or so.
class AirtimeRound {
 public:
  explicit AirtimeRound(const PlanningProblem& problem) {
    airtime_.devices = problem;
    airtime_.seconds = 0.02 * static_cast<double>(airtime_.devices.devices);
  }
  void Run(double fairness, double energy_price_s_per_j) {
    airtime_.fairness = fairness;
    airtime_.energy_price_s_per_j = energy_price_s_per_j;
    solver_.Solve(airtime_);
  }

 private:
  AirtimeProblem airtime_;
  AirtimeSolver solver_;
};

// The best of several rounds counts, and the contenders take turns, so that a noisy neighbour hits
// all alike.
PlanningSpeed MeasurePlanning(const PlanningBenchOptions& options) {
  const BenchFleet fleet(options.devices, options.threads);
  const PlanningProblem problem = fleet.Problem();
  Plan plan{ColumnValues(options.devices, 0), ColumnValues(options.devices, 0)};
  Plan scalar{ColumnValues(options.devices, 0), ColumnValues(options.devices, 0)};
  Plan scratch{ColumnValues(options.devices, 0), ColumnValues(options.devices, 0)};
  FadingRound fading(problem);
  const PlanningProblem first = FirstDevices(problem);
  const StepsRound levels(first, StepsOfBench(true, false));
  const StepsRound table(first, StepsOfBench(false, true));
  const StepsRound levels_and_table(first, StepsOfBench(true, true));
  AirtimeRound airtime(first);
  Triad triad(std::max<std::size_t>(options.devices, 1 << 20));
  PlanningSpeed speed{.first_devices = first.devices,
                      .triad_bytes = triad.Bytes(),
                      .bytes_per_device = BytesPerDevice(problem)};
  Progress progress("measuring", options.output.quiet);
  for (int i = 0; i < options.repeats; ++i) {
    speed.vector.Measure([&] { Solve(problem, {}, plan.probability, plan.power_w); });
    speed.scalar.Measure([&] {
      for (std::size_t d = 0; d < options.devices; ++d) {
        const auto one = planning::SolveScalar(planning::DeviceAt(problem, d));
        scalar.probability[d] = one.probability;
        scalar.power_w[d] = one.power_w;
      }
    });
    speed.threads.Measure(
        [&] { Solve(problem, {.threads = options.threads}, plan.probability, plan.power_w); });
    const auto round = static_cast<std::uint64_t>(i);
    speed.rayleigh.Measure([&] { fading.Run(Fading::kRayleigh, round, scratch); });
    speed.rician.Measure([&] { fading.Run(Fading::kRician, round, scratch); });
    speed.nakagami.Measure([&] { fading.Run(Fading::kNakagami, round, scratch); });
    speed.levels.Measure([&] { levels.Run(scratch); });
    speed.table.Measure([&] { table.Run(scratch); });
    speed.levels_and_table.Measure([&] { levels_and_table.Run(scratch); });
    speed.airtime.Measure([&] { airtime.Run(1, 0); });
    speed.airtime_by_energy.Measure([&] { airtime.Run(2, 0.05); });
    speed.triad.Measure([&] { triad.Run(); });
    progress(static_cast<double>(i + 1) / options.repeats);
  }
  for (std::size_t d = 0; d < options.devices; ++d) {
    speed.largest_difference =
        std::max(speed.largest_difference,
                 std::abs(plan.probability[d] - scalar.probability[d]) / scalar.probability[d]);
  }
  speed.limits = Expect(problem, plan, options.threads);
  return speed;
}

Json ToJson(const PlanningBenchOptions& options, const PlanningSpeed& speed) {
  const auto devices = static_cast<double>(options.devices);
  const double triad_gb_per_s = speed.triad_bytes / speed.triad.seconds() / 1e9;
  const double gb_per_s = devices * speed.bytes_per_device / speed.vector.seconds() / 1e9;
  const auto first_devices = static_cast<double>(speed.first_devices);
  const double plain_s = speed.vector.seconds() * first_devices / devices;
  return {{"devices", options.devices},
          {"devices_per_s", devices / speed.vector.seconds()},
          {"scalar_devices_per_s", devices / speed.scalar.seconds()},
          {"ratio", speed.scalar.seconds() / speed.vector.seconds()},
          {"threads", options.threads},
          {"threads_devices_per_s", devices / speed.threads.seconds()},
          {"threads_ratio", speed.vector.seconds() / speed.threads.seconds()},
          {"fading_devices_per_s", devices / speed.rayleigh.seconds()},
          {"fading_ratio", speed.rayleigh.seconds() / speed.vector.seconds()},
          {"rician_ratio", speed.rician.seconds() / speed.vector.seconds()},
          {"nakagami_ratio", speed.nakagami.seconds() / speed.vector.seconds()},
          {"steps_devices", speed.first_devices},
          {"steps_devices_per_s", first_devices / speed.levels.seconds()},
          {"steps_ratio", speed.levels.seconds() / plain_s},
          {"mcs_ratio", speed.table.seconds() / plain_s},
          {"steps_and_mcs_ratio", speed.levels_and_table.seconds() / plain_s},
          {"airtime_devices", speed.first_devices},
          {"airtime_devices_per_s", first_devices / speed.airtime.seconds()},
          {"airtime_ratio", speed.airtime.seconds() / plain_s},
          {"airtime_by_energy_ratio", speed.airtime_by_energy.seconds() / plain_s},
          {"bytes_per_device", speed.bytes_per_device},
          {"gb_per_s", gb_per_s},
          {"triad_gb_per_s", triad_gb_per_s},
          {"bandwidth_share", gb_per_s / triad_gb_per_s},
          {"simd_target", SimdTarget()},
          {"limits", LimitsToJson(speed.limits)},
          {"largest_difference", speed.largest_difference}};
}

void PrintText(const Json& json) {
  const auto millions = [&](const char* key) { return json[key].get<double>() / 1e6; };
  Print("Planning {} devices, the best of several rounds\n", Count(json["devices"]));
  Print("  {:<22} {:>8.1f} million devices/s  {:.1f} times the plain loop\n",
        fmt::format("vectorised ({})", json["simd_target"].get<std::string>()),
        millions("devices_per_s"), json["ratio"].get<double>());
  Print("  {:<22} {:>8.1f} million devices/s  {:.2f} times one thread\n",
        fmt::format("on {} threads", json["threads"].get<int>()), millions("threads_devices_per_s"),
        json["threads_ratio"].get<double>());
  Print("  {:<22} {:>8.1f} million devices/s  {:.2f} times the time of a static plan\n",
        "with Rayleigh fading", millions("fading_devices_per_s"),
        json["fading_ratio"].get<double>());
  Print("  {:<22} {:>8.2f} and {:.2f} times\n", "Rician and Nakagami",
        json["rician_ratio"].get<double>(), json["nakagami_ratio"].get<double>());
  Print("  {:<22} {:>8.1f} million devices/s  {:.1f} times the time of a static plan\n",
        fmt::format("1 dB steps ({})", Count(json["steps_devices"])),
        millions("steps_devices_per_s"), json["steps_ratio"].get<double>());
  Print("  {:<22} {:>8.1f} and {:.1f} times\n", "table cqi, with steps",
        json["mcs_ratio"].get<double>(), json["steps_and_mcs_ratio"].get<double>());
  Print(
      "  {:<22} {:>8.1f} million devices/s  {:.1f} times the time of a static plan, {:.1f} with a "
      "price of energy\n",
      fmt::format("airtime of {}", Count(json["airtime_devices"])),
      millions("airtime_devices_per_s"), json["airtime_ratio"].get<double>(),
      json["airtime_by_energy_ratio"].get<double>());
  Print("  {:<22} {:>8.1f} million devices/s\n", "plain loop", millions("scalar_devices_per_s"));
  Print(
      "  {:<22} {:>8.1f} GB/s of {:.1f} that the memory gives ({:.0f} %), {:.0f} bytes a device\n",
      "memory", json["gb_per_s"].get<double>(), json["triad_gb_per_s"].get<double>(),
      100 * json["bandwidth_share"].get<double>(), json["bytes_per_device"].get<double>());
  Print("  {:<22} {:>8.1g} (relative, in the probabilities)\n", "largest difference",
        json["largest_difference"].get<double>());
}

int RunPlanning(const PlanningBenchOptions& options) {
  if (!UseSimdTarget(options)) return kBadInput;
  const Json json = ToJson(options, MeasurePlanning(options));
  options.output.json ? PrintExactly(TextOf(json)) : PrintText(json);
  return kDone;
}

}  // namespace

void AddBenchPlanning(CLI::App& bench, int& exit_code) {
  auto options = std::make_shared<PlanningBenchOptions>();
  options->threads = 2;
  CLI::App& command = *bench.add_subcommand("planning", "The planner against a plain scalar loop");
  command.add_option("--devices", options->devices, "Size of the fleet")
      ->check(WholeNumberIn(1, 1e8))
      ->capture_default_str();
  AddBenchOptions(command, *options);
  AddExample(command, "airlot bench planning --devices 1000000 --json");
  command.callback([options, &exit_code] { exit_code = RunPlanning(*options); });
}

}  // namespace airlot::cli
