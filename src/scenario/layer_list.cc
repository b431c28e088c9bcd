#include "scenario/layer_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/text.h"

namespace airlot::scenario {
namespace {

// --- The keys of each kind -----------------------------------------------------------------------

// A KeyOf is a key of a layer: where its value lies, and whether it must be given.
template <class L, class T>
struct KeyOf {
  std::string_view name;
  T L::*place;
  bool is_needed = false;
  bool may_be_same = false;  // takes "same", too
};

template <class L>
struct NoKeys {
  static constexpr std::tuple<> kKeys{};
};
template <class L>
struct KeysOfKind : NoKeys<L> {};

template <>
struct KeysOfKind<Convolution> {
  using L = Convolution;
  static constexpr auto kKeys = std::tuple{KeyOf<L, int>{"channels", &L::channels, true},
                                           KeyOf<L, int>{"kernel", &L::kernel, true},
                                           KeyOf<L, int>{"stride", &L::stride},
                                           KeyOf<L, int>{"padding", &L::padding, false, true},
                                           KeyOf<L, int>{"groups", &L::groups},
                                           KeyOf<L, bool>{"bias", &L::bias}};
};
template <>
struct KeysOfKind<MaxPool> {
  static constexpr auto kKeys = std::tuple{KeyOf<MaxPool, int>{"size", &MaxPool::size},
                                           KeyOf<MaxPool, int>{"stride", &MaxPool::stride}};
};
template <>
struct KeysOfKind<AveragePool> {
  static constexpr auto kKeys = std::tuple{KeyOf<AveragePool, int>{"size", &AveragePool::size},
                                           KeyOf<AveragePool, int>{"stride", &AveragePool::stride}};
};
template <>
struct KeysOfKind<Dense> {
  static constexpr auto kKeys = std::tuple{KeyOf<Dense, int>{"units", &Dense::units, true}};
};
template <>
struct KeysOfKind<Dropout> {
  static constexpr auto kKeys = std::tuple{KeyOf<Dropout, double>{"share", &Dropout::share}};
};
template <>
struct KeysOfKind<GroupNorm> {
  static constexpr auto kKeys = std::tuple{KeyOf<GroupNorm, int>{"groups", &GroupNorm::groups}};
};
template <>
struct KeysOfKind<External> {
  static constexpr auto kKeys =
      std::tuple{KeyOf<External, int>{"parameters", &External::parameters, true}};
};
template <>
struct KeysOfKind<Residual> {
  using L = Residual;
  static constexpr auto kKeys = std::tuple{KeyOf<L, std::vector<Layer>>{"layers", &L::layers, true},
                                           KeyOf<L, std::vector<Layer>>{"shortcut", &L::shortcut}};
};

// --- Reading -------------------------------------------------------------------------------------

std::string GuessOf(std::string_view name, const std::vector<std::string_view>& names) {
  const auto nearest = base::NearestName(name, names);
  if (nearest) return fmt::format(": did you mean {}?", *nearest);
  return names.empty() ? std::string() : fmt::format(" (there are {})", base::Joined(names));
}

std::string TextOf(const TableValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return base::FormatNumber(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return base::Quoted(*text);
  return std::holds_alternative<Tables>(value) ? "a list" : "";
}

// What no key of a layer takes is not shown.
Error WrongValue(std::string_view key, const TableValue& value, std::string_view reason) {
  const std::string text = TextOf(value);
  return {fmt::format(": {}{}{}: {}", key, text.empty() ? "" : " = ", text, reason)};
}

// An error of a nested list begins with its path, and others with ": ".
Status ReadValue(std::string_view key, const TableValue& value, bool may_be_same, int& place) {
  const auto* text = std::get_if<std::string>(&value);
  if (may_be_same && text != nullptr && *text == "same") {
    place = Convolution::kSame;
    return {};
  }
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || *number != std::floor(*number)) {
    return WrongValue(
        key, value, may_be_same ? "must be a whole number or \"same\"" : "must be a whole number");
  }
  if (may_be_same && *number < 0) return WrongValue(key, value, "must be >= 0");
  if (std::abs(*number) > 1e9) return WrongValue(key, value, "must be at most 1e9");
  place = int(*number);
  return {};
}

Status ReadValue(std::string_view key, const TableValue& value, bool, bool& place) {
  const auto* flag = std::get_if<bool>(&value);
  if (flag == nullptr) return WrongValue(key, value, "must be true or false");
  place = *flag;
  return {};
}

Status ReadValue(std::string_view key, const TableValue& value, bool, double& place) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return WrongValue(key, value, "must be a number");
  place = *number;
  return {};
}

Status ReadValue(std::string_view key, const TableValue& value, bool, std::vector<Layer>& place) {
  const auto* tables = std::get_if<Tables>(&value);
  if (tables == nullptr) return WrongValue(key, value, "must be a list of layers");
  auto layers = LayersOf(*tables);
  if (!layers) return Error{fmt::format(".{}{}", key, layers.error().message)};
  place = std::move(*layers);
  return {};
}

// ReadLayer reads a layer of one kind. An error begins with ": ", or with the path of a list inside
// of it.
template <class L>
Result<Layer> ReadLayer(const Table& table) {
  L layer;
  std::vector<std::string_view> names, missing;
  std::apply(
      [&](const auto&... key) {
        (names.push_back(key.name), ...);
        ((key.is_needed ? missing.push_back(key.name) : void()), ...);
      },
      KeysOfKind<L>::kKeys);
  for (const auto& entry : table.entries) {
    const std::string& name = entry.first;
    if (name == "kind") continue;
    if (std::ranges::find(names, name) == names.end()) {
      return Error{fmt::format(": unknown key {}{}", base::Quoted(name), GuessOf(name, names))};
    }
    std::erase(missing, std::string_view(name));
    Status status;
    const auto read = [&](const auto& key) {
      if (key.name == name)
        status = ReadValue(name, entry.second, key.may_be_same, layer.*key.place);
    };
    std::apply([&](const auto&... key) { (read(key), ...); }, KeysOfKind<L>::kKeys);
    if (!status) return status.error();
  }
  if (!missing.empty()) return Error{fmt::format(": {} is missing", missing[0])};
  return Layer(std::move(layer));
}

struct KindEntry {
  std::string_view name;
  Result<Layer> (*read)(const Table& table);
};

template <class... L>
std::vector<KindEntry> KindsIn(const std::variant<L...>*) {
  return {{KindOf(Layer(L{})), ReadLayer<L>}...};
}

const std::vector<KindEntry>& Kinds() {
  static const std::vector<KindEntry> kinds = KindsIn(static_cast<const Layer::Kind*>(nullptr));
  return kinds;
}

Result<Layer> LayerOf(const Table& table, const std::string& place) {
  const auto is_kind = [](const auto& entry) { return entry.first == "kind"; };
  const auto entry = std::ranges::find_if(table.entries, is_kind);
  std::vector<std::string_view> names;
  for (const KindEntry& kind : Kinds()) names.push_back(kind.name);
  if (entry == table.entries.end()) {
    return Error{fmt::format("{}: kind is missing: must be one of {}", place, base::Joined(names))};
  }
  const auto* name = std::get_if<std::string>(&entry->second);
  const auto found =
      name == nullptr ? Kinds().end() : std::ranges::find(Kinds(), *name, &KindEntry::name);
  if (found == Kinds().end()) {
    const auto nearest = name == nullptr ? std::nullopt : base::NearestName(*name, names);
    const std::string reason = nearest ? fmt::format("did you mean {}?", *nearest)
                                       : "must be one of " + base::Joined(names);
    return Error{place + WrongValue("kind", entry->second, reason).message};
  }
  auto layer = found->read(table);
  if (layer) return layer;
  const std::string& reason = layer.error().message;
  const std::string kind = reason.starts_with(":") ? fmt::format(" ({})", found->name) : "";
  return Error{place + kind + reason};
}

// --- Writing -------------------------------------------------------------------------------------

std::string TextOf(int value, bool may_be_same) {
  return may_be_same && value == Convolution::kSame ? "\"same\"" : std::to_string(value);
}
std::string TextOf(bool value, bool) { return value ? "true" : "false"; }
std::string TextOf(double value, bool) { return base::FormatNumber(value); }
std::string TextOf(const std::vector<Layer>& layers, bool) { return FormatLayers(layers); }

std::string FormatLayer(const Layer& layer) {
  std::string text = fmt::format("{{ kind = \"{}\"", KindOf(layer));
  std::visit(
      [&]<class L>(const L& own) {
        const auto add = [&](const auto& key) {
          if (!key.is_needed && own.*key.place == L{}.*key.place) return;
          text += fmt::format(", {} = {}", key.name, TextOf(own.*key.place, key.may_be_same));
        };
        std::apply([&](const auto&... key) { (add(key), ...); }, KeysOfKind<L>::kKeys);
      },
      layer.kind);
  return text + " }";
}

}  // namespace

Result<std::vector<Layer>> LayersOf(const Tables& tables) {
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    auto layer = LayerOf(tables[i], fmt::format("[{}]", i + 1));
    if (!layer) return layer.error();
    layers.push_back(std::move(*layer));
  }
  return layers;
}

std::string FormatLayers(const std::vector<Layer>& layers) {
  std::string text;
  for (const Layer& layer : layers) text += (text.empty() ? "" : ", ") + FormatLayer(layer);
  return "[" + text + "]";
}

}  // namespace airlot::scenario
