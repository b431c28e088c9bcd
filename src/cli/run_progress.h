// How far some training runs are, on standard error.
#ifndef AIRLOT_CLI_RUN_PROGRESS_H_
#define AIRLOT_CLI_RUN_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "airlot/simulation.h"

namespace airlot::cli {

// On a terminal a bar for each run in flight, with its accuracy and simulated time, and how long
// all will take; elsewhere a line every ten seconds. Gone when it is destroyed.
class RunProgress {
 public:
  // One name for each run: "probabilistic, seed 1".
  RunProgress(std::vector<std::string> names, std::size_t rounds, bool quiet);
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;
  ~RunProgress();

  // Told after each round; from any thread.
  void Show(std::size_t run, const RunState& state);

 private:
  struct Run {
    std::string name;
    std::uint64_t round = 0;
    std::uint64_t first_round = 0;  // of this program
    bool is_begun = false;
    double accuracy = 0;
    double time_s = 0;
  };

  void Work(const std::stop_token& stop);
  std::vector<std::string> Lines() const;
  std::string Total() const;

  std::mutex mutex_;
  std::vector<Run> runs_;
  std::size_t rounds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::jthread thread_;
};

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_RUN_PROGRESS_H_
