#include "selection/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace airlot {
namespace {

struct StrategyRegistry {
  std::deque<StrategyEntry> entries = {
#define AIRLOT_STRATEGY(entry) selection::entry(),
#include "selection/strategy_list.inc"
#undef AIRLOT_STRATEGY
  };
  std::size_t built_in = entries.size();
};

// The registry is built when it is first asked for, whatever else has been initialised by then.
StrategyRegistry& Registry() {
  static StrategyRegistry registry;
  return registry;
}

std::atomic<std::size_t> replaced_strategies = 0;

const StrategyOption* FindOption(const StrategyEntry& entry, std::string_view name) {
  const auto option = std::ranges::find(entry.options, name, &StrategyOption::name);
  return option == entry.options.end() ? nullptr : &*option;
}

const StrategyOption& OptionOf(std::string_view strategy, std::string_view option) {
  const StrategyEntry* entry = FindStrategy(strategy);
  AIRLOT_CHECK(entry != nullptr, "strategy {}", strategy);
  const StrategyOption* found = FindOption(*entry, option);
  AIRLOT_CHECK(found != nullptr, "there is no option {} of strategy {}", option, strategy);
  return *found;
}

bool IsLetter(char letter) { return letter >= 'a' && letter <= 'z'; }

// A word has small letters, digits and one kind of mark, and begins with a letter.
bool IsWord(std::string_view name, char mark) {
  return !name.empty() && IsLetter(name.front()) && std::ranges::all_of(name, [&](char letter) {
    return IsLetter(letter) || (letter >= '0' && letter <= '9') || letter == mark;
  });
}

Status CheckName(const std::string& name) {
  if (!IsWord(name, '-')) {
    return Error{fmt::format(
        "strategy {}: a name has small letters, digits and hyphens, and begins with a letter",
        base::Quoted(name))};
  }
  if (name == kEveryStrategy) {
    return Error{fmt::format("strategy {}: the word stands for all strategies", name)};
  }
  if (name == "budget" || name == "first") {
    return Error{fmt::format("strategy {}: strategy.{} is a key of all strategies", name, name)};
  }
  return {};
}

Status CheckOption(const StrategyEntry& entry, const StrategyOption& option) {
  const auto error = [&](std::string_view what) {
    return Error{
        fmt::format("strategy {}: option {}: {}", entry.name, base::Quoted(option.name), what)};
  };
  if (!IsWord(option.name, '_')) {
    return error("a name has small letters, digits and underscores, and begins with a letter");
  }
  if (FindOption(entry, option.name) != &option) return error("there are two of this name");
  for (const OptionWord& word : option.words) {
    if (std::ranges::count(option.words, word.name, &OptionWord::name) > 1 ||
        std::ranges::count(option.words, word.value, &OptionWord::value) > 1) {
      return error(fmt::format("word {}: there are two of this name or value", word.name));
    }
    if (!IsWord(word.name, '-')) {
      return error(fmt::format(
          "word {}: a word has small letters, digits and hyphens, and begins with a letter",
          base::Quoted(word.name)));
    }
    if (!std::isfinite(word.value) || (option.low <= word.value && word.value <= option.high)) {
      return error(
          fmt::format("word {} = {}: must stand for a finite number outside of [low, "
                      "high] = [{}, {}]",
                      word.name, word.value, option.low, option.high));
    }
  }
  const bool is_word = std::ranges::count(option.words, option.value, &OptionWord::value) > 0;
  const bool is_finite = std::isfinite(option.low) && std::isfinite(option.high);
  if (!is_finite || !(is_word || (option.low <= option.value && option.value <= option.high))) {
    return error(fmt::format("value = {}: must be in [low, high] = [{}, {}], which are finite{}",
                             option.value, option.low, option.high,
                             option.words.empty() ? "" : ", or that of a word"));
  }
  if (option.is_whole && option.value != std::floor(option.value)) {
    return error(fmt::format("value = {}: must be a whole number, as is_whole says", option.value));
  }
  return {};
}

Status CheckEntry(const StrategyEntry& entry) {
  if (auto status = CheckName(entry.name); !status) return status;
  for (const StrategyOption& option : entry.options) {
    if (auto status = CheckOption(entry, option); !status) return status;
  }
  if (!entry.make) {
    return Error{fmt::format("strategy {}: make: must be a function that makes it", entry.name)};
  }
  return {};
}

Error NameIsTaken(std::string_view name) {
  return {fmt::format("strategy {}: there is one of this name already", name)};
}

}  // namespace

Status RegisterStrategy(StrategyEntry entry) {
  if (auto status = CheckEntry(entry); !status) return status;
  if (FindStrategy(entry.name) != nullptr) return NameIsTaken(entry.name);
  Registry().entries.push_back(std::move(entry));
  return {};
}

Status ReplaceStrategy(StrategyEntry entry) {
  if (auto status = CheckEntry(entry); !status) return status;
  auto& [entries, built_in] = Registry();
  const auto found = std::ranges::find(entries, entry.name, &StrategyEntry::name);
  if (found == entries.end()) return RegisterStrategy(std::move(entry));
  if (std::size_t(found - entries.begin()) < built_in) return NameIsTaken(entry.name);
  *found = std::move(entry);
  ++replaced_strategies;
  return {};
}

std::size_t selection::ReplacedStrategies() { return replaced_strategies; }

const std::deque<StrategyEntry>& Strategies() { return Registry().entries; }

const StrategyEntry* FindStrategy(std::string_view name) {
  const auto entry = std::ranges::find(Strategies(), name, &StrategyEntry::name);
  return entry == Strategies().end() ? nullptr : &*entry;
}

std::span<const std::string_view> PaperStrategies() {
  static constexpr std::string_view kNames[] = {"probabilistic", "deterministic", "uniform",
                                                "equally-weighted"};
  return kNames;
}

std::unique_ptr<Strategy> MakeStrategy(std::string_view name, const StrategyOptions& options) {
  const StrategyEntry* entry = FindStrategy(name);
  AIRLOT_CHECK(entry != nullptr, "strategy {}", name);
  return entry->make({options, entry->name});
}

double& StrategyOptions::At(std::string_view strategy, std::string_view option) {
  const double value = OptionOf(strategy, option).value;
  return values_.try_emplace({std::string(strategy), std::string(option)}, value).first->second;
}

double StrategyOptions::At(std::string_view strategy, std::string_view option) const {
  const double value = OptionOf(strategy, option).value;
  const auto set = values_.find({std::string(strategy), std::string(option)});
  return set == values_.end() ? value : set->second;
}

bool StrategyOptions::operator==(const StrategyOptions& other) const {
  const auto holds_in = [](const StrategyOptions& options) {
    return [&options](const auto& set) {
      return options.At(set.first.first, set.first.second) == set.second;
    };
  };
  return std::ranges::all_of(values_, holds_in(other)) &&
         std::ranges::all_of(other.values_, holds_in(*this));
}

}  // namespace airlot
