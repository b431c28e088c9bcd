// The keys of a scenario are one table. What reads, checks, prints and explains a scenario goes
// through it, so that a new key is one new row in keys.cc. The options of strategies follow by
// themselves.
#ifndef AIRLOT_SCENARIO_KEYS_H_
#define AIRLOT_SCENARIO_KEYS_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "airlot/scenario.h"
#include "scenario/layer_list.h"

namespace airlot::scenario {

// A Value is a value as it was written; monostate stands for what no key can hold (a date, a mixed
// array, ...).
using Numbers = std::vector<double>;
using Rows = std::vector<Numbers>;
using Value =
    std::variant<std::monostate, bool, double, std::string, Spread, Numbers, Rows, Tables>;

// A key may hold the numbers in [low, high] and, where `or_zero`, 0. For text, Bounds says how many
// characters it may have.
struct Bounds {
  double low = 0;
  double high = 0;
  bool or_zero = false;
};

// BoundOrNone is a number that is left out where it is infinite, because there is no bound.
struct BoundOrNone {
  double* value;
};
// A Part is a number or a flag that has no place of its own, because it belongs to one of several
// alternatives.
template <class T>
struct Part {
  Scenario* scenario;
  std::optional<T> (*get)(const Scenario& scenario);  // nothing: it is not set
  void (*put)(T value, Scenario& scenario);
};
// OptionOfStrategy is an option of a strategy, which a scenario holds only where it is set.
struct OptionOfStrategy {
  StrategyOptions* options;
  std::string_view strategy;     // name of the strategy
  const StrategyOption* option;  // that of its entry, which stays where it is
};
// ListedName is text that must be one of these names.
struct ListedName {
  std::string* name;
  std::vector<std::string_view> (*names)();
};
// A Field is where a key's value lies in a scenario. Its type says what kind of value the key
// takes.
using Field = std::variant<std::string*, std::optional<std::string>*, ListedName, bool*, int*,
                           std::size_t*, double*, BoundOrNone, OptionOfStrategy, Part<double>,
                           Part<bool>, std::optional<double>*, Spread*, std::optional<Spread>*,
                           Numbers*, std::optional<std::vector<Layer>>*, McsTable*, PathLoss*,
                           Fading*, BandSharing*, TimeRule*, ComputeRule*, EmptyRound*, AfterDraw*,
                           BudgetRule*, Solver*, Aggregation*, Compression*>;

// Beside says which other key must not be set, or must be set, where a key is.
struct Beside {
  std::string_view excludes = {};
  std::string_view needs = {};
};

struct Key {
  std::string name;  // such as "fleet.area_m"; the section is what stands before the last dot
  Bounds bounds;
  std::function<Field(Scenario& scenario)> field;
  std::string_view summary;
  Beside beside = {};
  bool is_brief = false;  // a scenario is written without the key where it has its default
  // The words that text may be, where it may be others as well.
  std::vector<std::string_view> (*offers)() = nullptr;
};

// Keys returns all keys in the order of the file, in which they can be assigned; those of a section
// stand together. The options of a strategy that is registered later are added at the end; a key
// stays where it is.
const std::deque<Key>& Keys();
const Key* FindKey(std::string_view name);  // null where there is none

std::string_view SectionOf(const Key& key);  // empty at the top level
bool IsSection(std::string_view name);       // true also for what sections are inside of
bool TakesText(const Key& key);
bool TakesPath(const Key& key);
// PathOf returns the path, or the name in its place, that a key which takes one has in a scenario.
std::optional<std::string> PathOf(const Key& key, const Scenario& scenario);

// Assign puts a value into a scenario, or says what it must be: "must be > 0". What it says of a
// layer goes on where the name of the key ends: "[3] (dense): units = 0.5: must be a whole number".
std::optional<std::string> Assign(const Key& key, const Value& value, Scenario& scenario);

// WordsOf returns the words that a key takes, such as the names of path losses, or offers, such as
// those of models; none where it takes numbers or any text.
std::vector<std::string> WordsOf(const Key& key);

// FormatValue returns the value as TOML. It is empty where it is not set, and where a brief key has
// its default.
std::string FormatValue(const Key& key, const Scenario& scenario);
std::string FormatDefault(const Key& key);
// FormatWhole returns the value as TOML also where a brief key has its default.
std::string FormatWhole(const Key& key, const Scenario& scenario);

// UnknownKey returns a message such as "unknown key fleet.devies: did you mean fleet.devices?"
std::string UnknownKey(std::string_view name);
std::string UnknownSection(std::string_view name);

// WithKey takes an error of a layer below, and puts the key of its field's name in one of these
// sections in the place of that name: "time_rule = deadline: ..." becomes "round.time_rule =
// deadline: ...". An error of no field, or of one that is no key, stays as it is.
Error WithKey(Error error, std::initializer_list<std::string_view> sections);

// Shown makes text from the user fit for a message, printable and not too long.
std::string Shown(std::string_view text);

}  // namespace airlot::scenario

#endif  // AIRLOT_SCENARIO_KEYS_H_
