#include "simulation/ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace airlot {

double JainIndex(std::span<const std::uint32_t> participations) {
  double sum = 0, squares = 0;
  for (const double count : participations) {
    sum += count;
    squares += count * count;
  }
  return squares == 0 ? 1 : sum * sum / (double(participations.size()) * squares);
}

namespace simulation {
namespace {

// Of the work of a gradient: the backward pass takes twice the products of the forward pass.
constexpr double kForwardShare = 1.0 / 3;

}  // namespace

Ledger::Ledger(const Setting& setting, const RoundPlan& plan, RunState& state)
    : setting_(setting), plan_(plan), cell_(plan.cell()), state_(state) {}

void Ledger::StartRound() {
  round_start_s_ = state_.time_s;
  has_computed_.clear();
  has_received_.clear();
  model_s_ = 0;
  durations_s_.clear();
}

void Ledger::Spend(std::uint32_t device, double energy_j) {
  if (!state_.battery_j.empty()) {  // no more than there is
    double& charge_j = state_.battery_j[device];
    energy_j = std::min(energy_j, charge_j);
    charge_j -= energy_j;
  }
  state_.energy_spent_j[device] += energy_j;
  state_.energy_j += energy_j;
}

// (193)
void Ledger::Harvest() {
  const double elapsed_s = state_.time_s - round_start_s_;
  const Fleet& fleet = setting_.fleet;
  for (std::size_t i = 0; i < state_.battery_j.size(); ++i) {
    state_.battery_j[i] =
        std::min(state_.battery_j[i] + fleet.harvest_w[i] * elapsed_s, fleet.battery_j[i]);
  }
}

double Ledger::SendModel(std::span<const std::uint32_t> devices) {
  const double before_s = model_s_;
  has_received_.resize(setting_.fleet.devices);
  for (const std::uint32_t device : devices) {
    model_s_ = std::max(model_s_, ReceiveTime(cell_, device));
    if (!has_received_[device]) Spend(device, ReceiveEnergy(device));
    has_received_[device] = true;
  }
  return model_s_ - before_s;
}

double Ledger::ReceiveEnergy(std::uint32_t device) const {
  const bool is_paid = cell_.problem.compute_rule == ComputeRule::kAlways;
  return is_paid ? 0 : cell_.receive_energy_j[device];
}

template <class Share>
void Ledger::ChargeAnswers(std::span<const std::uint32_t> devices, const Share& share) {
  double answer_s = 0;
  for (const std::uint32_t device : devices) {
    const double power_w = cell_.problem.max_power_w[device];
    const double report_s =
        SendTime(cell_, device, power_w, cell_.bandwidth_hz[device], kReportBits);
    const double part = share(device);
    answer_s = std::max(answer_s, part * cell_.problem.compute_time_s[device] + report_s);
    const bool is_paid = cell_.problem.compute_rule == ComputeRule::kAlways;
    const double compute_j =
        is_paid ? 0 : cell_.problem.compute_energy_j[device] - cell_.receive_energy_j[device];
    Spend(device, DrawnPower(cell_.problem, power_w) * report_s + part * compute_j);
  }
  state_.time_s += answer_s;
}

void Ledger::ChargeLosses(std::span<const std::uint32_t> devices, std::size_t batch) {
  state_.time_s += SendModel(devices);
  ChargeAnswers(devices, [&](std::uint32_t device) {
    const auto samples = double(setting_.partition.SamplesOf(device).size());
    if (samples == 0) return 0.0;
    const double asked = batch == 0 ? samples : std::min(double(batch), samples);
    return kForwardShare * asked / WorkOf(setting_.scenario.learning).ComputedSamples(samples);
  });
}

void Ledger::ChargeUpdates(std::span<const std::uint32_t> devices) {
  has_computed_.resize(setting_.fleet.devices);
  state_.time_s += SendModel(devices);
  ChargeAnswers(devices, [&](std::uint32_t device) { return has_computed_[device] ? 0.0 : 1.0; });
  for (const std::uint32_t device : devices) has_computed_[device] = true;
}

void Ledger::ChargeFigures(std::span<const std::uint32_t> devices) {
  ChargeAnswers(devices, [](std::uint32_t) { return 0.0; });
}

void Ledger::ChargeRehearsal(const Selection& selection) {
  state_.time_s += SendModel(selection.devices);
  double slowest_s = 0;
  for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
    const std::uint32_t device = selection.devices[seat];
    const ParticipationCost cost = CostOf(cell_, device, TermsOf(selection, seat));
    slowest_s = std::max(slowest_s, cost.compute_s + cost.upload_s);
    Spend(device, cost.energy_j - ReceiveEnergy(device));
  }
  state_.time_s += slowest_s;
}

Terms Ledger::TermsOf(const Selection& selection, std::size_t seat) const {
  if (!selection.terms.empty()) return selection.terms[seat];
  const std::uint32_t device = selection.devices[seat];
  return {.power_w = plan_.power_w()[device], .bandwidth_hz = cell_.bandwidth_hz[device]};
}

ParticipationCost Ledger::CostOfSeat(const Selection& selection, std::size_t seat) const {
  const std::uint32_t device = selection.devices[seat];
  const bool has_computed = !has_computed_.empty() && has_computed_[device];
  const bool has_received = !has_received_.empty() && has_received_[device];
  const bool is_as_planned = selection.terms.empty() && !selection.takes_turns && !has_computed;
  const Terms terms = TermsOf(selection, seat);
  ParticipationCost cost =
      is_as_planned ? plan_.CostOfPlanned(device) : CostOf(cell_, device, terms);
  if (has_computed) {
    cost.compute_s = 0;
    cost.energy_j = DrawnPower(cell_.problem, terms.power_w) * cost.upload_s;
  } else if (has_received) {
    cost.energy_j -= ReceiveEnergy(device);
  }
  return cost;
}

void Ledger::Book(const Selection& selection, double empty_s, double report_bits) {
  for (std::size_t device = 0; device < setting_.always_j.size(); ++device) {
    const double always_j = setting_.always_j[device];
    const bool is_able = state_.battery_j.empty() || state_.battery_j[device] >= always_j;
    if (is_able) Spend(std::uint32_t(device), always_j);  // first: no upload without it
  }
  double round_s = selection.devices.empty() ? empty_s : 0;
  for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
    const std::uint32_t device = selection.devices[seat];
    ParticipationCost cost = CostOfSeat(selection, seat);
    if (report_bits > 0) {  // (213)
      const Terms terms = TermsOf(selection, seat);
      const double report_s =
          SendTime(cell_, device, terms.power_w, terms.bandwidth_hz, report_bits);
      cost.upload_s += report_s;
      cost.energy_j += DrawnPower(cell_.problem, terms.power_w) * report_s;
    }
    const double duration_s = cost.compute_s + cost.upload_s;
    durations_s_.push_back(duration_s);
    round_s = selection.takes_turns ? std::max(round_s, cost.compute_s) + cost.upload_s  // (93)
                                    : std::max(round_s, duration_s);
    ++state_.participations[device];
    Spend(device, cost.energy_j);
  }
  state_.time_s += selection.before_s + round_s;
  Harvest();
}

double Ledger::MeanDuration() const {
  if (durations_s_.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum_s = 0;
  for (const double duration_s : durations_s_) sum_s += duration_s;
  return sum_s / double(durations_s_.size());
}

}  // namespace simulation
}  // namespace airlot
