#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/unfinished_files.h"
#include "base/utf8.h"

namespace airlot::cli {
namespace {

// This is why standard output could not be written when it first failed, or 0.
int output_error = 0;

// These are for KeepMessages.
std::atomic<bool> keeps_messages = false;
std::string kept_error;

void Write(std::FILE* stream, std::string_view text) {
  errno = 0;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (!is_written && stream == stdout && output_error == 0) output_error = errno;
}

// Asks a terminal for its size; nothing where there is none, or where it does not know.
std::optional<winsize> SizeOf(int file) {
  winsize size{};
  if (::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size;
}

// Returns where a line that is broken goes on: below its last column of text, which stands behind
// two spaces or more, unless that leaves too little room; else a little further in.
std::size_t IndentOf(std::string_view line, std::size_t columns) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view begin = base::CutToColumns(line, columns / 2);
  const std::size_t gap = begin.rfind("  ");
  const bool has_columns = gap != std::string_view::npos && gap >= first;
  if (has_columns) return base::ColumnsOf(line.substr(0, gap + 2));
  return std::min(base::ColumnsOf(line.substr(0, first)) + 2, columns / 2);
}

// Appends a line in pieces that fit.
void AppendFitting(std::string_view line, std::size_t columns, std::string& text) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t indent = IndentOf(line, columns);
  std::string margin;         // that of the pieces behind the first
  std::size_t start = first;  // No piece ends before this place.
  while (base::ColumnsOf(line) + margin.size() > columns) {
    // The space that ends a piece may stand right behind its last column.
    const std::size_t fitting = base::CutToColumns(line, columns - margin.size()).size();
    std::size_t space = line.rfind(' ', fitting);
    if (space == std::string_view::npos || space < start) space = line.find(' ', start);
    if (space == std::string_view::npos) break;
    const std::size_t next = line.find_first_not_of(' ', space);
    if (next == std::string_view::npos) break;
    const std::string_view piece = line.substr(0, space);
    text.append(margin).append(piece.substr(0, piece.find_last_not_of(' ') + 1)).push_back('\n');
    line.remove_prefix(next);
    margin.assign(indent, ' ');
    start = 0;
  }
  text.append(margin).append(line);
}

// Returns a message with the name for people of the file that it begins with: "standard input:2:
// ...".
std::string OfNamedFile(std::string_view message) {
  const std::size_t end = std::min(message.find(':'), message.size());
  return FileName(message.substr(0, end)).append(message.substr(end));
}

// Returns text that cannot steer a terminal and fits the one on this stream, if that is one.
std::string FittingSafeText(std::FILE* stream, std::string_view text) {
  const auto size = SizeOf(stream == stdout ? STDOUT_FILENO : STDERR_FILENO);
  std::string safe(base::SafeForTerminal(text));
  return size ? FittingText(safe, size->ws_col) : safe;
}

}  // namespace

void WriteSafely(std::FILE* stream, std::string_view text) {
  Write(stream, base::SafeForTerminal(text));
}

void PrintFile(std::string_view text) {
  if (isatty(STDOUT_FILENO) == 0) return Write(stdout, text);
  std::string spaced;
  for (const char c : text) spaced += c == '\t' ? std::string(8, ' ') : std::string(1, c);
  WriteSafely(stdout, spaced);
}

void WriteForPeople(std::FILE* stream, std::string_view text) {
  if (stream == stderr && keeps_messages) return;
  Write(stream, FittingSafeText(stream, text));
}

void KeepMessages(bool keeps) { keeps_messages = keeps; }
std::string KeptError() { return kept_error; }

void WriteError(std::string_view message) {
  if (keeps_messages) {
    kept_error = message;
    return;
  }
  constexpr std::string_view kMark = "error:";
  std::string text = FittingSafeText(stderr, fmt::format("{} {}\n", kMark, OfNamedFile(message)));
  if (MayColour()) text.replace(0, kMark.size(), fmt::format("\033[31m{}\033[0m", kMark));
  Write(stderr, text);
}

void WriteNote(std::string_view note) { Warn("note: {}\n", OfNamedFile(note)); }

Status FinishOutput() {
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;
  if (!is_flushed && output_error == 0) output_error = errno;
  if (is_flushed && output_error == 0 && std::ferror(stdout) == 0) return {};
  return Error{"standard output: cannot write: " + std::generic_category().message(output_error)};
}

bool IsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return std::strstr(value, "UTF-8") != nullptr || std::strstr(value, "utf8") != nullptr;
  }
  return false;
}

std::string Count(std::size_t number) { return base::Grouped(std::to_string(number)); }

std::string CountOf(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", Count(number), thing, number == 1 ? "" : "s");
}

std::string FileName(std::string_view path) {
  if (path == "/dev/stdin") return "standard input";
  return path == "/dev/stdout" ? "standard output" : std::string(path);
}

std::string PlaceOfFile(std::string_view path) {
  return (path == "/dev/stdout" ? "on " : "in ") + FileName(path);
}

std::string Quantity(double value, std::string_view unit) {
  // There is no "ks" and no "km".
  const bool takes_prefix = unit.substr(0, 1) != "s" && unit.substr(0, 1) != "m";
  for (const auto& [factor, prefix] : {std::pair{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    const bool reads_better =
        takes_prefix && value >= 1e4 && value >= factor && value < 1e4 * factor;
    if (reads_better) return fmt::format("{:.4g} {}{}", value / factor, prefix, unit);
  }
  return fmt::format("{:.4g} {}", value, unit);
}

std::string Bar(double share, std::size_t width) {
  static const bool utf8 = IsUtf8();
  const double filled = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  auto columns = static_cast<std::size_t>(std::lround(filled));
  if (columns == 0 && share > 0) columns = 1;  // Something is never shown as nothing.
  std::string bar;
  for (std::size_t i = 0; i < columns; ++i) bar += utf8 ? "█" : "#";
  bar.append(width - std::min(columns, width), ' ');
  return bar;
}

std::optional<std::size_t> OutputColumns() {
  const auto size = SizeOf(STDOUT_FILENO);
  return size ? std::optional<std::size_t>(size->ws_col) : std::nullopt;
}

TerminalSize ErrorTerminal() {
  TerminalSize known;
  const auto size = SizeOf(STDERR_FILENO);
  if (size) known.columns = size->ws_col;
  if (size && size->ws_row > 0) known.lines = size->ws_row;
  return known;
}

std::string FittingLine(std::string_view line) {
  return std::string(base::CutToColumns(line, ErrorTerminal().columns - 1));
}

std::string TakenAway(std::span<const std::size_t> columns_of_lines, bool ends_in_line_feed) {
  if (columns_of_lines.empty()) return "";
  const std::size_t columns = ErrorTerminal().columns;
  std::size_t up = ends_in_line_feed ? 1 : 0;
  for (const std::size_t line : columns_of_lines) up += line > 0 ? (line - 1) / columns + 1 : 1;
  --up;  // The cursor stands in the last of these lines, or below it.
  return up > 0 ? fmt::format("\r\033[{}A\033[J", up) : "\r\033[J";
}

std::string FittingText(std::string_view text, std::size_t columns) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    AppendFitting(text.substr(0, end), columns, lines);
    if (end == text.size()) break;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string Wrapped(std::string_view text) {
  constexpr std::size_t kMostColumns = 80;
  const std::size_t columns = std::min(kMostColumns, OutputColumns().value_or(kMostColumns));
  std::string lines;
  while (base::ColumnsOf(text) > columns) {
    // The space that ends a line may stand right behind its last column.
    const std::size_t fitting = base::CutToColumns(text, columns).size();
    std::size_t space = text.rfind(' ', fitting);
    if (space == std::string_view::npos) space = text.find(' ');
    if (space == std::string_view::npos) break;
    lines.append(text.substr(0, space)).push_back('\n');
    text.remove_prefix(space + 1);
  }
  return lines.append(text);
}

std::size_t BarColumns(std::size_t most, std::size_t beside) {
  constexpr std::size_t kLeast = 5;
  const std::size_t columns = OutputColumns().value_or(most + beside);
  return std::clamp(columns > beside ? columns - beside : 0, kLeast, std::max(most, kLeast));
}

bool MayColour() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return isatty(STDERR_FILENO) != 0 && !is_dumb && (no_color == nullptr || *no_color == '\0');
}

std::jthread StartShowing(std::function<void(const std::stop_token&)> show) {
  try {
    return std::jthread([show = std::move(show)](const std::stop_token& stop) {
      try {
        show(stop);
      } catch (const std::bad_alloc&) {
        // The work goes on without a word of how far it is.
      }
    });
  } catch (const std::system_error&) {
    return {};
  }
}

Progress::Progress(std::string what, bool quiet) : what_(std::move(what)) {
  if (quiet || isatty(STDERR_FILENO) == 0) return;
  const base::InterruptsHeld held;  // Interrupts are for the thread that works.
  thread_ = StartShowing([this](const std::stop_token& stop) { Show(stop); });
}

Progress::~Progress() = default;

void Progress::Say(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::Show(const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  std::condition_variable_any stopped;
  auto wait = std::chrono::milliseconds(1000);
  std::vector<std::size_t> shown;  // columns of the line that is there
  while (!stopped.wait_for(lock, stop, wait, [&] { return stop.stop_requested(); })) {
    wait = std::chrono::milliseconds(100);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const std::string line = FittingLine(LineAfter(elapsed.count()));
    std::fputs((TakenAway(shown, false) + line).c_str(), stderr);
    std::fflush(stderr);
    shown.assign(1, base::ColumnsOf(line));
  }
  std::fputs(TakenAway(shown, false).c_str(), stderr);
}

// The bar makes way where the terminal has no room for it.
std::string Progress::LineAfter(double elapsed_s) const {
  constexpr std::size_t kWidestBar = 20, kNarrowestBar = 5;
  const std::string what(base::CutToColumns(base::SafeForTerminal(what_), 32));
  const double share = share_;
  if (share == 0) return fmt::format("{}, {:.0f} s", what, elapsed_s);
  const std::string left = fmt::format("{:3.0f} %, {:.0f} s left", 100 * share,
                                       std::ceil(elapsed_s * (1 - share) / share));
  const std::size_t taken = base::ColumnsOf(what) + left.size() + 3;
  const std::size_t columns = ErrorTerminal().columns;
  if (columns < taken + kNarrowestBar) return fmt::format("{} {}", what, left);
  return fmt::format("{} {} {}", what, Bar(share, std::min(kWidestBar, columns - taken)), left);
}

}  // namespace airlot::cli
