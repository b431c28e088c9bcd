// This file is compiled for speed: the compiler makes vectors of its loops.
#include "nat_times.h"

#include <airlot/link.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace airlot::python {
namespace {

constexpr std::size_t kLanes = 8;  // sums that the compiler may add side by side

bool IsUsable(double value) {
  return (value > 0) & (value <= std::numeric_limits<double>::max());  // both, without a branch
}

// Calls `pass` with functions that return the bits and the band of a device, which know for all
// devices whether there is one number or a column.
template <class Pass>
void ForKindsOf(const Cell& cell, const Pass& pass) {
  const double *bits = cell.update_bits.values().data(), *band = cell.bandwidth_hz.values().data();
  const double one_size = cell.update_bits.is_constant() ? cell.update_bits.constant() : 0;
  const double one_band = cell.bandwidth_hz.is_constant() ? cell.bandwidth_hz.constant() : 0;
  const auto bits_of = [bits](std::size_t i) { return bits[i]; };
  const auto band_of = [band](std::size_t i) { return band[i]; };
  const auto same_bits = [one_size](std::size_t) { return one_size; };
  const auto same_band = [one_band](std::size_t) { return one_band; };
  if (cell.update_bits.is_constant()) {
    cell.bandwidth_hz.is_constant() ? pass(same_bits, same_band) : pass(same_bits, band_of);
  } else {
    cell.bandwidth_hz.is_constant() ? pass(bits_of, same_band) : pass(bits_of, band_of);
  }
}

bool IsOneNumber(const Cell& cell) {
  return cell.update_bits.is_constant() && cell.bandwidth_hz.is_constant() &&
         cell.problem.samples.is_constant();
}

// Devices without samples never send.
void LeaveOut(const ColumnView& samples, ColumnValues& nat_time_s) {
  for (std::size_t i = 0; i < nat_time_s.size(); ++i) {
    if (samples[i] == 0) nat_time_s[i] = INFINITY;
  }
}

void SetOneNumber(Cell& cell) {
  PlanningProblem& problem = cell.problem;
  problem.nat_time_s = problem.samples.constant() == 0
                           ? INFINITY
                           : NatTime(cell.update_bits.constant(), cell.bandwidth_hz.constant());
}

}  // namespace

Bands SetNatTimes(Cell& cell, ColumnValues& nat_time_s) {
  PlanningProblem& problem = cell.problem;
  const std::size_t devices = problem.devices;
  if (IsOneNumber(cell)) {
    SetOneNumber(cell);
    const double band = cell.bandwidth_hz.constant();
    return {band * double(devices), IsUsable(band) && IsUsable(cell.update_bits.constant())};
  }
  nat_time_s.resize(devices);
  std::array<double, kLanes> sums{};
  bool are_usable = true;
  ForKindsOf(cell, [&](const auto& bits, const auto& band) {
    double* times = nat_time_s.data();
    std::array<double, kLanes> lanes{};
    int is_wrong = 0;
    const auto look_at = [&](std::size_t i, std::size_t lane) {
      const double device_bits = bits(i), device_hz = band(i);
      times[i] = NatTime(device_bits, device_hz);
      lanes[lane] += device_hz;
      is_wrong |= int(!IsUsable(device_bits)) | int(!IsUsable(device_hz));
    };
    std::size_t i = 0;
    for (; i + kLanes <= devices; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) look_at(i + lane, lane);
    }
    for (; i < devices; ++i) look_at(i, 0);
    sums = lanes;
    are_usable = is_wrong == 0;
  });
  if (!(problem.samples.is_constant() && problem.samples.constant() != 0)) {
    LeaveOut(problem.samples, nat_time_s);
  }
  problem.nat_time_s = nat_time_s;
  double sum_hz = 0;
  for (const double sum : sums) sum_hz += sum;
  return {sum_hz, are_usable};
}

void SetPlainNatTimes(Cell& cell, ColumnValues& nat_time_s) {
  PlanningProblem& problem = cell.problem;
  if (IsOneNumber(cell)) return SetOneNumber(cell);
  nat_time_s.resize(problem.devices);
  ForKindsOf(cell, [&](const auto& bits, const auto& band) {
    for (std::size_t i = 0; i < nat_time_s.size(); ++i) nat_time_s[i] = NatTime(bits(i), band(i));
  });
  if (!(problem.samples.is_constant() && problem.samples.constant() != 0)) {
    LeaveOut(problem.samples, nat_time_s);
  }
  problem.nat_time_s = nat_time_s;
}

}  // namespace airlot::python
