// Output that reads well in a terminal.
#ifndef AIRLOT_CLI_TERMINAL_H_
#define AIRLOT_CLI_TERMINAL_H_

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "airlot/result.h"

namespace airlot::cli {

// Writes text whose names and values come from outside, so that nothing of it can steer a terminal.
void WriteSafely(std::FILE* stream, std::string_view text);

// On standard output. Whether that could be written is found out by FinishOutput.
template <class... T>
void Print(fmt::format_string<T...> format, T&&... values) {
  WriteSafely(stdout, fmt::format(format, std::forward<T>(values)...));
}

// On standard error: "note: ..." and the like.
template <class... T>
void Warn(fmt::format_string<T...> format, T&&... values) {
  WriteSafely(stderr, fmt::format(format, std::forward<T>(values)...));
}

// At the end of the program: whether all that was printed has been written.
Status FinishOutput();

// As much of a line as fits into the terminal on standard error without being wrapped: what is
// wrapped could not be taken away again. 80 columns where their number is not known.
std::string FittingLine(std::string_view line);

// "1,234,567".
std::string Count(std::size_t number);

// A number with a unit and four significant digits, for people: "0.08 s", "100 kHz", "1.2e-09 W".
std::string Quantity(double value, std::string_view unit);

// Whether the locale is UTF-8.
bool IsUtf8();

// A bar of at most `width` columns, `share` of it filled; in ASCII where the locale is not UTF-8.
std::string Bar(double share, std::size_t width);

// Whether messages on standard error may be coloured: a terminal, and NO_COLOR is not set.
bool MayColour();

// A thread that shows how far some work is. The work does not depend on it: where there is no
// thread or no memory to be had, nothing is shown.
std::jthread StartShowing(std::function<void(const std::stop_token&)> show);

// A line on standard error that says what is being done and, where that is told, how far it is;
// only on a terminal, only if it takes longer than a second, and gone when it is done.
class Progress {
 public:
  Progress(std::string what, bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  // How much is done, from 0 to 1.
  void operator()(double share) { share_ = share; }
  // What is being done from now on; from any thread.
  void Say(std::string what);

 private:
  void Show(const std::stop_token& stop);

  std::mutex mutex_;
  std::string what_;
  std::atomic<double> share_ = 0;
  std::jthread thread_;
};

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_TERMINAL_H_
