#include "selection/check_selection.h"

#include <algorithm>

#include "base/check.h"

namespace airlot::selection {
namespace {

constexpr double kRounding = 1e-9;

void CheckDevices(const SelectionView& view, const Selection& selection) {
  for (const std::uint32_t device : selection.devices) {
    AIRLOT_CHECK(device < view.probability.size() && view.probability[device] > 0,
                 "device {} of {} is selected, but cannot take part", device,
                 view.probability.size());
  }
  const auto is_rising = [](const std::vector<std::uint32_t>& devices) {
    return std::ranges::adjacent_find(devices, std::greater_equal<>()) == devices.end();
  };
  std::vector<std::uint32_t> sorted;
  if (selection.takes_turns) {
    sorted = selection.devices;
    std::ranges::sort(sorted);
  }
  AIRLOT_CHECK(is_rising(selection.takes_turns ? sorted : selection.devices),
               "{} devices are selected, not in rising order or one of them twice",
               selection.devices.size());
}

void CheckTerms(const Cell& cell, const Selection& selection) {
  double band_hz = 0;
  for (std::size_t i = 0; i < selection.terms.size(); ++i) {
    const Terms& terms = selection.terms[i];
    const std::uint32_t device = selection.devices[i];
    const double most_w = cell.problem.max_power_w[device];
    AIRLOT_CHECK(terms.power_w > 0 && terms.power_w <= most_w * (1 + kRounding),
                 "device {} sends at {} W of {} W", device, terms.power_w, most_w);
    AIRLOT_CHECK(terms.cpu_share > 0 && terms.cpu_share <= 1, "device {} has a CPU share of {}",
                 device, terms.cpu_share);
    AIRLOT_CHECK(terms.bandwidth_hz > 0, "device {} sends in {} Hz", device, terms.bandwidth_hz);
    const double bits = terms.update_bits.value_or(1);
    AIRLOT_CHECK(bits > 0, "device {} sends {} bits", device, bits);
    band_hz = selection.takes_turns ? std::max(band_hz, terms.bandwidth_hz)
                                    : band_hz + terms.bandwidth_hz;
  }
  AIRLOT_CHECK(band_hz <= cell.total_bandwidth_hz * (1 + kRounding), "{} Hz are given of {} Hz",
               band_hz, cell.total_bandwidth_hz);
}

}  // namespace

void CheckSelection(const SelectionView& view, const Selection& selection) {
  const std::size_t count = selection.devices.size();
  AIRLOT_CHECK(selection.terms.empty() || selection.terms.size() == count, "{} terms of {} devices",
               selection.terms.size(), count);
  AIRLOT_CHECK(selection.probability.empty() || selection.probability.size() == count,
               "{} probabilities of {} devices", selection.probability.size(), count);
  AIRLOT_CHECK(selection.before_s >= 0, "{} s before the round", selection.before_s);
  CheckDevices(view, selection);
  CheckTerms(*view.cell, selection);
}

}  // namespace airlot::selection
