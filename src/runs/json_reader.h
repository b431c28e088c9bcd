// A JsonReader takes the parts of a JSON file of ours. Of the parts that are not as we write them,
// it keeps the first as the error.
#ifndef AIRLOT_RUNS_JSON_READER_H_
#define AIRLOT_RUNS_JSON_READER_H_

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "airlot/result.h"

namespace airlot::runs {

class JsonReader {
 public:
  // Tells whether a part is there. A part that must be there and is not is an error.
  bool Has(const nlohmann::ordered_json& json, const char* key, bool must_be) {
    const bool is_there = json.contains(key);
    if (!is_there && must_be) Wrong(fmt::format("{} is missing", key));
    return is_there;
  }
  void Text(const nlohmann::ordered_json& json, const char* key, std::string& text,
            bool must_be = true) {
    if (!Has(json, key, must_be)) return;
    if (!json[key].is_string()) return Wrong(fmt::format("{} must be a text", key));
    text = json[key].get<std::string>();
  }
  // Takes a text that is empty, or not there, where there is none.
  void TextOrNone(const nlohmann::ordered_json& json, const char* key,
                  std::optional<std::string>& text) {
    std::string written;
    Text(json, key, written, false);
    if (!written.empty()) text = std::move(written);
  }
  void Count(const nlohmann::ordered_json& json, const char* key, std::uint64_t& count) {
    if (!Has(json, key, true)) return;
    if (!json[key].is_number_unsigned()) return Wrong(fmt::format("{} must be a count", key));
    count = json[key].get<std::uint64_t>();
  }
  void Number(const nlohmann::ordered_json& json, const char* key, double& number) {
    if (!Has(json, key, true)) return;
    if (!json[key].is_number()) return Wrong(fmt::format("{} must be a number", key));
    number = json[key].get<double>();
  }
  // Calls take(part) for each part of a list.
  template <class Take>
  void List(const nlohmann::ordered_json& json, const char* key, bool must_be, const Take& take) {
    if (!Has(json, key, must_be)) return;
    if (!json[key].is_array()) return Wrong(fmt::format("{} must be a list", key));
    for (const nlohmann::ordered_json& part : json[key]) take(part);
  }
  // Takes a list of texts, or nothing where it is not there.
  void TextsOrNone(const nlohmann::ordered_json& json, const char* key,
                   std::optional<std::vector<std::string>>& texts) {
    if (!Has(json, key, false)) return;
    texts.emplace();
    List(json, key, false, [&](const nlohmann::ordered_json& part) {
      if (!part.is_string()) return Wrong(fmt::format("{} must be texts", key));
      texts->push_back(part.get<std::string>());
    });
  }
  void Wrong(const std::string& what) {
    if (status_) status_ = Error{what};
  }
  const Status& status() const { return status_; }

 private:
  Status status_;
};

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_JSON_READER_H_
