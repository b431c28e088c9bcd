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
  struct Task {
    std::string name;  // "probabilistic, seed 1"
    std::size_t rounds = 0;
  };
  RunProgress(const std::vector<Task>& tasks, bool quiet);
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;
  ~RunProgress();

  // Told after each round, and before of what there is of a run already; from any thread.
  void Show(std::size_t run, const RunState& state);
  // Prints a line above the bars, "note: ..."; from any thread.
  void Note(const std::string& note);

 private:
  struct Run {
    Task task;
    std::uint64_t round = 0;
    std::uint64_t first_round = 0;  // of this program
    bool is_begun = false;
    double accuracy = 0;
    double time_s = 0;
  };

  void Work(const std::stop_token& stop);
  std::string TakeAway();
  std::vector<std::string> Lines() const;
  std::string Total() const;

  std::mutex mutex_;
  std::vector<Run> runs_;
  std::size_t lines_shown_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::jthread thread_;
};

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_RUN_PROGRESS_H_
