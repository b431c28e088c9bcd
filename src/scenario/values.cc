// This file says which values a scenario key takes, and how they are written.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "airlot/planning.h"
#include "airlot/radio.h"
#include "base/text.h"
#include "scenario/keys.h"
#include "scenario/text.h"

namespace airlot::scenario {
namespace {

using Reason = std::optional<std::string>;  // what a value must be, or nothing where it is so

template <class E>
struct Choice {
  E value;
  std::string_view name;
};

std::vector<Choice<TimeRule>> ChoicesOf(TimeRule) {
  return {{TimeRule::kExpected, "expected"}, {TimeRule::kDeadline, "deadline"}};
}

std::vector<Choice<ComputeRule>> ChoicesOf(ComputeRule) {
  return {{ComputeRule::kParticipants, "participants"}, {ComputeRule::kAlways, "always"}};
}

std::vector<Choice<EmptyRound>> ChoicesOf(EmptyRound) {
  return {
      {EmptyRound::kSkip, "skip"}, {EmptyRound::kRedraw, "redraw"}, {EmptyRound::kWait, "wait"}};
}

std::vector<Choice<BudgetRule>> ChoicesOf(BudgetRule) {
  return {{BudgetRule::kMean, "mean"}, {BudgetRule::kStrict, "strict"}};
}

// ChoicesIn returns the choices of entries such as PathLosses(), by their members `value` and
// `name`.
template <class Entries, class Member>
auto ChoicesIn(const Entries& entries, Member value) {
  using E = std::remove_cvref_t<decltype(entries.front().*value)>;
  std::vector<Choice<E>> choices;
  choices.reserve(entries.size());
  for (const auto& entry : entries) choices.push_back({entry.*value, entry.name});
  return choices;
}

auto ChoicesOf(Aggregation) { return ChoicesIn(Aggregations(), &AggregationEntry::rule); }
auto ChoicesOf(Compression) { return ChoicesIn(Compressions(), &CompressionEntry::method); }
auto ChoicesOf(PathLoss) { return ChoicesIn(PathLosses(), &PathLossEntry::path_loss); }
auto ChoicesOf(Fading) { return ChoicesIn(Fadings(), &FadingEntry::fading); }
auto ChoicesOf(Solver) { return ChoicesIn(Solvers(), &SolverEntry::solver); }
auto ChoicesOf(AfterDraw) { return ChoicesIn(AfterDraws(), &AfterDrawEntry::rule); }
auto ChoicesOf(BandSharing) { return ChoicesIn(BandSharings(), &BandSharingEntry::sharing); }

auto ChoicesOf(const StrategyOption& option) { return ChoicesIn(option.words, &OptionWord::value); }

std::vector<Choice<std::string>> ChoicesOf(const ListedName& field) {
  std::vector<Choice<std::string>> choices;
  for (const std::string_view name : field.names()) choices.push_back({std::string(name), name});
  return choices;
}

template <class E>
Reason AssignChoice(const std::vector<Choice<E>>& choices, const Value& value, E& field) {
  const auto* name = std::get_if<std::string>(&value);
  std::string names;
  for (const Choice<E>& choice : choices) {
    if (name != nullptr && *name == choice.name) {
      field = choice.value;
      return std::nullopt;
    }
    names.append(names.empty() ? "" : ", ").append(choice.name);
  }
  return "must be one of " + names;
}

Reason CheckBounds(const Bounds& bounds, double number) {
  if (!std::isfinite(number)) return "must be a finite number";
  const bool is_low = number < bounds.low && !(bounds.or_zero && number == 0);
  if (!is_low && number <= bounds.high) return std::nullopt;
  const bool is_range = std::abs(bounds.low) > kSmallestInput && bounds.high < kLargestInput;
  if (is_range) {
    return "must be " + base::FormatNumber(bounds.low) + " to " + base::FormatNumber(bounds.high);
  }
  if (!is_low) return "must be <= " + base::FormatNumber(bounds.high);
  // A user who wrote -3 wants to hear of 0, not of the smallest number that we compute with.
  if (bounds.or_zero && number < 0) return "must be >= 0";
  if (bounds.low == kSmallestInput && number <= 0) return "must be > 0";
  return (bounds.or_zero ? "must be 0 or >= " : "must be >= ") + base::FormatNumber(bounds.low);
}

Reason CheckLength(const Bounds& bounds, std::string_view text) {
  const std::optional<std::size_t> characters = CountCharacters(text);
  if (!characters) return "must be valid UTF-8";
  if (std::ranges::any_of(text, base::IsControl)) return "must not contain control characters";
  const auto length = static_cast<double>(*characters);
  if (length >= bounds.low && length <= bounds.high) return std::nullopt;
  return "must have " + base::FormatNumber(bounds.low) + " to " + base::FormatNumber(bounds.high) +
         " characters";
}

Reason CheckSpread(const Bounds& bounds, const Spread& spread) {
  if (const Reason reason = CheckBounds(bounds, spread.low)) return "low " + *reason;
  if (const Reason reason = CheckBounds(bounds, spread.high)) return "high " + *reason;
  if (spread.low > spread.high) return "low must be <= high";
  if (spread.kind == Spread::Kind::kLogUniform && spread.low <= 0) return "low must be > 0";
  return std::nullopt;
}

// An Assigner puts a value where a field points, if it is of the right kind and within the bounds.
struct Assigner {
  const Bounds& bounds;
  const Value& value;

  Reason operator()(std::string* field) const {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return "must be text in quotes";
    if (Reason reason = CheckLength(bounds, *text)) return reason;
    *field = *text;
    return std::nullopt;
  }

  // Empty text is the same as none.
  Reason operator()(std::optional<std::string>* field) const {
    std::string text;
    if (Reason reason = (*this)(&text)) return reason;
    *field = text.empty() ? std::nullopt : std::optional(text);
    return std::nullopt;
  }

  Reason operator()(ListedName field) const {
    return AssignChoice(ChoicesOf(field), value, *field.name);
  }

  Reason operator()(bool* field) const {
    const auto* flag = std::get_if<bool>(&value);
    if (flag == nullptr) return "must be true or false";
    *field = *flag;
    return std::nullopt;
  }

  Reason AssignWhole(double* field) const {
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr || *number != std::floor(*number)) return "must be a whole number";
    return (*this)(field);
  }

  Reason operator()(const OptionOfStrategy& field) const {
    const StrategyOption& option = *field.option;
    double number = 0;
    const bool is_number = std::holds_alternative<double>(value);
    if (option.words.empty() || (is_number && option.low <= option.high)) {
      if (Reason reason = option.is_whole ? AssignWhole(&number) : (*this)(&number)) return reason;
    } else if (Reason reason = AssignChoice(ChoicesOf(option), value, number)) {
      if (option.low > option.high) return reason;
      return *reason + (option.is_whole ? ", or a whole number" : ", or a number");
    }
    field.options->At(field.strategy, option.name) = number;
    return std::nullopt;
  }

  template <class T>
  requires std::is_integral_v<T> Reason operator()(T* field) const {
    double number = 0;
    if (Reason reason = AssignWhole(&number)) return reason;
    *field = static_cast<T>(number);
    return std::nullopt;
  }

  Reason operator()(double* field) const {
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr) return "must be a number";
    if (Reason reason = CheckBounds(bounds, *number)) return reason;
    *field = *number;
    return std::nullopt;
  }

  Reason operator()(BoundOrNone field) const { return (*this)(field.value); }

  template <class T>
  Reason operator()(Part<T> field) const {
    T part{};
    if (Reason reason = (*this)(&part)) return reason;
    field.put(part, *field.scenario);
    return std::nullopt;
  }

  Reason operator()(std::optional<double>* field) const {
    double number = 0;
    if (Reason reason = (*this)(&number)) return reason;
    *field = number;
    return std::nullopt;
  }

  Reason operator()(Spread* field) const {
    if (std::holds_alternative<double>(value)) {
      double number = 0;
      if (Reason reason = (*this)(&number)) return reason;
      *field = Spread::Constant(number);
      return std::nullopt;
    }
    const auto* spread = std::get_if<Spread>(&value);
    if (spread == nullptr) {
      return "must be a number, { uniform = [low, high] } or { log_uniform = [low, high] }";
    }
    if (Reason reason = CheckSpread(bounds, *spread)) return reason;
    *field = *spread;
    return std::nullopt;
  }

  Reason operator()(std::optional<Spread>* field) const {
    Spread spread;
    if (Reason reason = (*this)(&spread)) return reason;
    *field = spread;
    return std::nullopt;
  }

  Reason operator()(Numbers* field) const {
    const auto* numbers = std::get_if<Numbers>(&value);
    if (numbers == nullptr) return "must be a list of numbers, [0.5, 0.9]";
    for (const double number : *numbers) {
      if (const Reason reason = CheckBounds(bounds, number)) return "each " + *reason;
    }
    *field = *numbers;
    return std::nullopt;
  }

  // An empty list has no tables that would tell it from one of numbers.
  Reason operator()(std::optional<std::vector<Layer>>* field) const {
    const auto* numbers = std::get_if<Numbers>(&value);
    const auto* tables = std::get_if<Tables>(&value);
    const bool is_empty = numbers != nullptr && numbers->empty();
    if (tables == nullptr && !is_empty) {
      return "must be a list of layers, [{ kind = \"dense\", units = 200 }, { kind = \"relu\" }]";
    }
    auto layers = LayersOf(is_empty ? Tables() : *tables);
    if (!layers) return layers.error().message;
    *field = std::move(*layers);
    return std::nullopt;
  }

  // Text that is no name of a table is that of a file, which is read later (reader.cc).
  Reason operator()(McsTable* field) const {
    McsTable table;
    if (const auto* text = std::get_if<std::string>(&value)) {
      if (Reason reason = CheckLength(bounds, *text)) return reason;
      if (text->empty()) return std::nullopt;  // It is the same as none.
      table.name = *text;
      for (const McsTableEntry& entry : McsTables()) {
        if (entry.name == *text) table.rows.assign(entry.rows.begin(), entry.rows.end());
      }
    } else if (const auto* rows = std::get_if<Rows>(&value)) {
      for (const Numbers& row : *rows) {
        if (row.size() != 2) return "each row must be [snr_db, bit_per_s_per_hz]";
        table.rows.push_back({row[0], row[1]});
      }
      if (const auto status = Validate(table); !status) {
        // The place names the key and the value already.
        const std::string& message = status.error().message;
        return message.substr(message.find(": ") + 2);
      }
    }
    if (table == McsTable{}) {
      return "must be the name of a table (cqi), a file, or a list of at least one row [snr_db, "
             "bit_per_s_per_hz]";
    }
    *field = std::move(table);
    return std::nullopt;
  }

  template <class E>
  requires std::is_enum_v<E> Reason operator()(E* field) const {
    return AssignChoice(ChoicesOf(*field), value, *field);
  }
};

std::string FormatText(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (base::IsControl(c)) {
      out.append("\\u00").append({kHexDigits[c / 16], kHexDigits[c % 16]});
    } else {
      out += c;
    }
  }
  return out += '"';
}

// TOML takes a number without point and exponent as an integer, and integers only up to 2^63.
std::string FormatTomlNumber(double number) {
  const std::string text = base::FormatNumber(number);
  const bool is_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  return is_integer && std::abs(number) >= 1e15 ? text + ".0" : text;
}

std::string FormatSpread(const Spread& spread) {
  if (spread.kind == Spread::Kind::kConstant) return FormatTomlNumber(spread.low);
  const std::string kind = spread.kind == Spread::Kind::kUniform ? "uniform" : "log_uniform";
  return "{ " + kind + " = [" + FormatTomlNumber(spread.low) + ", " +
         FormatTomlNumber(spread.high) + "] }";
}

struct Formatter {
  std::string operator()(const std::string* field) const {
    return field->empty() ? "" : FormatText(*field);
  }
  std::string operator()(const std::optional<std::string>* field) const {
    return *field ? FormatText(**field) : "";
  }
  std::string operator()(ListedName field) const { return FormatText(*field.name); }
  std::string operator()(const bool* field) const { return *field ? "true" : "false"; }
  std::string operator()(const std::size_t* field) const { return std::to_string(*field); }
  std::string operator()(const int* field) const { return std::to_string(*field); }
  // An option that is not set stays so.
  std::string operator()(const OptionOfStrategy& field) const {
    const double value = std::as_const(*field.options).At(field.strategy, field.option->name);
    for (const OptionWord& word : field.option->words) {
      if (word.value == value) return FormatText(word.name);
    }
    return FormatTomlNumber(value);
  }
  std::string operator()(const double* field) const { return FormatTomlNumber(*field); }
  std::string operator()(BoundOrNone field) const {
    return std::isinf(*field.value) ? "" : FormatTomlNumber(*field.value);
  }
  template <class T>
  std::string operator()(Part<T> field) const {
    const std::optional<T> part = field.get(*field.scenario);
    return part ? (*this)(&*part) : "";
  }
  std::string operator()(const std::optional<double>* field) const {
    return *field ? FormatTomlNumber(**field) : "";
  }
  std::string operator()(const Spread* field) const { return FormatSpread(*field); }
  std::string operator()(const std::optional<Spread>* field) const {
    return *field ? FormatSpread(**field) : "";
  }
  std::string operator()(const Numbers* field) const {
    std::string text;
    for (const double number : *field) {
      text.append(text.empty() ? "" : ", ").append(FormatTomlNumber(number));
    }
    return "[" + text + "]";
  }
  std::string operator()(const McsTable* field) const {
    if (!field->name.empty() || field->rows.empty()) {
      return field->name.empty() ? "" : FormatText(field->name);
    }
    std::string text;
    for (const auto& [snr_db, rate] : field->rows) {
      text += (text.empty() ? "[" : ", [") + FormatTomlNumber(snr_db) + ", " +
              FormatTomlNumber(rate) + "]";
    }
    return "[" + text + "]";
  }

  std::string operator()(const std::optional<std::vector<Layer>>* field) const {
    return *field ? FormatLayers(**field) : "";
  }

  template <class E>
  requires std::is_enum_v<E> std::string operator()(const E* field) const {
    for (const Choice<E>& choice : ChoicesOf(*field)) {
      if (choice.value == *field) return FormatText(choice.name);
    }
    return "";
  }
};

// FieldOf returns the field of a scenario that is only read. A key's own function hands out places
// to write to.
Field FieldOf(const Key& key, const Scenario& scenario) {
  return key.field(const_cast<Scenario&>(scenario));
}

std::string FormatField(const Key& key, const Scenario& scenario) {
  return std::visit(Formatter{}, FieldOf(key, scenario));
}

const Scenario& DefaultScenario() {
  static const Scenario scenario;
  return scenario;
}

}  // namespace

bool TakesText(const Key& key) {
  const auto takes_text = []<class T>(const T&) {
    return std::is_same_v<T, std::string*> || std::is_same_v<T, std::optional<std::string>*> ||
           std::is_same_v<T, ListedName> || std::is_enum_v<std::remove_pointer_t<T>>;
  };
  return std::visit(takes_text, FieldOf(key, DefaultScenario()));
}

// Text that may be left out is a path, or a name in its place.
bool TakesPath(const Key& key) {
  const auto takes_path = []<class T>(const T&) {
    return std::is_same_v<T, std::optional<std::string>*> || std::is_same_v<T, McsTable*>;
  };
  return std::visit(takes_path, FieldOf(key, DefaultScenario()));
}

std::optional<std::string> PathOf(const Key& key, const Scenario& scenario) {
  const Field field = FieldOf(key, scenario);
  if (const auto* text = std::get_if<std::optional<std::string>*>(&field)) return **text;
  const bool is_taken = std::holds_alternative<McsTable*>(field) && !scenario.mcs_file.path.empty();
  return is_taken ? std::optional(scenario.mcs_file.path) : std::nullopt;
}

std::vector<std::string> WordsOf(const Key& key) {
  std::vector<std::string> words;
  const auto add = [&](const auto& choices) {
    for (const auto& choice : choices) words.emplace_back(choice.name);
  };
  const auto add_words_of = [&]<class T>(const T& field) {
    if constexpr (std::is_same_v<T, bool*> || std::is_same_v<T, Part<bool>>) {
      words = {"true", "false"};
    } else if constexpr (std::is_same_v<T, ListedName>) {
      add(ChoicesOf(field));
    } else if constexpr (std::is_same_v<T, OptionOfStrategy>) {
      add(ChoicesOf(*field.option));
    } else if constexpr (std::is_same_v<T, McsTable*>) {
      add(McsTables());
    } else if constexpr (std::is_enum_v<std::remove_pointer_t<T>>) {
      add(ChoicesOf(*field));
    }
  };
  std::visit(add_words_of, FieldOf(key, DefaultScenario()));
  if (key.offers != nullptr) {
    for (const std::string_view word : key.offers()) words.emplace_back(word);
  }
  return words;
}

std::optional<std::string> Assign(const Key& key, const Value& value, Scenario& scenario) {
  return std::visit(Assigner{key.bounds, value}, key.field(scenario));
}

std::string FormatDefault(const Key& key) { return FormatField(key, DefaultScenario()); }

std::string FormatWhole(const Key& key, const Scenario& scenario) {
  return FormatField(key, scenario);
}

std::string FormatValue(const Key& key, const Scenario& scenario) {
  std::string text = FormatField(key, scenario);
  return key.is_brief && text == FormatDefault(key) ? "" : text;
}

}  // namespace airlot::scenario
