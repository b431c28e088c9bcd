// Who takes part in a round, and on which terms.
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

// What devices may be asked. They all get the model, in one multicast for all questions of a round,
// but for AskComputeTime; compute what the answer takes; and report one number each.
struct AskLoss {          // of the current model: the mean over samples of the device
  std::size_t batch = 0;  // of them; 0: all
};
// The norm of the device's update, before it is compressed. A device that
// has answered has computed its update and pays no more for that in this round.
struct AskUpdateNorm {
  // To how many each update would be cut before its norm is taken, infinity leaving all of it.
  // Empty: no update is cut.
  std::span<const double> bits = {};
};
struct AskAccuracy {};     // the test accuracy of the current model, in the device's mix of labels
struct AskComputeTime {};  // seconds, as only a device knows it of itself: a report, nothing else
// The device takes part once, and what it sends is not used: to see how many seconds it takes.
struct AskTrial {
  std::span<const Terms> terms = {};  // of each device; empty: as planned
};
using Question = std::variant<AskLoss, AskUpdateNorm, AskAccuracy, AskComputeTime, AskTrial>;
inline bool NeedsModel(const Question& question) {
  return !std::holds_alternative<AskComputeTime>(question);
}

// Devices that answer. The simulation charges time and energy for every answer.
class Probe {
 public:
  virtual ~Probe() = default;
  // Gets the answer of each device.
  virtual void Ask(const Question& question, std::span<const std::uint32_t> devices,
                   std::span<double> answers) = 0;
};

// What the server knows when it selects.
struct SelectionView {
  std::uint64_t seed = 1;
  std::uint64_t round = 1;
  std::uint64_t rounds = 1;             // of the whole run
  std::uint64_t attempt = 0;            // counts the draws of a round that is drawn again
  bool redraws_empty = false;           // a round in which nobody is selected is drawn again
  std::uint64_t plan_version = 0;       // another number when the plan has changed
  std::span<const double> probability;  // of each device, as planned; 0: it cannot take part
  std::span<const double> power_w;      // of each device, as planned
  std::span<const double> data_share;   // of each device, of all samples
  const Cell* cell = nullptr;
  Probe* probe = nullptr;
  std::vector<double>* memory =
      nullptr;  // the strategy's own, empty at the start; kept by checkpoints
};

struct Selection {
  std::vector<std::uint32_t> devices;  // in rising order; where they take turns, in that order
  std::vector<Terms> terms;            // of each; empty: the planned power in each one's own band
  bool takes_turns = false;            // uploads follow each other (67)
  std::vector<double> probability;     // of each to be selected (51); empty: not known
  double before_s = 0;                 // that the round takes before devices start
};

// What came of a round: of each of the selection's devices.
struct RoundOutcome {
  std::uint64_t round = 1;
  std::span<const std::uint32_t> devices;
  std::span<const double> mean_loss;         // over the samples of its update
  std::span<const double> mean_square_loss;  // the same of the squares
  std::span<const double> duration_s;        // of its computation and upload
};

// A way to select. What it selects follows from the view alone, its memory included, and random
// numbers from (seed, round), so that a run can be taken up again; beside `memory` and parts of its
// own it may keep only what saves it work.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Called before the first round, and before each that a run goes on from: what it remembers and
  // `memory` cannot hold it keeps in a part of its own, `parts.Get<MyPart>()`.
  virtual void Bind(StateParts& /*parts*/) {}
  // Fills in who takes part; none that cannot. `selection` comes empty.
  virtual void Select(const SelectionView& view, Selection& selection) = 0;
  // Whether it wants to know what came of each round. Then every participant sends one number more
  // with its update, which is charged.
  virtual bool Learns() const { return false; }
  virtual void Learn(const RoundOutcome& /*outcome*/, std::vector<double>& /*memory*/) {}
};

// A number that the user may set: scenario key strategy.<name of the strategy>.<name>.
struct StrategyOption {
  std::string name;  // small letters, digits and underscores
  double value = 0;  // where the user does not set it
  double low = 0;    // the least and the largest that the user may set
  double high = 0;
  bool is_whole = false;
  std::string summary;
};

// What the user has set of the options of all strategies. An option that is not set has the value
// of its entry, also where its strategy was registered later than this was made.
class StrategyOptions {
 public:
  // The option must exist. The first hands out a place to set it.
  double& At(std::string_view strategy, std::string_view option);
  double At(std::string_view strategy, std::string_view option) const;
  // Whether all options have the same values; it does not matter which of them were set.
  bool operator==(const StrategyOptions& other) const;

 private:
  std::map<std::pair<std::string, std::string>, double> values_;  // by strategy and option
};

// The values of one strategy's options: options["devices"].
struct OptionValues {
  const StrategyOptions& all;
  std::string_view strategy;
  double operator[](std::string_view option) const { return all.At(strategy, option); }
};

struct StrategyEntry {
  std::string name;  // small letters, digits and hyphens; "every" stands for all strategies
  std::string summary;
  std::vector<StrategyOption> options;
  std::function<std::unique_ptr<Strategy>(const OptionValues& options)> make;
  bool knows_probabilities = false;  // It fills in Selection::probability.
  bool cuts_updates = false;         // It fills in Terms::update_bits.
};

// Makes a strategy of class T, whose constructor takes the values of its options: what
// StrategyEntry::make usually is.
template <class T>
std::unique_ptr<Strategy> ConstructStrategy(const OptionValues& options) {
  return std::make_unique<T>(options);
}

// Adds a strategy to the list, after which everything knows it by its name, and its options are
// scenario keys. An error where the name is taken, or the entry does not keep what stands above.
// Strategies are registered before scenarios are read and runs are started, never beside them; a
// static initialiser may do it.
Status RegisterStrategy(StrategyEntry entry);

// All strategies: the built-in ones, one file each in src/selection/, and then those that were
// registered, in that order. An entry stays where it is.
const std::deque<StrategyEntry>& Strategies();
// nullptr where there is none of this name.
const StrategyEntry* FindStrategy(std::string_view name);
// The name that no strategy has, because it stands for all of them.
inline constexpr std::string_view kEveryStrategy = "every";
// The strategies of the paper's evaluation.
std::span<const std::string_view> PaperStrategies();
// The strategy must exist.
std::unique_ptr<Strategy> MakeStrategy(std::string_view name, const StrategyOptions& options = {});

}  // namespace airlot

#endif  // AIRLOT_SELECTION_H_
