#include "cli/run_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <utility>

#include "base/unfinished_files.h"
#include "base/utf8.h"
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
  WriteNote(note);
}

// Returns what takes the bars away again. The cursor may stand behind an echoed ^C.
std::string RunProgress::TakeAway() { return TakenAway(std::exchange(shown_, {}), true); }

std::vector<std::string> RunProgress::Lines() const {
  if (kind_ == Kind::kOneLine) return {Total()};
  std::vector<std::string> lines;
  // What has left the screen at its top could not be taken away again.
  const std::size_t most = std::max<std::size_t>(ErrorTerminal().lines, 3) - 2;
  for (const Run& run : runs_) {
    if (run.is_begun && run.round < run.task.rounds && lines.size() < most) {
      lines.push_back(LineOf(run));
    }
  }
  lines.push_back(Total());
  return lines;
}

// In a narrow terminal the numbers move together, the bar shrinks and goes, and the name is cut.
std::string RunProgress::LineOf(const Run& run) const {
  constexpr std::size_t kName = 27, kWidestBar = 16, kNarrowestBar = 5;
  const std::size_t rounds = run.task.rounds, columns = ErrorTerminal().columns - 1;
  const double share = double(run.round) / double(rounds), percent = 100 * run.accuracy;
  const std::string time = fmt::format("{:.0f} s", run.time_s);
  std::string wide = fmt::format("{:<{}.{}} {} {:>5}/{} {:>5.1f} % {:>9}", run.task.name, kName,
                                 kName, Bar(share, kWidestBar), run.round, rounds, percent, time);
  if (base::ColumnsOf(wide) <= columns) return wide;
  const std::string numbers = fmt::format("{:>{}}/{} {:>4.1f} % {:>6}", run.round,
                                          fmt::formatted_size("{}", rounds), rounds, percent, time);
  const std::size_t room = columns - std::min(columns, numbers.size() + 1);
  const std::size_t name = std::min(room, std::min(kName, run.task.name.size()));
  std::string line = fmt::format("{:<{}.{}} ", run.task.name, name, name);
  if (room > name + kNarrowestBar) {
    line += Bar(share, std::min(kWidestBar, room - name - 1)) + " ";
  }
  return line + numbers;
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
  const double share = all > 0 ? done / all : 0;
  text = fmt::format("{:>3.0f} %  {}", 100 * share, text);
  const std::size_t room = ErrorTerminal().columns - std::min(ErrorTerminal().columns, text.size());
  return room < 8 ? text
                  : fmt::format("{} {}", Bar(share, std::min<std::size_t>(24, room - 2)), text);
}

void RunProgress::Work(const std::stop_token& stop) {
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  const auto wait = is_terminal ? std::chrono::milliseconds(250) : std::chrono::seconds(10);
  std::unique_lock lock(mutex_);
  std::condition_variable_any stopped;
  while (!stopped.wait_for(lock, stop, wait, [&] { return stop.stop_requested(); })) {
    std::string text = TakeAway();
    if (is_terminal) {
      for (const std::string& whole : Lines()) {
        const std::string line = FittingLine(whole);
        shown_.push_back(base::ColumnsOf(line));
        text += line + "\n";
      }
    } else {
      text = Total() + "\n";
    }
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }
  std::fputs(TakeAway().c_str(), stderr);
}

}  // namespace airlot::cli
