#include "simulation/ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace airlot {

std::optional<double> JainIndex(std::span<const std::uint32_t> participations) {
  double sum = 0, squares = 0;
  for (const double count : participations) {
    sum += count;
    squares += count * count;
  }
  if (squares == 0) return std::nullopt;
  return sum * sum / (double(participations.size()) * squares);
}

namespace simulation {
namespace {

// This is the share of a forward pass in a gradient: the backward pass takes twice as many
// products.
constexpr double kForwardShare = 1.0 / 3;

constexpr ParticipationPart kOnlySending{.compute_share = 0, .includes_reception = false};

bool IsSet(const std::vector<bool>& flags, std::uint32_t device) {
  return !flags.empty() && flags[device];
}

}  // namespace

Ledger::Ledger(const Setting& setting, const RoundConditions& conditions, RunState& state)
    : setting_(setting),
      conditions_(conditions),
      cell_(conditions.cell()),
      state_(state),
      batteries_(state.parts.Find<Batteries>()),
      lost_(state.parts.Find<LostUpdates>()),
      losses_(setting),
      is_strict_(conditions.is_strict()) {}

void Ledger::StartRound() {
  round_start_s_ = state_.time_s;
  has_computed_.clear();
  has_received_.clear();
  model_s_ = 0;
  durations_s_.clear();
  arrived_.clear();
  participations_.clear();
}

// --- One charge ----------------------------------------------------------------------------------

Ledger::Bill Ledger::BillOf(const Charge& charge) const {
  Bill bill;
  if (charge.planned) {
    bill = {.compute_s = cell_.compute_time_s[charge.device],
            .send_s = charge.planned->upload_s,
            .energy_j = charge.planned->energy_j};
  } else {
    const ParticipationCost cost = CostOf(cell_, charge.device, charge.terms, charge.part);
    bill = {.compute_s = cost.compute_s, .send_s = cost.upload_s, .energy_j = cost.energy_j};
  }
  if (charge.part.includes_reception && IsSet(has_received_, charge.device)) {
    bill.energy_j -= ReceiveEnergy(cell_, charge.device);
  }
  bill.update_s = bill.send_s;
  bill.update_j = DrawnPower(cell_.problem, charge.terms.power_w) * bill.update_s;  // (E1)
  Terms report_terms = charge.terms;
  report_terms.update_bits = charge.report_bits;
  const ParticipationCost report = CostOf(cell_, charge.device, report_terms, kOnlySending);
  bill.send_s += report.upload_s;
  bill.energy_j += report.energy_j;
  if (!setting_.scenario.books.upload_time) bill.send_s = bill.update_s = 0;
  return bill;
}

Ledger::Bill Ledger::Pay(const Charge& charge) {
  const Bill bill = BillOf(charge);
  Spend(charge.device, bill.energy_j);
  return bill;
}

double Ledger::Spend(std::uint32_t device, double energy_j) {
  if (batteries_ != nullptr) {
    double& charge_j = batteries_->charge_j[device];
    energy_j = std::min(energy_j, charge_j);
    charge_j -= energy_j;
  }
  state_.energy_spent_j[device] += energy_j;
  state_.energy_j += energy_j;
  return energy_j;
}

double Ledger::EnergyLeft(std::uint32_t device) const {
  double left_j = std::numeric_limits<double>::infinity();
  if (batteries_ != nullptr) left_j = batteries_->charge_j[device];
  if (!is_strict_) return left_j;
  const double budget_j = double(state_.round) * setting_.fleet.energy_budget_j[device];
  return std::min(left_j, budget_j - state_.energy_spent_j[device]);
}

// (K9), (K11), (K15)
bool Ledger::Send(const Charge& charge, Bill& bill) const {
  if (!losses_.may_lose()) return true;
  auto [has_arrived, sendings] = losses_.Send(cell_, state_.round, charge.device, charge.terms);
  if (sendings == 1) return has_arrived;
  const double left_j = std::max(EnergyLeft(charge.device) - bill.energy_j, 0.0);
  if ((sendings - 1) * bill.update_j > left_j) {
    sendings = 1 + left_j / bill.update_j;
    has_arrived = false;
  }
  bill.energy_j += (sendings - 1) * bill.update_j;
  bill.send_s += (sendings - 1) * bill.update_s;
  return has_arrived;
}

// --- Answers -------------------------------------------------------------------------------------

void Ledger::ChargeAnswers(const Question& question, std::span<const std::uint32_t> devices) {
  if (NeedsModel(question)) SendModel(devices);
  double slowest_s = 0;
  answer_durations_s_.clear();
  for (const Charge& charge : ChargesOf(question, devices)) {
    const Bill bill = Pay(charge);
    answer_durations_s_.push_back(bill.compute_s + bill.send_s);
    slowest_s = std::max(slowest_s, answer_durations_s_.back());
  }
  state_.time_s += slowest_s;
  if (!std::holds_alternative<AskUpdateNorm>(question)) return;
  has_computed_.resize(setting_.fleet.devices);
  for (const std::uint32_t device : devices) has_computed_[device] = true;
}

std::vector<bool> Ledger::WhoCanAnswer(const Question& question,
                                       std::span<const std::uint32_t> devices) const {
  std::vector<bool> can(devices.size(), true);
  const bool may_be_mute = cell_.problem.steps.has_rates();  // a link may be below the first row
  if (!is_strict_ && !may_be_mute) return can;
  const std::vector<Charge> charges = ChargesOf(question, devices);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    double energy_j = BillOf(charges[i]).energy_j;
    if (!is_strict_) {
      can[i] = std::isfinite(energy_j);
      continue;
    }
    // The bill of a trial has the reception in it.
    const bool pays_for_model = NeedsModel(question) && !charges[i].part.includes_reception &&
                                !IsSet(has_received_, devices[i]);
    if (pays_for_model) energy_j += ReceiveEnergy(cell_, devices[i]);
    can[i] = KeepsBudget(setting_, state_, devices[i], energy_j);
  }
  return can;
}

std::vector<Charge> Ledger::ChargesOf(const Question& question,
                                      std::span<const std::uint32_t> devices) const {
  std::vector<Charge> charges;
  charges.reserve(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::uint32_t device = devices[i];
    if (const auto* loss = std::get_if<AskLoss>(&question)) {
      charges.push_back(ReportOf(device, LossShare(device, loss->batch)));
    } else if (std::holds_alternative<AskAccuracy>(question)) {
      charges.push_back(ReportOf(device, LossShare(device, 0)));
    } else if (std::holds_alternative<AskUpdateNorm>(question)) {
      charges.push_back(ReportOf(device, IsSet(has_computed_, device) ? 0 : 1));
    } else if (const auto* trial = std::get_if<AskTrial>(&question)) {
      const bool is_planned = trial->terms.empty();
      charges.push_back(
          {.device = device, .terms = is_planned ? PlannedTerms(device) : trial->terms[i]});
    } else {
      charges.push_back(ReportOf(device, 0));  // The question is AskComputeTime.
    }
  }
  return charges;
}

// Returns the share of a whole update's work that a forward pass over `batch` samples takes; a
// batch of 0 means all samples.
double Ledger::LossShare(std::uint32_t device, std::size_t batch) const {
  const auto samples = double(setting_.partition.SamplesOf(device).size());
  if (samples == 0) return 0;
  const double asked = batch == 0 ? samples : std::min(double(batch), samples);
  return kForwardShare * asked / WorkOf(setting_.scenario.learning).ComputedSamples(samples);
}

void Ledger::SendModel(std::span<const std::uint32_t> devices) {
  BookDownload(devices);
  has_received_.resize(setting_.fleet.devices);
  for (const std::uint32_t device : devices) {
    if (!has_received_[device]) Spend(device, ReceiveEnergy(cell_, device));
    has_received_[device] = true;
  }
}

void Ledger::BookDownload(std::span<const std::uint32_t> devices) {
  if (!setting_.scenario.books.download_time) return;
  const double before_s = model_s_;
  for (const std::uint32_t device : devices) {
    model_s_ = std::max(model_s_, ReceiveTime(cell_, device));
  }
  state_.time_s += model_s_ - before_s;
}

// The device reports a number at full power in its own band, after some computation.
Charge Ledger::ReportOf(std::uint32_t device, double compute_share) const {
  return {.device = device,
          .terms = {.power_w = cell_.problem.max_power_w[device],
                    .bandwidth_hz = cell_.bandwidth_hz[device],
                    .update_bits = 0},
          .part = {.compute_share = compute_share, .includes_reception = false},
          .report_bits = kReportBits};
}

// --- The round -----------------------------------------------------------------------------------

Terms Ledger::PlannedTerms(std::uint32_t device) const {
  return {.power_w = conditions_.power_w()[device], .bandwidth_hz = cell_.bandwidth_hz[device]};
}

Terms Ledger::TermsOf(const Selection& selection, std::size_t seat) const {
  return selection.terms.empty() ? PlannedTerms(selection.devices[seat]) : selection.terms[seat];
}

// A device that has computed to answer has the model too, and only sends.
Charge Ledger::SeatOf(const Selection& selection, std::size_t seat) const {
  const std::uint32_t device = selection.devices[seat];
  const bool is_planned = selection.terms.empty();
  Charge charge{.device = device, .terms = TermsOf(selection, seat)};
  if (IsSet(has_computed_, device)) {
    charge.part = kOnlySending;
  } else if (is_planned && !selection.takes_turns && !conditions_.fades()) {
    charge.planned = conditions_.CostOfPlanned(device);
  }
  return charge;
}

// A device that cannot pay for its computation does not compute. (Q3)
void Ledger::SpendInAnyCase() {
  if (!setting_.always_j) return;
  for (std::size_t i = 0; i < setting_.always_j->size(); ++i) {
    const double always_j = (*setting_.always_j)[i];
    const bool is_able = (batteries_ == nullptr || batteries_->charge_j[i] >= always_j) &&
                         (!is_strict_ || KeepsBudget(setting_, state_, i, always_j));
    if (is_able) Spend(std::uint32_t(i), always_j);
  }
}

bool Ledger::LeaveOutPoor(Selection& selection, double report_bits) const {
  if (!is_strict_) return false;
  std::size_t kept = 0;
  for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
    Charge charge = SeatOf(selection, seat);
    charge.report_bits = report_bits;
    const double energy_j = BillOf(charge).energy_j + AlwaysSpent(setting_, charge.device);
    if (!KeepsBudget(setting_, state_, charge.device, energy_j)) continue;
    selection.devices[kept] = selection.devices[seat];
    if (!selection.terms.empty()) selection.terms[kept] = selection.terms[seat];
    if (!selection.probability.empty()) selection.probability[kept] = selection.probability[seat];
    ++kept;
  }
  const bool has_left_out = kept < selection.devices.size();
  selection.devices.resize(kept);
  if (!selection.terms.empty()) selection.terms.resize(kept);
  if (!selection.probability.empty()) selection.probability.resize(kept);
  return has_left_out;
}

ParticipationRecord Ledger::RecordOf(const Charge& charge, const Bill& bill) const {
  return {.device = charge.device,
          .power_w = charge.terms.power_w,
          .bandwidth_hz = charge.terms.bandwidth_hz,
          .cpu_share = charge.terms.cpu_share,
          .update_bits = charge.terms.update_bits.value_or(cell_.update_bits[charge.device]),
          .upload_s = bill.send_s,
          .compute_s = bill.compute_s,
          .energy_j = bill.energy_j};
}

std::vector<ParticipationRecord> Ledger::InvitationsOf(const Selection& selection,
                                                       double report_bits) const {
  std::vector<ParticipationRecord> invitations;
  for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
    Charge charge = SeatOf(selection, seat);
    charge.report_bits = report_bits;
    invitations.push_back(RecordOf(charge, BillOf(charge)));
  }
  return invitations;
}

void Ledger::Measure(const Arrival& arrival, Bill& bill) {
  bill.compute_s = arrival.compute_s.value_or(bill.compute_s);
  bill.send_s = arrival.upload_s.value_or(bill.send_s);
  bill.energy_j = arrival.energy_j.value_or(bill.energy_j);
}

void Ledger::Book(const Selection& selection, double empty_s, double report_bits,
                  const Gathering* gathered) {
  if (gathered != nullptr) lost_ = &state_.parts.Get<LostUpdates>(setting_.fleet.devices);
  // This comes first, since a device that cannot pay for it cannot upload either.
  SpendInAnyCase();
  BookDownload(selection.devices);
  double round_s = selection.devices.empty() ? empty_s : 0;
  for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
    Charge charge = SeatOf(selection, seat);
    charge.report_bits = report_bits;
    Bill bill = BillOf(charge);
    bool has_arrived;
    if (gathered != nullptr) {
      has_arrived = gathered->arrivals[seat].has_arrived;
      Measure(gathered->arrivals[seat], bill);
    } else {
      has_arrived = Send(charge, bill);
    }
    if (has_arrived) {
      arrived_.push_back(seat);
    } else {
      ++lost_->count[charge.device];
    }
    participations_.push_back(RecordOf(charge, bill));
    participations_.back().energy_j = Spend(charge.device, bill.energy_j);
    participations_.back().has_arrived = has_arrived;
    const double duration_s = bill.compute_s + bill.send_s;
    durations_s_.push_back(duration_s);
    round_s = selection.takes_turns ? std::max(round_s, bill.compute_s) + bill.send_s  // (67)
                                    : std::max(round_s, duration_s);
    ++state_.participations[charge.device];
  }
  if (gathered != nullptr) round_s = std::max(round_s, gathered->waited_s);
  state_.time_s += selection.before_s + round_s;
  Harvest();
}

// Batteries are charged for as long as the round took. (Q4)
void Ledger::Harvest() {
  if (batteries_ == nullptr) return;
  const double elapsed_s = state_.time_s - round_start_s_;
  const DeviceBatteries& batteries = *setting_.fleet.batteries;
  for (std::size_t i = 0; i < batteries_->charge_j.size(); ++i) {
    double& charge_j = batteries_->charge_j[i];
    charge_j = std::min(charge_j + batteries.harvest_w[i] * elapsed_s, batteries.capacity_j[i]);
  }
}

std::optional<double> Ledger::MeanDuration() const {
  if (durations_s_.empty()) return std::nullopt;
  double sum_s = 0;
  for (const double duration_s : durations_s_) sum_s += duration_s;
  return sum_s / double(durations_s_.size());
}

}  // namespace simulation
}  // namespace airlot
