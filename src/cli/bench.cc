// `airlot bench` measures how fast this machine runs each part, against a reference in the same
// run.
#include "cli/bench.h"

#include <fmt/format.h>

#include <chrono>

#include "airlot/simd_target.h"

namespace airlot::cli {

void AddBenchOptions(CLI::App& command, BenchOptions& options) {
  command.add_option("--repeats", options.repeats, "Rounds; the best one counts")
      ->check(WholeNumberIn(1, 1000))
      ->capture_default_str();
  command.add_option("--threads", options.threads, "Threads of the parallel measurement")
      ->check(WholeNumberIn(1, 1024))
      ->capture_default_str();
  command.add_option("--simd", options.simd_target, "One that airlot list simd-targets shows")
      ->type_name("TARGET");
  AddOutputOptions(command, options.output);
}

bool UseSimdTarget(const BenchOptions& options) {
  if (ForceSimdTarget(options.simd_target)) return true;
  Report({fmt::format("--simd {}: is not available here; there is {}", options.simd_target,
                      fmt::join(SimdTargets(), ", "))});
  return false;
}

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void AddBench(CLI::App& app, int& exit_code) {
  CLI::App& bench = *app.add_subcommand("bench", "Measure how fast this machine runs each part");
  bench.require_subcommand(1);
  AddExample(bench, "airlot bench planning");
  AddBenchPlanning(bench, exit_code);
  AddBenchBandwidth(bench, exit_code);
  AddBenchLearning(bench, exit_code);
  AddBenchSelection(bench, exit_code);
  AddBenchSimulation(bench, exit_code);
}

}  // namespace airlot::cli
