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

#include "base/text.h"
#include "base/unfinished_files.h"
#include "base/utf8.h"

namespace airlot::cli {
namespace {

// This is why standard output could not be written when it first failed, or 0.
int output_error = 0;

std::size_t ColumnsOfErrors() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kUsual;
}

}  // namespace

void WriteSafely(std::FILE* stream, std::string_view text) {
  const std::string safe = base::SafeForTerminal(text);
  errno = 0;
  const bool is_written = std::fwrite(safe.data(), 1, safe.size(), stream) == safe.size();
  if (!is_written && stream == stdout && output_error == 0) output_error = errno;
}

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

std::string FittingLine(std::string_view line) {
  return std::string(base::CutToColumns(line, ColumnsOfErrors() - 1));
}

std::string Wrapped(std::string_view text) {
  constexpr std::size_t kColumns = 80;
  std::string lines;
  while (base::CutToColumns(text, kColumns).size() < text.size()) {
    // The space that ends a line may stand right behind its last column.
    const std::size_t fitting = base::CutToColumns(text, kColumns).size();
    std::size_t space = text.rfind(' ', fitting);
    if (space == std::string_view::npos) space = text.find(' ');
    if (space == std::string_view::npos) break;
    lines.append(text.substr(0, space)).push_back('\n');
    text.remove_prefix(space + 1);
  }
  return lines.append(text);
}

bool MayColour() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
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
  bool shown = false;
  while (!stopped.wait_for(lock, stop, wait, [&] { return stop.stop_requested(); })) {
    wait = std::chrono::milliseconds(100);
    shown = true;
    const double share = share_;
    const std::string what(base::CutToColumns(base::SafeForTerminal(what_), 32));
    const double elapsed_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string line =
        share > 0 ? fmt::format("{} {} {:3.0f} %, {:.0f} s left", what, Bar(share, 20), 100 * share,
                                std::ceil(elapsed_s * (1 - share) / share))
                  : fmt::format("{}, {:.0f} s", what, elapsed_s);
    std::fputs(fmt::format("\r{}\033[K", FittingLine(line)).c_str(), stderr);
    std::fflush(stderr);
  }
  if (shown) std::fputs("\r\033[K", stderr);
}

}  // namespace airlot::cli
