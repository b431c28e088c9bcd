#include "fleet/fleet_memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "base/input_file.h"

namespace airlot::fleet {
namespace {

// These numbers lie above what was measured: the largest resident memory of `plan` with a million
// devices was 87 bytes for each that is drawn, and for each of a file 71 (one column) to 156 (ids
// and ten columns), 173 with check and report, 196 with a shared band.
constexpr double kBytesPerDrawnDevice = 110;
constexpr double kBytesPerReadDevice = 200;
// As ids are read, they are copied to a place twice as large again and again, and both places are
// in memory then: that makes three bytes. One more is for what else there is of them.
constexpr double kBytesPerIdByte = 4;

double MemoryBytes() {
  const double machine =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  rlimit limit{};
  const bool is_limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? std::min(machine, static_cast<double>(limit.rlim_cur)) : machine;
}

// Estimates the lines of a file by its size and the mean length of its first ones; the number is 0
// where that cannot be known. The reader of the file says what is wrong with it.
double EstimateLines(const std::string& path) {
  auto file = base::InputFile::Open(path);
  if (!file) return 0;
  std::array<char, std::size_t{1} << 16> beginning;
  const auto got = file->Read(beginning);
  if (!got || *got == 0) return 0;
  const auto lines = std::count(beginning.begin(), beginning.begin() + std::ptrdiff_t(*got), '\n');
  return static_cast<double>(*file->size()) / static_cast<double>(*got) *
         static_cast<double>(lines);
}

// Returns a number of bytes in GB.
std::string Gigabytes(double bytes) {
  return bytes < 1e10 ? fmt::format("{:.1f}", bytes / 1e9) : fmt::format("{:.0f}", bytes / 1e9);
}

Error DoesNotFit(const std::string& what, double needed_bytes) {
  return {fmt::format("{}: needs about {} GB of memory, there are {}", what,
                      Gigabytes(needed_bytes), Gigabytes(MemoryBytes()))};
}

}  // namespace

Status CheckMemoryToDraw(std::size_t devices) {
  const double needed = kBytesPerDrawnDevice * static_cast<double>(devices);
  if (needed <= MemoryBytes()) return {};
  return DoesNotFit(fmt::format("fleet.devices = {}", devices), needed);
}

Status CheckMemoryForFile(const std::string& fleet_file) {
  const double devices = EstimateLines(fleet_file);
  const double needed = kBytesPerReadDevice * devices;
  if (needed <= MemoryBytes()) return {};
  return DoesNotFit(fmt::format("{}: about {:.3g} devices", fleet_file, devices), needed);
}

Status CheckMemoryOfRows(const std::string& origin, std::size_t devices, std::size_t id_bytes) {
  const double needed = kBytesPerReadDevice * static_cast<double>(devices) +
                        kBytesPerIdByte * static_cast<double>(id_bytes);
  if (needed <= MemoryBytes()) return {};
  return DoesNotFit(fmt::format("{}: {} devices or more", origin, devices), needed);
}

}  // namespace airlot::fleet
