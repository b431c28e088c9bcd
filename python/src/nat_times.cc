// This file is compiled for speed: the compiler makes vectors of its loops.
#include "nat_times.h"

#include <airlot/link.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace airlot::python {
namespace {

// The highest bit of this is set where a number is not finite and > 0: of the bits of a double, it
// is the sign; one less is negative for 0; and one more in the exponent overflows for the largest,
// that of infinity and NaN.
std::uint64_t WrongBits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits | (bits - 1) | (bits + (std::uint64_t{1} << 52U));
}
bool IsUsable(double value) { return WrongBits(value) >> 63U == 0; }

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

// Fills in the nat times. Whether numbers are usable is found while the processor divides.
template <class Bits, class Band>
bool PassOver(const Bits& bits, const Band& band, ColumnValues& nat_time_s) {
  double* __restrict times = nat_time_s.data();
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < nat_time_s.size(); ++i) {
    times[i] = NatTime(bits(i), band(i));
    wrong |= WrongBits(bits(i)) | WrongBits(band(i));
  }
  return wrong >> 63U == 0;
}

}  // namespace

bool SetNatTimes(Cell& cell, ColumnValues& nat_time_s) {
  PlanningProblem& problem = cell.problem;
  if (IsOneNumber(cell)) {
    SetOneNumber(cell);
    return IsUsable(cell.update_bits.constant()) && IsUsable(cell.bandwidth_hz.constant());
  }
  nat_time_s.resize(problem.devices);
  bool are_usable = false;
  ForKindsOf(cell, [&](const auto& bits, const auto& band) {
    are_usable = PassOver(bits, band, nat_time_s);
  });
  if (!(problem.samples.is_constant() && problem.samples.constant() != 0)) {
    LeaveOut(problem.samples, nat_time_s);
  }
  problem.nat_time_s = nat_time_s;
  return are_usable;
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
