// This header holds what the benchmarks share.
#ifndef AIRLOT_CLI_BENCH_H_
#define AIRLOT_CLI_BENCH_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <string>

#include "cli/command.h"

namespace airlot::cli {

struct BenchOptions {
  OutputOptions output;
  int repeats = 5;
  int threads = 1;
  std::string simd_target;
};
void AddBenchOptions(CLI::App& command, BenchOptions& options);

// Uses the SIMD target that was asked for. Returns false, with an error printed, if it is not
// there.
bool UseSimdTarget(const BenchOptions& options);

double Seconds(const std::function<void()>& work);

// Best is the shortest of several times.
class Best {
 public:
  void Measure(const std::function<void()>& work) { seconds_ = std::min(seconds_, Seconds(work)); }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = std::numeric_limits<double>::infinity();
};

void AddBenchPlanning(CLI::App& bench, int& exit_code);
void AddBenchBandwidth(CLI::App& bench, int& exit_code);
void AddBenchLearning(CLI::App& bench, int& exit_code);
void AddBenchSelection(CLI::App& bench, int& exit_code);
void AddBenchSimulation(CLI::App& bench, int& exit_code);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_BENCH_H_
