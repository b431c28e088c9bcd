#include "cli/run_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <utility>

#include "base/unfinished_files.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// Returns a duration as "8 s", "3 min" or "2 h 10 min".
std::string Duration(double seconds) {
  const auto minutes = std::size_t(std::ceil(seconds / 60));
  if (seconds < 100) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (minutes < 100) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace

RunProgress::RunProgress(const std::vector<Task>& tasks, bool quiet, Kind kind) : kind_(kind) {
  runs_.reserve(tasks.size());
  for (const Task& task : tasks) runs_.push_back({.task = task});
  if (quiet) return;
  const base::InterruptsHeld held;  // Interrupts are for the thread that works.
  thread_ = StartShowing([this](const std::stop_token& stop) { Work(stop); });
}

RunProgress::~RunProgress() = default;

void RunProgress::Show(std::size_t run, const RunState& state, bool is_over) {
  const std::lock_guard lock(mutex_);
  Run& shown = runs_[run];
  if (!shown.is_begun) shown.first_round = state.round;
  shown.is_begun = true;
  shown.round = state.round;
  if (is_over) shown.task.rounds = state.round;  // It may need fewer than the scenario allows.
  shown.time_s = state.time_s;
  for (auto record = state.records.rbegin(); record != state.records.rend(); ++record) {
    if (!record->accuracy) continue;
    shown.accuracy = *record->accuracy;
    break;
  }
}

void RunProgress::Skip(std::size_t run) {
  const std::lock_guard lock(mutex_);
  Run& skipped = runs_[run];
  skipped.is_begun = true;
  skipped.task.rounds = skipped.round;
}

void RunProgress::Note(const std::string& note) {
  const std::lock_guard lock(mutex_);
  std::fputs(TakeAway().c_str(), stderr);
  Warn("note: {}\n", note);
}

// Returns what takes the bars away again. The cursor may stand behind an echoed ^C.
std::string RunProgress::TakeAway() {
  if (lines_shown_ == 0) return "";
  return fmt::format("\r\033[{}A\033[J", std::exchange(lines_shown_, 0));
}

std::vector<std::string> RunProgress::Lines() const {
  if (kind_ == Kind::kOneLine) return {Total()};
  std::vector<std::string> lines;
  for (const Run& run : runs_) {
    const std::size_t rounds = run.task.rounds;
    if (!run.is_begun || run.round >= rounds) continue;
    lines.push_back(fmt::format("{:<27.27} {} {:>5}/{} {:>5.1f} % {:>9}", run.task.name,
                                Bar(double(run.round) / double(rounds), 16), run.round, rounds,
                                100 * run.accuracy, fmt::format("{:.0f} s", run.time_s)));
  }
  lines.push_back(Total());
  return lines;
}

std::string RunProgress::Total() const {
  double done = 0, before = 0, all = 0;
  std::size_t complete = 0;
  for (const Run& run : runs_) {
    done += double(run.round);
    before += double(run.first_round);
    all += double(run.task.rounds);
    if (run.is_begun && run.round >= run.task.rounds) ++complete;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const std::string left =
      done > before ? Duration(elapsed.count() * (all - done) / (done - before)) + " left"
                    : std::string("starting");
  std::string text = fmt::format("{} of {} runs done, {}", complete, runs_.size(), left);
  if (kind_ == Kind::kBars) return text;
  return fmt::format("{} {:>3.0f} %  {}", Bar(all > 0 ? done / all : 0, 24),
                     all > 0 ? 100 * done / all : 0, text);
}

void RunProgress::Work(const std::stop_token& stop) {
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  const auto wait = is_terminal ? std::chrono::milliseconds(250) : std::chrono::seconds(10);
  std::unique_lock lock(mutex_);
  std::condition_variable_any stopped;
  while (!stopped.wait_for(lock, stop, wait, [&] { return stop.stop_requested(); })) {
    std::string text = TakeAway();
    if (is_terminal) {
      const auto lines = Lines();
      for (const std::string& line : lines) text += FittingLine(line) + "\n";
      lines_shown_ = lines.size();
    } else {
      text = Total() + "\n";
    }
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }
  std::fputs(TakeAway().c_str(), stderr);
}

}  // namespace airlot::cli
