// `airlot bench bandwidth` measures how fast a band is split over many devices, from columns to
// bands.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "airlot/band_split.h"
#include "airlot/radio.h"
#include "airlot/simd_target.h"
#include "base/random.h"
#include "base/shards.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "planning/band_fleet.h"

namespace airlot::cli {
namespace {

struct BandwidthBenchOptions : BenchOptions {
  std::size_t devices = 1'000'000;
};

constexpr double kShare = 1e5;   // hertz a device, on average
constexpr double kBlocks = 0.5;  // blocks for each device
// The density in W/Hz makes the noise in an equal share as large as the fixed noise.
constexpr double kDensity = 1e-12 / kShare;

// Every column of this fleet but the band differs from device to device: places in the paper's
// square, and a spread of limits, budgets and computation energies that mixes all limits.
struct BandBenchFleet : planning::BandFleet {
  BandBenchFleet(std::size_t devices, int threads) : BandFleet(devices) {
    base::ForEachShard(devices, threads, [&](const base::Shard& shard) {
      for (std::size_t i = shard.begin; i < shard.end; ++i) {
        base::RandomStream stream(1, base::Purpose{910}, 0, i);
        const double x_m = stream.Uniform(-500, 500), y_m = stream.Uniform(-500, 500);
        noise_to_gain_w[i] = std::max(1.0, x_m * x_m + y_m * y_m) * kDensity * kShare;
        max_power_w[i] = stream.Uniform(0.05, 0.2);
        energy_budget_j[i] = stream.LogUniform(1e-3, 100);
        compute_energy_j[i] = stream.Uniform(0.1, 4);
        time_limit_s[i] = stream.LogUniform(0.05, 5);
        update_bits[i] = stream.LogUniform(1e6, 1e7);
        weight[i] = stream.LogUniform(10, 1000);
        nat_time_s[i] = NatTime(update_bits[i], kShare);
      }
    });
    problem.cell.bandwidth_hz = kShare;
    problem.cell.total_bandwidth_hz = kShare * static_cast<double>(devices);
  }

  BandProblem Problem(bool is_density) const {
    BandProblem chosen = problem;
    chosen.cell.noise_grows_with_band = is_density;
    return chosen;
  }
};

// Timed is one way to split, its best time and what it gives.
struct Timed {
  Best best;
  BandSplit split;
};

Json ToJson(const Timed& timed) {
  return {{"seconds", timed.best.seconds()},
          {"gain", timed.split.value / timed.split.equal_value - 1},
          {"gap", 1 - timed.split.value / timed.split.bound}};
}

int RunBandwidth(const BandwidthBenchOptions& options) {
  if (!UseSimdTarget(options)) return kBadInput;
  const BandBenchFleet fleet(options.devices, options.threads);
  Timed fixed, density, blocks;
  Progress progress("measuring", options.output.quiet);
  for (int i = 0; i < options.repeats; ++i) {
    const auto share = [&](Timed& timed, bool is_density) {
      const BandProblem problem = fleet.Problem(is_density);
      timed.best.Measure([&] { timed.split = ShareBandwidth(problem, options.threads); });
    };
    share(fixed, false);
    share(density, true);
    const BandProblem problem = fleet.Problem(true);
    blocks.best.Measure(
        [&] { blocks.split = ShareBlocks(problem, kShare / kBlocks, options.threads); });
    progress(static_cast<double>(i + 1) / options.repeats);
  }
  const Json json{{"devices", options.devices},        {"threads", options.threads},
                  {"simd_target", SimdTarget()},       {"shared_fixed_noise", ToJson(fixed)},
                  {"shared_density", ToJson(density)}, {"blocks_density", ToJson(blocks)}};
  if (options.output.json) {
    PrintExactly(TextOf(json));
    return kDone;
  }
  Print("Splitting a band over {} devices, {}, threads: {}\n", Count(options.devices), SimdTarget(),
        options.threads);
  for (const auto& [name, timed] :
       {std::pair("shared, fixed noise", &fixed), std::pair("shared, density", &density),
        std::pair("blocks, density", &blocks)}) {
    Print("  {:<20} {:>7.3f} s  {:+.1f} % against the equal split\n", name, timed->best.seconds(),
          100 * (timed->split.value / timed->split.equal_value - 1));
  }
  return kDone;
}

}  // namespace

void AddBenchBandwidth(CLI::App& bench, int& exit_code) {
  auto options = std::make_shared<BandwidthBenchOptions>();
  CLI::App& command = *bench.add_subcommand("bandwidth", "Splitting a band over many devices");
  command.add_option("--devices", options->devices, "Size of the fleet")
      ->check(WholeNumberIn(1, 1e8))
      ->capture_default_str();
  AddBenchOptions(command, *options);
  AddExample(command, "airlot bench bandwidth --json");
  command.callback([options, &exit_code] { exit_code = RunBandwidth(*options); });
}

}  // namespace airlot::cli
