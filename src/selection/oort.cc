// In Oort (Lai et al., OSDI 2021), as the authors' FedScale does it, some devices are drawn among
// those known to be useful, the others among those not yet known. A device is useful by the losses
// of its samples, and less so where the others would wait for it. (S23) to (S26)
#include <algorithm>
#include <cmath>
#include <limits>

#include "airlot/strategy_parts.h"
#include "base/ranking.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

// The strategy's memory holds this State.
struct State {
  double& paced_round;       // the round for which the pacer has been called
  double& threshold;         // the percentile of the durations that are not penalised
  double& utility;           // sum over those exploited since the pacer last compared
  double& previous_utility;  // that sum in the pacer's step before
  // These tell of each device's last update, and how often it has sent one.
  std::span<double> rms_loss, round, duration_s, count;
};
constexpr std::size_t kNumbers = 4, kColumns = 4;

State StateOf(std::vector<double>& memory) {
  const std::size_t devices = (memory.size() - kNumbers) / kColumns;
  const auto column = [&](std::size_t i) {
    return std::span(memory).subspan(kNumbers + i * devices, devices);
  };
  return {memory[0], memory[1], memory[2], memory[3], column(0), column(1), column(2), column(3)};
}

class Oort : public Strategy {
 public:
  explicit Oort(const OptionValues& options)
      : devices_(std::size_t(options["devices"])),
        exploration_(options["exploration"]),
        exploration_decay_(options["exploration_decay"]),
        exploration_least_(options["exploration_least"]),
        round_threshold_(options["round_threshold"]),
        round_penalty_(options["round_penalty"]),
        clip_(options["clip"]),
        cut_off_(options["cut_off"]),
        pacer_step_(std::uint64_t(options["pacer_step"])),
        pacer_delta_(options["pacer_delta"]),
        sample_window_(options["sample_window"]),
        blacklist_rounds_(options["blacklist_rounds"]),
        blacklist_share_(options["blacklist_share"]) {}

  void Select(const SelectionView& view, Selection& selection) override {
    State state = Recall(view);
    Pace(view, state);
    if (able_.Update(view)) EstimateDurations(view);
    if (able_.devices().empty()) return;
    std::vector<Arm> arms = ArmsOf(view, state);
    const double preferred_s = PreferredDuration(state, arms);
    DropOverused(view, arms);
    std::vector<Arm> explored, unexplored;
    Score(view, preferred_s, arms, explored, unexplored);

    // Where one kind has too few devices, the other replaces them.
    const auto to_explore = std::size_t(double(devices_) * Exploration(view.round));
    const std::size_t exploited = std::min(devices_ - to_explore, explored.size());
    const std::size_t exploring = std::min(devices_ - exploited, unexplored.size());
    DrawExplored(view, explored, std::min(devices_ - exploring, explored.size()), selection);
    DrawUnexplored(view, unexplored, exploring, selection);
    std::ranges::sort(selection.devices);
    ShareBandEqually(view, selection);
  }

  bool Learns() const override { return true; }
  void Learn(const RoundOutcome& outcome, std::vector<double>& memory) override {
    State state = StateOf(memory);
    for (std::size_t i = 0; i < outcome.devices.size(); ++i) {
      const std::uint32_t device = outcome.devices[i];
      const double rms_loss = std::sqrt(outcome.mean_square_loss[i]);
      // A loss is so large, or no number at all, only if the model has diverged.
      state.rms_loss[device] = rms_loss < kLargestLoss ? rms_loss : kLargestLoss;
      state.round[device] = double(outcome.round);
      state.duration_s[device] = outcome.duration_s[i];
      ++state.count[device];
    }
  }

 private:
  static constexpr double kLargestLoss = 1e30;

  struct Arm {
    std::uint32_t device;
    double reward;  // |B| times the root mean squared loss, or |B| where that is not known (S23)
    double duration_s;
    double round;  // the round of its last update
    double count;
    double score = 0;
  };

  static double SamplesOf(const SelectionView& view, std::size_t device) {
    return view.data_share[device] * double(view.data_share.size());  // in units of the mean
  }

  State Recall(const SelectionView& view) const {
    std::vector<double>& memory = *view.memory;
    if (memory.empty()) {
      memory.assign(kNumbers + kColumns * view.probability.size(), 0.0);
      const State state = StateOf(memory);
      state.threshold = round_threshold_;
      std::ranges::fill(state.rms_loss, 1.0);
    }
    return StateOf(memory);
  }

  // Pace works once a round: where the utility of those exploited has hardly changed, slower
  // devices are admitted; where it has changed much, fewer of them. (S26)
  void Pace(const SelectionView& view, State& state) const {
    if (state.paced_round == double(view.round)) return;
    state.paced_round = double(view.round);
    state.utility += LastUtility(view, state);
    if (view.round % pacer_step_ != 0) return;
    const double change = std::abs(state.utility - state.previous_utility);
    if (view.round >= 2 * pacer_step_) {
      if (change <= 0.1 * state.previous_utility) {
        state.threshold = std::min(100.0, state.threshold + pacer_delta_);
      } else if (change >= 5 * state.previous_utility) {
        state.threshold = std::max(pacer_delta_, state.threshold - pacer_delta_);
      }
    }
    state.previous_utility = state.utility;
    state.utility = 0;
  }

  // LastUtility returns the mean reward of those that sent an update in the last round, and had
  // sent one before.
  static double LastUtility(const SelectionView& view, const State& state) {
    double sum = 0, exploited = 0;
    for (std::size_t i = 0; i < state.count.size(); ++i) {
      if (state.count[i] < 2 || state.round[i] + 1 != double(view.round)) continue;
      sum += SamplesOf(view, i) * state.rms_loss[i];
      ++exploited;
    }
    return exploited > 0 ? sum / exploited : 0;
  }

  // EstimateDurations finds the duration that is expected of a device before it has taken part.
  void EstimateDurations(const SelectionView& view) {
    expected_s_.clear();
    const std::size_t sharing = std::min(devices_, able_.devices().size());
    for (const std::uint32_t device : able_.devices()) {
      const ParticipationCost cost =
          CostOf(*view.cell, device, InSubchannel(*view.cell, device, sharing));
      expected_s_.push_back(cost.compute_s + cost.upload_s);
    }
  }

  std::vector<Arm> ArmsOf(const SelectionView& view, const State& state) const {
    std::vector<Arm> arms(able_.devices().size());
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const std::uint32_t device = able_.devices()[i];
      const double count = state.count[device];
      arms[i] = {.device = device,
                 .reward = SamplesOf(view, device) * state.rms_loss[device],
                 .duration_s = count > 0 ? state.duration_s[device] : expected_s_[i],
                 .round = state.round[device],
                 .count = count};
    }
    return arms;
  }

  // PreferredDuration returns T of (S24).
  static double PreferredDuration(const State& state, const std::vector<Arm>& arms) {
    if (state.threshold >= 100) return std::numeric_limits<double>::infinity();
    std::vector<double> durations_s(arms.size());
    for (std::size_t i = 0; i < arms.size(); ++i) durations_s[i] = arms[i].duration_s;
    return NumberAtFraction(std::move(durations_s), state.threshold / 100);
  }
  static double NumberAtFraction(std::vector<double> numbers, double fraction) {
    const auto rank = std::size_t(double(numbers.size()) * fraction);
    const std::size_t last = numbers.size() - 1;
    return base::NumberAtRank(std::move(numbers), std::min(rank, last));
  }

  // DropOverused leaves out those that have sent too many updates, those with the most first, but
  // not too many devices.
  void DropOverused(const SelectionView& view, std::vector<Arm>& arms) const {
    if (blacklist_rounds_ == 0) return;
    std::vector<double> count(arms.size());
    std::size_t overused = 0;
    for (std::size_t i = 0; i < arms.size(); ++i) {
      count[i] = arms[i].count;
      if (count[i] > blacklist_rounds_) ++overused;
    }
    const auto most = std::size_t(blacklist_share_ * double(view.probability.size()));
    const std::vector<std::uint32_t> dropped =
        base::PositionsOfLargest(count, std::min(overused, most));
    for (const std::uint32_t position : dropped) arms[position].count = -1;
    std::erase_if(arms, [](const Arm& arm) { return arm.count < 0; });
  }

  // Score divides the devices and scores them: the unexplored by their samples, the others by (S23)
  // with all rewards brought to one scale, and both less where they are slow (S24).
  void Score(const SelectionView& view, double preferred_s, const std::vector<Arm>& arms,
             std::vector<Arm>& explored, std::vector<Arm>& unexplored) const {
    const Scale scale = ScaleOf(arms);
    const double log_round = std::log(double(view.round));
    for (Arm arm : arms) {
      if (arm.count == 0) {
        arm.score = arm.reward;
      } else {
        const double scaled = (std::min(arm.reward, scale.clip) - scale.low) / scale.range;
        arm.score = std::abs(scaled + std::sqrt(0.1 * log_round / arm.round));
      }
      if (arm.duration_s > preferred_s) {
        arm.score *= std::pow(preferred_s / arm.duration_s, round_penalty_);
      }
      (arm.count == 0 ? unexplored : explored).push_back(arm);
    }
  }
  struct Scale {
    double low = 0, range = 1, clip = 0;
  };
  Scale ScaleOf(const std::vector<Arm>& arms) const {
    std::vector<double> rewards;
    for (const Arm& arm : arms) {
      if (arm.reward > 0) rewards.push_back(arm.reward);
    }
    if (rewards.empty()) return {};
    const auto [least, largest] = std::ranges::minmax(rewards);
    const double low = 0.999 * least;
    return {low, std::max(largest - low, 1e-4), NumberAtFraction(std::move(rewards), clip_)};
  }

  // Exploration returns how large a part explores. The source multiplies by the decay in each
  // round.
  double Exploration(std::uint64_t round) const {
    return std::max(exploration_ * std::pow(exploration_decay_, double(round)), exploration_least_);
  }

  // DrawExplored draws by score among those that are not far worse than who would just be taken.
  // (S25)
  void DrawExplored(const SelectionView& view, const std::vector<Arm>& explored, std::size_t count,
                    Selection& selection) const {
    if (count == 0) return;
    const std::vector<double> score = ScoresOf(explored);
    const std::size_t size = score.size();
    const std::size_t next = size - 1 - std::min(count, size - 1);
    const double least = cut_off_ * base::NumberAtRank(score, next);
    const auto good =
        std::size_t(std::ranges::count_if(score, [&](double value) { return value >= least; }));
    Draw(view, 0, explored, score, std::max(good, 10 * count + 1), count, selection);
  }

  // DrawUnexplored draws by samples among the few that have the most. (S25)
  void DrawUnexplored(const SelectionView& view, const std::vector<Arm>& unexplored,
                      std::size_t count, Selection& selection) const {
    if (count == 0) return;
    const auto best = std::size_t(sample_window_ * double(count));
    Draw(view, 1, unexplored, ScoresOf(unexplored), best, count, selection);
  }

  static std::vector<double> ScoresOf(const std::vector<Arm>& arms) {
    std::vector<double> score(arms.size());
    for (std::size_t i = 0; i < arms.size(); ++i) score[i] = arms[i].score;
    return score;
  }
  // Draw draws `count` of the `best` by score.
  static void Draw(const SelectionView& view, std::uint64_t stream_index,
                   const std::vector<Arm>& arms, std::span<const double> score, std::size_t best,
                   std::size_t count, Selection& selection) {
    const std::vector<std::uint32_t> positions = base::PositionsOfLargest(score, best);
    std::vector<double> weight;
    weight.reserve(positions.size());
    for (const std::uint32_t position : positions) weight.push_back(score[position]);
    RandomStream stream = StreamOf(view, stream_index);
    for (const std::uint32_t drawn : DrawByWeight(weight, count, stream)) {
      selection.devices.push_back(arms[positions[drawn]].device);
    }
  }

  std::size_t devices_;
  double exploration_, exploration_decay_, exploration_least_;
  double round_threshold_, round_penalty_;
  double clip_, cut_off_;
  std::uint64_t pacer_step_;
  double pacer_delta_;
  double sample_window_;
  double blacklist_rounds_, blacklist_share_;
  AbleDevices able_;
  std::vector<double> expected_s_;  // durations expected of able_
};

}  // namespace

StrategyEntry OortEntry() {
  return {
      "oort",
      "Devices of large losses that are not slow take part, and some that are not yet "
      "known (Oort).",
      {DevicesOption(10),
       ShareOption("exploration", 0.9,
                   "At the start, this part of the devices that it takes has not yet taken part."),
       ShareOption("exploration_decay", 0.98,
                   "The part that explores is multiplied by this in each round."),
       ShareOption("exploration_least", 0.3,
                   "The part that explores falls no further than to this."),
       {.name = "round_threshold",
        .value = 30,
        .low = 0,
        .high = 100,
        .summary = "A device counts as slow above this percentile of the devices' durations."},
       {.name = "round_penalty",
        .value = 2,
        .low = 0,
        .high = 100,
        .summary = "Slow devices count less by this exponent."},
       ShareOption("clip", 0.9, "Utilities above this quantile of them are cut to it."),
       ShareOption("cut_off", 0.05,
                   "To be drawn, a device must have this part of the score of the next best."),
       CountOption("pacer_step", 20, "The threshold may change after this many rounds."),
       {.name = "pacer_delta",
        .value = 5,
        .low = 0,
        .high = 100,
        .summary = "The threshold changes by this."},
       {.name = "sample_window",
        .value = 5,
        .low = 1,
        .high = 1e6,
        .summary =
            "New devices are drawn from this many times as many, those with the most samples."},
       {.name = "blacklist_rounds",
        .value = 0,
        .low = 0,
        .high = 1e9,
        .is_whole = true,
        .summary = "Unless 0, a device that has taken part in more rounds does so no longer."},
       ShareOption("blacklist_share", 0.3,
                   "This part of the devices may be left out because they took part too often.")},
      ConstructStrategy<Oort>};
}

}  // namespace airlot::selection
