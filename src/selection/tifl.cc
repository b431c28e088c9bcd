// In TiFL (Chai et al., 2020), devices of like speed form a tier, and those of one tier take part
// in a round; tiers of low accuracy are drawn more often. (S27), (S28)
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "airlot/strategy_parts.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

// The strategy's memory holds this State.
struct State {
  double& round;    // the round in which the current tier was drawn
  double& current;  // the current tier
  // These tell of each tier; the accuracy is the one last told.
  std::span<double> probability, credits, accuracy;
  std::span<double> trial_s;  // the time of each device's trial
};
constexpr std::size_t kNumbers = 2, kColumns = 3;
constexpr double kNoTrial = -1;         // stands for the time of a trial that has not been
constexpr double kUnknownAccuracy = 1;  // A tier that nobody has told of is not drawn more often.

State StateOf(std::vector<double>& memory, std::size_t tiers) {
  const auto column = [&](std::size_t i) {
    return std::span(memory).subspan(kNumbers + i * tiers, tiers);
  };
  return {memory[0], memory[1], column(0),
          column(1), column(2), std::span(memory).subspan(kNumbers + kColumns * tiers)};
}

class Tifl : public Strategy {
 public:
  explicit Tifl(const OptionValues& options)
      : most_tiers_(std::size_t(options["tiers"])),
        devices_(std::size_t(options["devices"])),
        interval_(std::uint64_t(options["interval"])),
        credits_(options["credits"]),
        tested_(std::size_t(options["tested"])),
        dropout_s_(options["dropout_s"]) {}

  // The tier of a round is drawn once; a round that is drawn again has other devices of the same
  // tier.
  void Select(const SelectionView& view, Selection& selection) override {
    const bool is_new_plan = able_.Update(view);
    if (able_.devices().empty()) return;
    State state = Recall(view);
    const bool is_new_round = state.round != double(view.round);
    const bool has_news = is_new_round && Profile(view, state);
    if (is_new_plan || has_news) FormTiers(view, state);
    if (tiers_.empty()) return;
    if (is_new_round) {
      if ((view.round - 1) % interval_ == 0) Adapt(view, state);
      DrawTier(view, state);
    }
    const std::size_t current = std::min(std::size_t(state.current), tiers_.size() - 1);
    selection.devices = DrawEvenly(view, 1, tiers_[current], devices_);
    ShareBandEqually(view, selection);
  }

 private:
  State Recall(const SelectionView& view) const {
    std::vector<double>& memory = *view.memory;
    if (memory.empty()) {
      memory.assign(kNumbers + kColumns * most_tiers_ + view.probability.size(), 0.0);
      const State state = StateOf(memory, most_tiers_);
      std::ranges::fill(state.probability, 1 / double(most_tiers_));
      const double even = std::ceil(double(view.rounds) / double(TiersOf(able_.devices().size())));
      std::ranges::fill(state.credits, credits_ > 0 ? credits_ : even);
      std::ranges::fill(state.accuracy, kUnknownAccuracy);
      std::ranges::fill(state.trial_s, kNoTrial);
    }
    return StateOf(memory, most_tiers_);
  }

  std::size_t TiersOf(std::size_t devices) const { return std::min(most_tiers_, devices); }

  // Seats returns how many of so many devices take part in a round, of a tier of usual size.
  std::size_t Seats(std::size_t devices) const {
    return std::min(devices_, (devices + TiersOf(devices) - 1) / TiersOf(devices));
  }

  // Every device takes part once on trial, in the first round in which it can, as many at a time as
  // in a round. Who does not answer is asked again in the next round. Returns whether somebody has
  // answered.
  bool Profile(const SelectionView& view, State& state) const {
    std::vector<std::uint32_t> unknown;
    for (const std::uint32_t device : able_.devices()) {
      if (state.trial_s[device] == kNoTrial) unknown.push_back(device);
    }
    const std::size_t seats = Seats(able_.devices().size());
    bool has_answer = false;
    for (std::size_t first = 0; first < unknown.size(); first += seats) {
      const auto group = std::span<const std::uint32_t>(unknown).subspan(
          first, std::min(seats, unknown.size() - first));
      std::vector<Terms> terms;
      for (const std::uint32_t device : group) {
        terms.push_back(InSubchannel(*view.cell, device, seats));
      }
      std::vector<double> durations_s(group.size());
      view.probe->Ask(AskTrial{terms}, group, durations_s);
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (std::isnan(durations_s[i])) continue;
        state.trial_s[group[i]] = durations_s[i];
        has_answer = true;
      }
    }
    return has_answer;
  }

  // FormTiers forms tiers by latency, all of a size or one device larger, and no more tiers than
  // devices, of those whose trial ended in time. (S27)
  void FormTiers(const SelectionView& view, const State& state) {
    std::vector<std::uint32_t> members;
    for (const std::uint32_t device : able_.devices()) {
      const double trial_s = state.trial_s[device];
      const bool is_late = dropout_s_ > 0 && trial_s >= dropout_s_;
      if (trial_s != kNoTrial && !is_late) members.push_back(device);
    }
    const std::size_t count = members.size();
    tiers_.assign(TiersOf(count), {});
    std::vector<std::pair<double, std::uint32_t>> by_latency;
    for (const std::uint32_t device : members) {
      const Terms terms = InSubchannel(*view.cell, device, Seats(count));
      const ParticipationCost cost = CostOf(*view.cell, device, terms);
      by_latency.emplace_back(cost.compute_s + cost.upload_s, device);
    }
    std::ranges::sort(by_latency);
    for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
      const std::size_t end = (tier + 1) * count / tiers_.size();
      for (std::size_t i = tier * count / tiers_.size(); i < end; ++i) {
        tiers_[tier].push_back(by_latency[i].second);
      }
      std::ranges::sort(tiers_[tier]);
    }
  }

  // Adapt finds new probabilities where the last tier's accuracy has not become better.
  void Adapt(const SelectionView& view, State& state) const {
    const auto last = std::size_t(state.current);
    const double before = state.accuracy[last];
    AskAccuracies(view, state);
    if (view.round > interval_ && state.accuracy[last] <= before) ChangeProbabilities(state);
  }

  // AskAccuracies asks all tiers at once, so that the model is sent only once. A tier's accuracy is
  // the mean over those who answer; where nobody does, the last one stays.
  void AskAccuracies(const SelectionView& view, State& state) const {
    std::vector<std::uint32_t> asked;
    std::vector<std::size_t> end;
    for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
      std::ranges::copy(DrawEvenly(view, 2 + tier, tiers_[tier], tested_),
                        std::back_inserter(asked));
      end.push_back(asked.size());
    }
    std::vector<double> answers(asked.size());
    view.probe->Ask(AskAccuracy{}, asked, answers);
    std::size_t begin = 0;
    for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
      double sum = 0, told = 0;
      for (std::size_t i = begin; i < end[tier]; ++i) {
        if (std::isnan(answers[i])) continue;
        sum += answers[i];
        ++told;
      }
      if (told > 0) state.accuracy[tier] = sum / told;
      begin = end[tier];
    }
  }

  // The lower the accuracy among the tiers with credits, the larger the probability. (S28)
  void ChangeProbabilities(State& state) const {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
      if (state.credits[tier] > 0) order.emplace_back(state.accuracy[tier], tier);
    }
    std::ranges::sort(order);
    std::ranges::fill(state.probability, 0.0);
    const auto count = double(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      state.probability[order[i].second] = (count - double(i)) / (count * (count + 1) / 2);
    }
  }

  // DrawTier draws among the tiers with credits, and among all tiers where all credits are used up.
  void DrawTier(const SelectionView& view, State& state) const {
    std::vector<double> weight(tiers_.size());
    for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
      weight[tier] = state.credits[tier] > 0 ? state.probability[tier] : 0;
    }
    RandomStream stream = StreamOf(view, 0);
    const std::size_t tier = DrawByWeight(weight, 1, stream).front();
    state.round = double(view.round);
    state.current = double(tier);
    --state.credits[tier];
  }

  static std::vector<std::uint32_t> DrawEvenly(const SelectionView& view,
                                               std::uint64_t stream_index,
                                               const std::vector<std::uint32_t>& devices,
                                               std::size_t count) {
    RandomStream stream = StreamOf(view, stream_index);
    std::vector<std::uint32_t> drawn =
        DrawByWeight(std::vector<double>(devices.size(), 1.0), count, stream);
    for (std::uint32_t& position : drawn) position = devices[position];
    return drawn;
  }

  std::size_t most_tiers_, devices_;
  std::uint64_t interval_;
  double credits_;
  std::size_t tested_;
  double dropout_s_;
  AbleDevices able_;
  std::vector<std::vector<std::uint32_t>> tiers_;  // the fastest first, each in rising order
};

}  // namespace

StrategyEntry TiflEntry() {
  return {
      "tifl",
      "Devices of one tier, all of like speed, take part, and tiers of low accuracy more often "
      "(TiFL).",
      {{.name = "tiers",
        .value = 5,
        .low = 1,
        .high = 1e6,
        .is_whole = true,
        .summary = "The strategy forms this many tiers."},
       DevicesOption(10, "The strategy takes this many devices of one tier."),
       CountOption("interval", 20, "The tiers' accuracies are asked for once in this many rounds."),
       {.name = "credits",
        .value = 0,
        .low = 0,
        .high = 1e9,
        .is_whole = true,
        .summary = "A tier may be drawn in this many rounds; 0 divides all rounds evenly."},
       CountOption("tested", 100,
                   "This many devices of each tier tell their accuracy, drawn anew each time."),
       {.name = "dropout_s",
        .value = 0,
        .low = 0,
        .high = 1e9,
        .summary = "Unless 0, a device whose trial takes this many s or more is in no tier."}},
      ConstructStrategy<Tifl>};
}

}  // namespace airlot::selection
