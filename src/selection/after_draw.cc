#include "selection/after_draw.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "planning/concurrent_uploads.h"

namespace airlot::selection {
namespace {

// Where the strategy has no terms of its own, these are those of the plan.
void FillTerms(const SelectionView& view, Selection& selection) {
  if (!selection.terms.empty()) return;
  for (const std::uint32_t device : selection.devices) {
    selection.terms.push_back(
        {.power_w = view.power_w[device], .bandwidth_hz = view.cell->bandwidth_hz[device]});
  }
}

// Returns when a device begins to send.
double ReadyTime(const Cell& cell, std::uint32_t device, const Terms& terms) {
  return cell.compute_time_s[device] / terms.cpu_share;
}

// Puts the seats into another order.
void Reorder(std::span<const std::size_t> order, Selection& selection) {
  const auto reorder = [&](auto& values) {
    if (values.empty()) return;
    auto moved = values;
    for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[order[i]];
    values = std::move(moved);
  };
  reorder(selection.devices);
  reorder(selection.terms);
  reorder(selection.probability);
}

// Puts the seats into the order of a key, of equal keys the first device first.
template <class Key>
void SortSeats(Selection& selection, const Key& key) {
  std::vector<std::size_t> order(selection.devices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(
      order, {}, [&](std::size_t seat) { return std::pair(key(seat), selection.devices[seat]); });
  Reorder(order, selection);
}

// A DrawnCell is the cell of those who were drawn alone, numbered by their seats, each with the
// update that it sends and the computation that it takes on its terms.
class DrawnCell {
 public:
  DrawnCell(const Cell& cell, const Selection& selection) : cell_(cell) {
    const std::size_t count = selection.devices.size();
    for (ColumnValues* values : {&noise_to_gain_w_, &bandwidth_hz_, &update_bits_, &max_power_w_,
                                 &power_w_, &compute_time_s_}) {
      values->reserve(count);
    }
    for (std::size_t seat = 0; seat < count; ++seat) {
      const std::uint32_t device = selection.devices[seat];
      const Terms& terms = selection.terms[seat];
      seats_.push_back(std::uint32_t(seat));
      noise_to_gain_w_.push_back(cell.problem.noise_to_gain_w[device]);
      bandwidth_hz_.push_back(cell.bandwidth_hz[device]);
      update_bits_.push_back(terms.update_bits.value_or(cell.update_bits[device]));
      max_power_w_.push_back(cell.problem.max_power_w[device]);
      power_w_.push_back(terms.power_w);
      compute_time_s_.push_back(ReadyTime(cell, device, terms));
      const double limited_s = cell.problem.compute_time_s[device] / terms.cpu_share;
      most_upload_s_.push_back(cell.problem.time_limit_s[device] - limited_s);
    }
    cell_.problem.devices = count;
    cell_.problem.noise_to_gain_w = noise_to_gain_w_;
    cell_.problem.max_power_w = max_power_w_;
    cell_.bandwidth_hz = bandwidth_hz_;
    cell_.update_bits = update_bits_;
    cell_.compute_time_s = compute_time_s_;
  }
  DrawnCell(const DrawnCell&) = delete;  // The cell has views into the columns.
  DrawnCell& operator=(const DrawnCell&) = delete;

  // (K4)
  void FinishTogether(const ColumnView& power_w, std::vector<Terms>& terms) const {
    const auto finish = planning::FinishTogether(cell_, seats_, power_w);
    for (std::size_t seat = 0; seat < terms.size(); ++seat) {
      terms[seat].power_w = power_w[seat];
      terms[seat].bandwidth_hz = finish.bandwidth_hz[seat];
    }
  }
  void FinishTogether(std::vector<Terms>& terms) const { FinishTogether(power_w_, terms); }

  // Uploads last as long as the limit allows. Where the band does not allow that even at P^max, all
  // finish together at P^max. (K5)
  void SpendLeast(std::vector<Terms>& terms) const {
    const auto least = planning::LeastEnergyBands(cell_, seats_, most_upload_s_);
    if (!least) return FinishTogether(max_power_w_, terms);
    for (std::size_t seat = 0; seat < terms.size(); ++seat) {
      terms[seat].power_w = least->power_w[seat];
      terms[seat].bandwidth_hz = least->bandwidth_hz[seat];
    }
  }

 private:
  Cell cell_;
  std::vector<std::uint32_t> seats_;
  ColumnValues noise_to_gain_w_, bandwidth_hz_, update_bits_, max_power_w_, power_w_,
      compute_time_s_;
  std::vector<double> most_upload_s_;
};

void TakeTurns(const Cell& cell, Selection& selection) {
  for (Terms& terms : selection.terms) terms.bandwidth_hz = cell.total_bandwidth_hz;
  SortSeats(selection, [&](std::size_t seat) {
    return ReadyTime(cell, selection.devices[seat], selection.terms[seat]);
  });
  selection.takes_turns = true;
}

}  // namespace

void ShareAfterDraw(AfterDraw rule, const SelectionView& view, Selection& selection) {
  if (rule == AfterDraw::kStrategy || selection.devices.empty()) return;
  const Cell& cell = *view.cell;
  // What the plan has for a device is in its own band already.
  if (rule == AfterDraw::kOwn && selection.terms.empty() && !selection.takes_turns) return;
  FillTerms(view, selection);
  if (rule == AfterDraw::kTurns) return TakeTurns(cell, selection);  // (K6)
  if (selection.takes_turns) SortSeats(selection, [](std::size_t) { return 0; });
  selection.takes_turns = false;
  std::vector<Terms>& terms = selection.terms;
  switch (rule) {
    case AfterDraw::kOwn:  // (K2)
      for (std::size_t seat = 0; seat < terms.size(); ++seat) {
        terms[seat].bandwidth_hz = cell.bandwidth_hz[selection.devices[seat]];
      }
      return;
    case AfterDraw::kEqual:  // (K3)
      for (Terms& each : terms) each.bandwidth_hz = cell.total_bandwidth_hz / double(terms.size());
      return;
    case AfterDraw::kTogether:
      return DrawnCell(cell, selection).FinishTogether(terms);
    case AfterDraw::kLeastEnergy:
      return DrawnCell(cell, selection).SpendLeast(terms);
    default:
      AIRLOT_CHECK(false, "rule {}", static_cast<int>(rule));
  }
}

// Those who are kept stay in their order.
bool FitToRadio(const Cell& cell, Selection& selection) {
  if (!cell.problem.steps.any() || selection.terms.empty()) return false;
  std::size_t kept = 0;
  for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
    const std::uint32_t device = selection.devices[seat];
    Terms terms = selection.terms[seat];
    terms.power_w = FitPower(cell, device, terms.bandwidth_hz, terms.power_w);
    if (std::isinf(SendTime(cell, device, terms.power_w, terms.bandwidth_hz, 1))) continue;
    selection.devices[kept] = device;
    selection.terms[kept] = terms;
    if (!selection.probability.empty()) selection.probability[kept] = selection.probability[seat];
    ++kept;
  }
  const bool has_left_out = kept < selection.devices.size();
  selection.devices.resize(kept);
  selection.terms.resize(kept);
  if (!selection.probability.empty()) selection.probability.resize(kept);
  return has_left_out;
}

}  // namespace airlot::selection
