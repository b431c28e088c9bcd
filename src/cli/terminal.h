// These functions write output that reads well in a terminal.
#ifndef AIRLOT_CLI_TERMINAL_H_
#define AIRLOT_CLI_TERMINAL_H_

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "airlot/result.h"

namespace airlot::cli {

// Writes text whose names and values come from outside, so that nothing of it can steer a terminal.
void WriteSafely(std::FILE* stream, std::string_view text);

// Writes text for people: on a terminal that is too narrow for it, lines are broken (FittingText).
void WriteForPeople(std::FILE* stream, std::string_view text);

// Prints text for people on standard output. FinishOutput finds out whether that could be written.
template <class... T>
void Print(fmt::format_string<T...> format, T&&... values) {
  WriteForPeople(stdout, fmt::format(format, std::forward<T>(values)...));
}

// Prints text for programs, such as JSON, on standard output: its lines stay as they are.
inline void PrintExactly(std::string_view text) { WriteSafely(stdout, text); }

// Prints a text file on standard output: byte for byte, but for a terminal, which it cannot steer.
void PrintFile(std::string_view text);

// Prints on standard error: "note: ..." and the like.
template <class... T>
void Warn(fmt::format_string<T...> format, T&&... values) {
  WriteForPeople(stderr, fmt::format(format, std::forward<T>(values)...));
}
// Prints "error: " and a message on standard error, in colour where that may be. A message that
// begins with the name of a file begins with what FileName calls it.
void WriteError(std::string_view message);

// Prints "note: " and a note on standard error; it may begin with the name of a file, too.
void WriteNote(std::string_view note);

// From now on, or no longer, what would go to standard error is kept back; KeptError returns the
// last error that was. It is for a process that leaves talking to another.
void KeepMessages(bool keeps);
std::string KeptError();

// Tells at the end of the program whether all that was printed has been written.
Status FinishOutput();

// Returns how many columns the terminal on standard output has; nothing where that is no terminal.
std::optional<std::size_t> OutputColumns();

// This is the size of the terminal on standard error. Where it is not known it counts as 80 columns
// and 24 lines.
struct TerminalSize {
  std::size_t columns = 80;
  std::size_t lines = 24;
};
TerminalSize ErrorTerminal();

// Returns as much of a line as fits into the terminal on standard error without being wrapped.
std::string FittingLine(std::string_view line);

// Returns what takes away lines of this many columns each, the last one with or without a line feed
// behind it, from the terminal on standard error. A terminal that has become narrower since then
// has wrapped them.
std::string TakenAway(std::span<const std::size_t> columns_of_lines, bool ends_in_line_feed);

// Returns text in lines of at most `columns`. A longer line is broken at spaces, and goes on below
// the last of its columns of text, or two columns further in than it begins; no word is broken.
std::string FittingText(std::string_view text, std::size_t columns);

// Returns a paragraph in lines of at most 80 columns, or as many as the terminal has, broken at
// spaces.
std::string Wrapped(std::string_view text);

// Returns how wide bars are on standard output: at most `most`, and at least 5, where all else in
// their lines takes `beside` columns.
std::size_t BarColumns(std::size_t most, std::size_t beside);

// Returns a number as "1,234,567".
std::string Count(std::size_t number);
// Returns a number of things, such as "1 device" or "1,200 devices".
std::string CountOf(std::size_t number, std::string_view thing);

// Returns the name of a file for people: "standard input" or "standard output" where it is that.
std::string FileName(std::string_view path);
// Returns where people find a file: "in plan.csv", or "on standard output".
std::string PlaceOfFile(std::string_view path);

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
  std::string LineAfter(double elapsed_s) const;

  std::mutex mutex_;
  std::string what_;
  std::atomic<double> share_ = 0;
  std::jthread thread_;
};

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_TERMINAL_H_
