// A strategy selects who takes part in a round, and on which terms.
#ifndef AIRLOT_SELECTION_H_
#define AIRLOT_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "airlot/cell.h"
#include "airlot/result.h"
#include "airlot/state_part.h"

namespace airlot {

// Devices may be asked these questions. For all but AskComputeTime they get the model, in one
// multicast for all questions of a round. They compute what the answer takes, and report one number
// each.
struct AskLoss {          // the mean loss of the current model over samples of the device
  std::size_t batch = 0;  // number of samples; 0: all
};
// AskUpdateNorm asks for the norm of the device's update, before it is compressed. A device that
// has answered has computed its update and pays no more for that in this round.
struct AskUpdateNorm {
  // bits says to how many each update would be cut before its norm is taken, infinity leaving all
  // of it. Where it is empty, no update is cut.
  std::span<const double> bits = {};
};
struct AskAccuracy {};     // the test accuracy of the current model, in the device's mix of labels
struct AskComputeTime {};  // seconds of computing, which only a device knows: a mere report
// In AskTrial the device takes part once, and what it sends is not used, to see how many seconds it
// takes.
struct AskTrial {
  std::span<const Terms> terms = {};  // terms of each device; empty: as planned
};
using Question = std::variant<AskLoss, AskUpdateNorm, AskAccuracy, AskComputeTime, AskTrial>;
inline bool NeedsModel(const Question& question) {
  return !std::holds_alternative<AskComputeTime>(question);
}

// A Probe has devices that answer. The simulation charges time and energy for every answer.
class Probe {
 public:
  virtual ~Probe() = default;
  // Gets the answer of each device. A device that cannot pay for its answer under strict budgets
  // (BudgetRule::kStrict) does not answer, whatever the question, is charged nothing, and NaN
  // stands in its place; there may be any number of such devices, even all. Nor does one that
  // cannot send on the terms of a trial, whose link is below the first row of radio.mcs. NaN means
  // nothing else: a loss that is no number, because the model has diverged, comes as infinity, and
  // the norm of an update that holds one that is no number as 0. To select a device that has not
  // answered is allowed, but useless where it could not pay for taking part either.
  virtual void Ask(const Question& question, std::span<const std::uint32_t> devices,
                   std::span<double> answers) = 0;
};

// A SelectionView is what the server knows when it selects.
struct SelectionView {
  std::uint64_t seed = 1;
  std::uint64_t round = 1;
  std::uint64_t rounds = 1;             // number of rounds in the whole run
  std::uint64_t attempt = 0;            // counts the draws of a round that is drawn again
  bool redraws_empty = false;           // a round in which nobody is selected is drawn again
  std::uint64_t plan_version = 0;       // another number when the plan has changed
  std::span<const double> probability;  // planned for each device; 0: it cannot take part
  std::span<const double> power_w;      // planned for each device
  std::span<const double> data_share;   // share of each device in all samples
  // This is what each device can spend in this round within its budget and its battery, beside what
  // it spends in any case, for a strategy that keeps budgets (KeepsBudgets); empty for all others.
  std::span<const double> energy_left_j;
  const Cell* cell = nullptr;
  // This keeps alive, beyond the round and the run, what the spans and the cell look at; its
  // numbers may be another round's then. It is null where nobody can.
  std::shared_ptr<const void> owner = {};
  Probe* probe = nullptr;
  // The memory is the strategy's own. It is empty at the start, and checkpoints keep it.
  std::vector<double>* memory = nullptr;
};

struct Selection {
  std::vector<std::uint32_t> devices;  // in rising order; where they take turns, in that order
  std::vector<Terms> terms;            // one for each device; empty: planned power in its own band
  bool takes_turns = false;            // uploads follow each other (67)
  std::vector<double> probability;     // probability of each to be selected (51); empty: not known
  bool nobody_able = false;            // nobody could be selected, so it is not drawn again
  // This is time that the round takes before devices start, beside all that is booked of itself. No
  // built-in strategy takes any: the model's multicast is booked by the scenario (Books).
  double before_s = 0;
};

// Fails where a strategy has selected a device twice or one that cannot take part, has not sorted
// them, or has given away more power, CPU or band than there is. The simulation checks so in every
// round, and ends the program where it fails.
Status CheckSelection(const SelectionView& view, const Selection& selection);

// A RoundOutcome is what came of a round for each of the selection's devices whose update arrived.
struct RoundOutcome {
  std::uint64_t round = 1;
  std::span<const std::uint32_t> devices;
  std::span<const double> mean_loss;         // mean over the samples of the device's update
  std::span<const double> mean_square_loss;  // mean of the squared losses over the same samples
  std::span<const double> duration_s;        // time of the device's computation and upload
};

// A Strategy is a way to select. What it selects follows from the view alone, its memory included,
// and random numbers from (seed, round), so that a run can be taken up again; beside `memory` and
// parts of its own it may keep only what saves it work.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Bind is called before the first round, and before each round that a run goes on from. What the
  // strategy remembers and `memory` cannot hold, it keeps in a part of its own,
  // `parts.Get<MyPart>()`.
  virtual void Bind(StateParts& /*parts*/) {}
  // Fills in who takes part, and nobody who cannot. `selection` comes empty.
  virtual void Select(const SelectionView& view, Selection& selection) = 0;
  // Says whether devices take part on the terms of the plan: Select never fills in terms. With
  // strict budgets, those who cannot pay for these then stay out of the draw.
  virtual bool TakesPlannedTerms() const { return false; }
  // Says whether the strategy draws only those who can pay (SelectionView::energy_left_j). Budgets
  // are then strict for it in any scenario, and nobody else keeps the poor out of its draw.
  virtual bool KeepsBudgets() const { return false; }
  // Says whether the strategy wants to know what came of each round. Then every participant sends
  // one number more with its update, which is charged.
  virtual bool Learns() const { return false; }
  virtual void Learn(const RoundOutcome& /*outcome*/, std::vector<double>& /*memory*/) {}
};

// An OptionWord is a word that stands for a value of an option: devices = "expected".
struct OptionWord {
  std::string name;  // small letters, digits and hyphens
  double value = 0;
};

// A StrategyOption is a number that the user may set: scenario key strategy.<name of the
// strategy>.<name>.
struct StrategyOption {
  std::string name;  // small letters, digits and underscores
  double value = 0;  // value where the user does not set it
  double low = 0;    // the least and the largest that the user may set
  double high = 0;
  bool is_whole = false;
  std::string summary;
  // The user may write these words, too. Where low > high, there is nothing else to write.
  std::vector<OptionWord> words = {};
};

// StrategyOptions are what the user has set of the options of all strategies. An option that is not
// set has the value of its entry, also where its strategy was registered later than this was made.
class StrategyOptions {
 public:
  // The option must exist. The first function hands out a place to set it.
  double& At(std::string_view strategy, std::string_view option);
  double At(std::string_view strategy, std::string_view option) const;
  // Says whether all options have the same values; it does not matter which of them were set.
  bool operator==(const StrategyOptions& other) const;

 private:
  std::map<std::pair<std::string, std::string>, double> values_;  // by strategy and option
};

// OptionValues are the values of one strategy's options: options["devices"].
struct OptionValues {
  const StrategyOptions& all;
  std::string_view strategy;
  double operator[](std::string_view option) const { return all.At(strategy, option); }
};

struct StrategyEntry {
  std::string name;  // small letters, digits and hyphens; "every", "budget" and "first" are taken
  std::string summary;
  std::vector<StrategyOption> options;
  std::function<std::unique_ptr<Strategy>(const OptionValues& options)> make;
  bool knows_probabilities = false;  // it fills in Selection::probability
  bool cuts_updates = false;         // it fills in Terms::update_bits
  // It finds powers, bands or bits by Shannon's formula for powers of any size, and so knows no
  // radio whose powers or rates come in steps.
  bool needs_shannon = false;
};

// Makes a strategy of class T, whose constructor takes the values of its options. This is what
// StrategyEntry::make usually is.
template <class T>
std::unique_ptr<Strategy> ConstructStrategy(const OptionValues& options) {
  return std::make_unique<T>(options);
}

// Adds a strategy to the list, after which everything knows it by its name, and its options are
// scenario keys. Fails where the name is taken, or the entry does not keep what its struct says.
// Strategies are registered before scenarios are read and runs are started, never beside them; a
// static initialiser may do it.
Status RegisterStrategy(StrategyEntry entry);

// Does the same, but takes the place of a strategy that was registered under this name before.
// Nothing may be running then, and scenarios that set its options must be read anew.
Status ReplaceStrategy(StrategyEntry entry);

// Returns all strategies: the built-in ones, one file each in src/selection/, and then those that
// were registered, in that order. An entry stays where it is.
const std::deque<StrategyEntry>& Strategies();
// Returns nullptr where there is no strategy of this name.
const StrategyEntry* FindStrategy(std::string_view name);
// No strategy has this name, because it stands for all of them.
inline constexpr std::string_view kEveryStrategy = "every";
// Returns the strategies of the paper's evaluation.
std::span<const std::string_view> PaperStrategies();
// Makes a strategy, which must exist.
std::unique_ptr<Strategy> MakeStrategy(std::string_view name, const StrategyOptions& options = {});

}  // namespace airlot

#endif  // AIRLOT_SELECTION_H_
