#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "airlot/selection.h"

namespace airlot {
namespace {

constexpr double kRounding = 1e-9;

template <class... Values>
Error Wrong(fmt::format_string<Values...> text, Values&&... values) {
  return {fmt::format(text, std::forward<Values>(values)...)};
}

Status CheckDevices(const SelectionView& view, const Selection& selection) {
  for (const std::uint32_t device : selection.devices) {
    if (device < view.probability.size() && view.probability[device] > 0) continue;
    return Wrong("device {} of {} is selected, but cannot take part", device,
                 view.probability.size());
  }
  std::vector<std::uint32_t> sorted;
  if (selection.takes_turns) {
    sorted = selection.devices;
    std::ranges::sort(sorted);
  }
  const auto& devices = selection.takes_turns ? sorted : selection.devices;
  if (std::ranges::adjacent_find(devices, std::greater_equal<>()) == devices.end()) return {};
  return Wrong("{} devices are selected, not in rising order or one of them twice",
               selection.devices.size());
}

Status CheckTerms(const Terms& terms, std::uint32_t device, double most_w) {
  if (!(terms.power_w > 0 && terms.power_w <= most_w * (1 + kRounding))) {
    return Wrong("device {} sends at {} W of {} W", device, terms.power_w, most_w);
  }
  if (!(terms.cpu_share > 0 && terms.cpu_share <= 1)) {
    return Wrong("device {} has a CPU share of {}", device, terms.cpu_share);
  }
  if (!(terms.bandwidth_hz > 0)) {
    return Wrong("device {} sends in {} Hz", device, terms.bandwidth_hz);
  }
  const double bits = terms.update_bits.value_or(1);
  if (!(bits > 0)) return Wrong("device {} sends {} bits", device, bits);
  return {};
}

Status CheckAllTerms(const Cell& cell, const Selection& selection) {
  double band_hz = 0;
  for (std::size_t i = 0; i < selection.terms.size(); ++i) {
    const Terms& terms = selection.terms[i];
    const std::uint32_t device = selection.devices[i];
    if (auto status = CheckTerms(terms, device, cell.problem.max_power_w[device]); !status) {
      return status;
    }
    band_hz = selection.takes_turns ? std::max(band_hz, terms.bandwidth_hz)
                                    : band_hz + terms.bandwidth_hz;
  }
  if (band_hz <= cell.total_bandwidth_hz * (1 + kRounding)) return {};
  return Wrong("{} Hz are given of {} Hz", band_hz, cell.total_bandwidth_hz);
}

}  // namespace

Status CheckSelection(const SelectionView& view, const Selection& selection) {
  const std::size_t count = selection.devices.size();
  if (!selection.terms.empty() && selection.terms.size() != count) {
    return Wrong("{} terms of {} devices", selection.terms.size(), count);
  }
  if (!selection.probability.empty() && selection.probability.size() != count) {
    return Wrong("{} probabilities of {} devices", selection.probability.size(), count);
  }
  if (!(selection.before_s >= 0)) return Wrong("{} s before the round", selection.before_s);
  if (auto status = CheckDevices(view, selection); !status) return status;
  return CheckAllTerms(*view.cell, selection);
}

}  // namespace airlot
