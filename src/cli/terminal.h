// These functions write output that reads well in a terminal.
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

// Prints on standard output. FinishOutput finds out whether that could be written.
template <class... T>
void Print(fmt::format_string<T...> format, T&&... values) {
  WriteSafely(stdout, fmt::format(format, std::forward<T>(values)...));
}

// Prints on standard error: "note: ..." and the like.
template <class... T>
void Warn(fmt::format_string<T...> format, T&&... values) {
  WriteSafely(stderr, fmt::format(format, std::forward<T>(values)...));
}

// Tells at the end of the program whether all that was printed has been written.
Status FinishOutput();

// Returns as much of a line as fits into the terminal on standard error without being wrapped: what
// is wrapped could not be taken away again. A terminal of unknown width counts as 80 columns.
std::string FittingLine(std::string_view line);

// Returns text in lines of at most 80 columns, broken at spaces; a longer word has a line of its
// own.
std::string Wrapped(std::string_view text);

// Returns a number as "1,234,567".
std::string Count(std::size_t number);

// Returns a number with a unit and four significant digits, for people: "0.08 s", "100 kHz",
// "1.2e-09 W".
std::string Quantity(double value, std::string_view unit);

// Tells whether the locale is UTF-8.
bool IsUtf8();

// Returns a bar of at most `width` columns, `share` of it filled; it uses ASCII where the locale is
// not UTF-8.
std::string Bar(double share, std::size_t width);

// Messages on standard error may be coloured where it is a terminal and NO_COLOR is not set.
bool MayColour();

// Starts a thread that shows how far some work is. The work does not depend on it: where there is
// no thread or no memory to be had, nothing is shown.
std::jthread StartShowing(std::function<void(const std::stop_token&)> show);

// Progress is a line on standard error that says what is being done and, where that is told, how
// far it is. It is shown only on a terminal and only if the work takes longer than a second, and it
// is gone when the work is done.
class Progress {
 public:
  Progress(std::string what, bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  // Tells how much is done, from 0 to 1.
  void operator()(double share) { share_ = share; }
  // Tells what is being done from now on. Any thread may call it.
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
