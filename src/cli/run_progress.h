// RunProgress shows on standard error how far some training runs are.
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

// On a terminal it shows a bar for each run in flight, with its accuracy and simulated time, and
// how long all will take; elsewhere it writes a line every ten seconds. The bars are gone when it
// is destroyed.
class RunProgress {
 public:
  struct Task {
    std::string name;  // such as "probabilistic, seed 1"
    std::size_t rounds = 0;
  };
  // On a terminal there are bars for the runs in flight and a line for all, or that line alone.
  enum class Kind { kBars, kOneLine };
  RunProgress(const std::vector<Task>& tasks, bool quiet, Kind kind = Kind::kBars);
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;
  ~RunProgress();

  // Call this after each round, and before the first with what there is of a run already; any
  // thread may do so.
  void Show(std::size_t run, const RunState& state, bool is_over);
  // Call this where a run cannot be run; any thread may do so.
  void Skip(std::size_t run);
  // Prints a line above the bars, "note: ..."; any thread may do so.
  void Note(const std::string& note);

 private:
  struct Run {
    Task task;
    std::uint64_t round = 0;
    std::uint64_t first_round = 0;  // first round that this program ran
    bool is_begun = false;
    double accuracy = 0;
    double time_s = 0;
  };

  void Work(const std::stop_token& stop);
  std::string TakeAway();
  std::vector<std::string> Lines() const;
  std::string LineOf(const Run& run) const;
  std::string Total() const;

  std::mutex mutex_;
  std::vector<Run> runs_;
  Kind kind_;
  std::vector<std::size_t> shown_;  // columns of the lines that are there
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::jthread thread_;
};

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_RUN_PROGRESS_H_
