// These plans weigh the time of a round: they maximise Σ w·a - λ·E[max T] under the constraints of
// (8).
//
// Given the others, a device that takes part with probability a for the time T adds a·H(T) to
// E[max T], (E12). On the curve of its largest probabilities m(T), (E13), its share
// m(T)·(w - λ·H(T)) of the objective is quasi-concave in T, so bisection finds its best reply.
// Replies in turn never lower the objective, nor do moves of devices that take equally long; but
// they end in a local optimum. They start from several plans, and the best end is taken. A large
// fleet keeps the best of the cut-offs, (E15).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "airlot/planning.h"
#include "base/check.h"
#include "base/shards.h"
#include "planning/device.h"
#include "planning/round_time.h"
#include "planning/shape.h"

namespace airlot {
namespace {

using planning::AddedTime;
using planning::Device;

// A pass of replies takes the square of the fleet's size: beyond this size, seconds in all.
constexpr std::size_t kMostReplying = 1000;
constexpr int kMostPasses = 100;
constexpr int kMostRounds = 20;       // rounds of replies and of moves together
constexpr double kLeastGain = 1e-11;  // relative gain: less is not worth another pass
constexpr double kEquallyLong = 1 + 1e-9;
constexpr double kFarthestMove = 1.5;  // largest factor by which the time of a group moves
constexpr int kMoveSteps = 40;
constexpr std::size_t kCutOffs = 64;          // cut-offs tried first, evenly in their logarithms
constexpr int kRefinements = 24;              // steps of the golden section around the best of them
constexpr std::size_t kMostCutOffStarts = 3;  // the best of those that beat their neighbours

// A Choice is how a device takes part: with which probability, and for how long, its computation
// included.
using Choice = planning::Draw;
using Choices = std::vector<Choice>;

// Curves are what each device can choose.
class Curves {
 public:
  Curves(const PlanningProblem& problem, const PlanningOptions& options)
      : problem_(problem),
        threads_(options.threads),
        plain_(Solve(problem, options)),
        quickest_s_(problem.devices, 0),
        slowest_s_(problem.devices, 0),
        most_nats_(problem.devices, 0),
        least_nats_(problem.devices, 0) {
    base::ForEachShard(size(), threads_, [&](const base::Shard& shard) {
      for (std::size_t i = shard.begin; i < shard.end; ++i) SetRange(i);
    });
  }

  std::size_t size() const { return problem_.devices; }
  const Plan& plain() const { return plain_; }
  bool CanTakePart(std::size_t i) const { return plain_.probability[i] > 0; }
  // These are the times between which a choice makes sense: at the largest u, and as in the plain
  // plan.
  double quickest_s(std::size_t i) const { return quickest_s_[i]; }
  double slowest_s(std::size_t i) const { return slowest_s_[i]; }

  // Returns the best that a device can do within `cut_off_s`, (E15).
  Choice CutOff(std::size_t i, double cut_off_s) const {
    if (!CanTakePart(i) || quickest_s_[i] > cut_off_s) return {};
    return ChoiceAt(i, std::min(slowest_s_[i], cut_off_s));
  }
  Choices CutOff(double cut_off_s) const {
    Choices choices(size());
    base::ForEachShard(size(), threads_, [&](const base::Shard& shard) {
      for (std::size_t i = shard.begin; i < shard.end; ++i) choices[i] = CutOff(i, cut_off_s);
    });
    return choices;
  }

  // Returns (T, m(T)) of (E13) for a T within the range; time does not bind before the plain plan's
  // T.
  Choice ChoiceAt(std::size_t i, double time_s) const {
    if (time_s >= slowest_s_[i]) return {slowest_s_[i], plain_.probability[i]};
    const Device device = planning::DeviceAt(problem_, i);
    const double u = NatsAt(device, i, time_s);
    const double energy_j = planning::UploadEnergyAt(device, u) + device.compute_energy_j;
    return {time_s, std::min(plain_.probability[i], device.energy_budget_j / energy_j)};
  }

  // Returns the u with which a device takes the time T in all. Where it computes far longer than it
  // sends, T - T^c has few digits or none: the u is then some other that the device can have.
  // Probability and power come from the same u, so together they keep every constraint.
  double NatsAt(const Device& device, std::size_t i, double time_s) const {
    if (time_s <= quickest_s_[i]) return most_nats_[i];
    const double u = device.nat_time_s / (time_s - device.compute_time_s);
    return std::clamp(u, least_nats_[i], most_nats_[i]);
  }

  Plan PlanFrom(const Choices& choices) const {
    Plan plan{ColumnValues(size()), ColumnValues(size()), plain_.unfinished};
    for (std::size_t i = 0; i < size(); ++i) {
      plan.probability[i] = choices[i].probability;
      plan.power_w[i] = choices[i].probability > 0 ? PowerAt(i, choices[i].time_s) : 0;
    }
    return plan;
  }

 private:
  void SetRange(std::size_t i) {
    if (!CanTakePart(i)) return;
    const Device device = planning::DeviceAt(problem_, i);
    slowest_s_[i] = planning::UploadTime(device, plain_.power_w[i]) + device.compute_time_s;
    most_nats_[i] = planning::MaxNats(device);
    least_nats_[i] = std::min(planning::NatsOf(device, plain_.power_w[i]), most_nats_[i]);
    const double quickest_s = device.nat_time_s / most_nats_[i] + device.compute_time_s;
    quickest_s_[i] = std::min(quickest_s, slowest_s_[i]);
  }

  double PowerAt(std::size_t i, double time_s) const {
    if (time_s >= slowest_s_[i]) return plain_.power_w[i];
    const Device device = planning::DeviceAt(problem_, i);
    return std::min(planning::PowerOf(device, NatsAt(device, i, time_s)), device.max_power_w);
  }

  const PlanningProblem& problem_;
  const int threads_;
  const Plan plain_;
  ColumnValues quickest_s_, slowest_s_;
  ColumnValues most_nats_, least_nats_;  // the largest u, and that of the plain plan
};

// The Objective is what is maximised, (E11).
struct Objective {
  const ColumnView& weight;  // w
  double time_weight;        // λ

  double operator()(const Choices& choices) const {
    double sum = 0;
    for (std::size_t i = 0; i < choices.size(); ++i) sum += weight[i] * choices[i].probability;
    Choices draws = choices;
    return sum - time_weight * planning::ExpectedMaximum(draws);
  }
};

// A TimeValue is a time and the objective that it leads to.
struct TimeValue {
  double time_s, objective;
};

// Returns the best that the golden section meets between two times, in logarithms, which is not
// worse than `best`.
template <class Value>
TimeValue GoldenSection(TimeValue best, double from_s, double to_s, int steps, const Value& value) {
  constexpr double kGolden = 0.6180339887498949;
  double from = std::log(from_s), to = std::log(to_s);
  const auto at = [&](double log_s) {
    const TimeValue met{std::exp(log_s), value(std::exp(log_s))};
    if (met.objective > best.objective) best = met;
    return met;
  };
  TimeValue left = at(to - kGolden * (to - from)), right = at(from + kGolden * (to - from));
  for (int k = 0; k < steps; ++k) {
    if (left.objective > right.objective) {
      to = std::log(right.time_s);
      right = left;
      left = at(to - kGolden * (to - from));
    } else {
      from = std::log(left.time_s);
      left = right;
      right = at(from + kGolden * (to - from));
    }
  }
  return best;
}

// Returns the best of the cut-offs from the quickest possible time to the slowest planned one and,
// after it, others that are better than their neighbours; there are none where nobody can take
// part.
std::vector<TimeValue> TryCutOffs(const Curves& curves, const Objective& objective) {
  double low = INFINITY, high = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!curves.CanTakePart(i)) continue;
    low = std::min(low, curves.quickest_s(i));
    high = std::max(high, curves.slowest_s(i));
  }
  if (high == 0) return {};
  const auto value = [&](double cut_off_s) { return objective(curves.CutOff(cut_off_s)); };
  const double step = std::pow(high / low, 1.0 / (kCutOffs - 1));
  std::vector<TimeValue> tried;
  for (std::size_t k = 0; k < kCutOffs; ++k) {
    const double cut_off_s = k + 1 < kCutOffs ? low * std::pow(step, static_cast<double>(k)) : high;
    tried.push_back({cut_off_s, value(cut_off_s)});
  }
  std::vector<TimeValue> best;
  for (std::size_t k = 0; k < kCutOffs; ++k) {
    const bool beats_left = k == 0 || tried[k].objective > tried[k - 1].objective;
    const bool beats_right = k + 1 == kCutOffs || tried[k].objective >= tried[k + 1].objective;
    if (beats_left && beats_right) best.push_back(tried[k]);
  }
  std::ranges::stable_sort(best, std::greater(), &TimeValue::objective);
  best.resize(std::min(best.size(), kMostCutOffStarts));
  const double around_s = best[0].time_s;
  best[0] = GoldenSection(best[0], around_s / step, around_s * step, kRefinements, value);
  return best;
}

// Says whether a device's share m(T)·(w - λ·H(T)) of the objective still rises at T, (E14), where
// it sends u nats per second and hertz.
bool IsRising(const Device& device, double u, double weight, double time_weight,
              const AddedTime& added, double time_s) {
  const double energy_j = planning::UploadEnergyAt(device, u) + device.compute_energy_j;
  if (energy_j <= device.energy_budget_j) return false;  // m(T) = 1: longer only costs time
  const AddedTime::Value value = added.At(time_s);
  const double worth = weight - time_weight * value.added_s;
  const double saved_w = device.noise_to_gain_w * planning::EnergySlope(u) - device.circuit_power_w;
  return worth > 0 && worth * saved_w > time_weight * value.nobody_slower * energy_j;
}

// Returns the best choice of a device, given what its time adds.
Choice BestReply(const PlanningProblem& problem, const Curves& curves, const Objective& objective,
                 const AddedTime& added, std::size_t i) {
  const double weight = objective.weight[i], time_weight = objective.time_weight;
  double low = curves.quickest_s(i), high = curves.slowest_s(i);
  if (weight <= time_weight * added.At(low).added_s) return {};
  const Device device = planning::DeviceAt(problem, i);
  const auto is_rising = [&](double time_s) {
    return IsRising(device, curves.NatsAt(device, i, time_s), weight, time_weight, added, time_s);
  };
  if (low >= high || is_rising(high)) return curves.ChoiceAt(i, high);
  if (!is_rising(low)) return curves.ChoiceAt(i, low);
  while (high - low > 1e-14 * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (is_rising(middle) ? low : high) = middle;
  }
  return curves.ChoiceAt(i, low);
}

// Lets every device make its best reply in turn, the quickest first, until a pass gains nothing any
// more.
void ReplyInTurn(const PlanningProblem& problem, const Curves& curves, const Objective& objective,
                 Choices& choices) {
  std::vector<std::uint32_t> turns;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (curves.CanTakePart(i)) turns.push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::stable_sort(turns, {}, [&](std::uint32_t i) { return curves.quickest_s(i); });
  // The choices are sorted by rising time. The device whose turn it is is taken out, and put back
  // where it then belongs.
  Choices sorted = choices;
  std::erase_if(sorted, [](const Choice& choice) { return choice.probability == 0; });
  std::ranges::sort(sorted, {}, &Choice::time_s);
  AddedTime added;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    double gained = 0;
    for (const std::uint32_t i : turns) {
      Choice& choice = choices[i];
      if (choice.probability > 0) {
        auto own = std::ranges::lower_bound(sorted, choice.time_s, {}, &Choice::time_s);
        while (own->probability != choice.probability) ++own;
        sorted.erase(own);
      }
      added.Set(sorted);
      const auto share = [&](const Choice& one) {
        return one.probability *
               (objective.weight[i] - objective.time_weight * added.At(one.time_s).added_s);
      };
      const Choice reply = BestReply(problem, curves, objective, added, i);
      const double gain = share(reply) - share(choice);
      if (gain > 0) {
        gained += gain;
        choice = reply;
      }
      if (choice.probability > 0) {
        sorted.insert(std::ranges::upper_bound(sorted, choice.time_s, {}, &Choice::time_s), choice);
      }
    }
    if (!(gained > kLeastGain * std::abs(objective(choices)))) break;
  }
}

// Devices that take equally long hold each other: the round gets no shorter if one of them alone
// gets quicker. Moves each such group together; returns whether anything was gained.
bool MoveTogether(const Curves& curves, const Objective& objective, Choices& choices) {
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].probability > 0) order.push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return choices[i].time_s; });
  const double before = objective(choices);
  double reached = before;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const double time_s = choices[order[begin]].time_s;
    while (end < order.size() && choices[order[end]].time_s <= time_s * kEquallyLong) ++end;
    if (end - begin < 2) continue;
    const auto moved = [&](double to_s) {
      Choices other = choices;
      for (const std::uint32_t i : std::span(order).subspan(begin, end - begin)) {
        other[i] = curves.ChoiceAt(i, std::clamp(to_s, curves.quickest_s(i), curves.slowest_s(i)));
      }
      return other;
    };
    const TimeValue best =
        GoldenSection({time_s, reached}, time_s / kFarthestMove, time_s * kFarthestMove, kMoveSteps,
                      [&](double to_s) { return objective(moved(to_s)); });
    if (best.objective <= reached) continue;
    choices = moved(best.time_s);
    reached = best.objective;
  }
  return reached - before > kLeastGain * std::abs(reached);
}

}  // namespace

Plan SolveTimeAware(const PlanningProblem& problem, const ColumnView& weight, double time_weight,
                    const PlanningOptions& options) {
  planning::CheckShape(problem);
  AIRLOT_CHECK(weight.is_constant() || weight.values().size() == problem.devices,
               "{} weights for {} devices", weight.values().size(), problem.devices);
  AIRLOT_CHECK(time_weight >= 0, "a time weight of {}", time_weight);
  AIRLOT_CHECK(!problem.steps.any(), "a radio with {}", NameOfSteps(problem.steps));
  const Curves curves(problem, options);
  const Objective objective{weight, time_weight};
  // The starts are the plain plan, nobody, and cut-offs.
  const Choices plain = curves.CutOff(INFINITY);
  std::vector<Choices> starts = {plain, Choices(curves.size())};
  for (const TimeValue& value : TryCutOffs(curves, objective)) {
    starts.push_back(curves.CutOff(value.time_s));
  }
  Choices best;
  double best_objective = -INFINITY;
  for (Choices& choices : starts) {
    for (int round = 0; curves.size() <= kMostReplying && round < kMostRounds; ++round) {
      ReplyInTurn(problem, curves, objective, choices);
      if (!MoveTogether(curves, objective, choices)) break;
    }
    const double reached = objective(choices);
    if (reached <= best_objective) continue;
    best = std::move(choices);
    best_objective = reached;
  }
  return curves.PlanFrom(best);
}

}  // namespace airlot
