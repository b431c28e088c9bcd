// This file turns objects into records.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/npy.h"
#include "base/text.h"
#include "data/numpy_numbers.h"
#include "device/objects.h"
#include "device/records.h"

namespace airlot::device {
namespace {

using Json = nlohmann::ordered_json;

// An object that was fetched, with the bytes that it looks at.
struct Fetched {
  std::string bytes;
  Object object;
};

class Unpacker {
 public:
  Unpacker(std::size_t most_numbers, const FetchObject& fetch)
      : numbers_left_(most_numbers), fetch_(fetch) {}

  Result<Records> Message(const std::string& id) {
    auto message = Get(id, "Message");
    if (!message) return message.error();
    if (message->object.children.size() != 1) return Error{"a message has no content"};
    const auto content = Get(message->object.children[0], "RecordDict");
    if (!content) return content.error();
    const auto names = NamesIn(content->object);
    if (!names) return names.error();
    Records records;
    for (const auto& [name, record] : *names) {
      if (auto status = Add(name, record, records); !status) return status.error();
    }
    return records;
  }

 private:
  // Fetches an object of this type, or of any where it is empty.
  Result<Fetched> Get(const std::string& id, std::string_view type = {}) {
    auto bytes = fetch_(id);
    if (!bytes) return bytes.error();
    if (ObjectId(*bytes) != id) return Error{"an object is not the one that its name says"};
    Fetched fetched{.bytes = std::move(*bytes)};
    auto object = ParseObject(std::string_view(fetched.bytes));
    if (!object) return object.error();
    if (!type.empty() && object->type != type) {
      return Error{
          fmt::format("an object is {} where {} is expected", base::Quoted(object->type), type)};
    }
    fetched.object = std::move(*object);
    // The text may have moved, if it is short.
    fetched.object.body =
        std::string_view(fetched.bytes).substr(fetched.bytes.size() - fetched.object.body.size());
    return Result<Fetched>(std::move(fetched));
  }

  // Returns the names of what is below an object, and its ids, in the order of the sender.
  static Result<std::vector<std::pair<std::string, std::string>>> NamesIn(const Object& object) {
    const Json json = Json::parse(object.body, nullptr, false);
    if (!json.is_object()) return Error{"a " + object.type + " has no names"};
    std::vector<std::pair<std::string, std::string>> names;
    for (const auto& [name, id] : json.items()) {
      if (!id.is_string()) return Error{"a " + object.type + " has no names"};
      names.emplace_back(name, id.get<std::string>());
    }
    return names;
  }

  Status Add(const std::string& name, const std::string& id, Records& records) {
    const auto record = Get(id);
    if (!record) return record.error();
    const std::string& type = record->object.type;
    if (type == "ArrayRecord") {
      auto arrays = Arrays(record->object);
      if (!arrays) return arrays.error();
      records.arrays[name] = std::move(*arrays);
      return {};
    }
    if (type != "MetricRecord" && type != "ConfigRecord") {
      return Error{fmt::format("the record {} is of an unknown type", base::Quoted(name))};
    }
    fleet_api::ValueRecord values;
    if (!values.ParseFromArray(record->object.body.data(), int(record->object.body.size()))) {
      return Error{fmt::format("the record {} cannot be read", base::Quoted(name))};
    }
    Values& kept = (type == "MetricRecord" ? records.metrics : records.configs)[name];
    for (const auto& item : values.items()) Keep(item.key(), item.value(), kept);
    return {};
  }

  // Values of other types are left out.
  static void Keep(const std::string& key, const fleet_api::Value& value, Values& kept) {
    switch (value.value_case()) {
      case fleet_api::Value::kReal:
        kept[key] = value.real();
        break;
      case fleet_api::Value::kWhole:
        kept[key] = std::int64_t(value.whole());
        break;
      case fleet_api::Value::kNatural:
        kept[key] = std::int64_t(value.natural());
        break;
      case fleet_api::Value::kTruth:
        kept[key] = value.truth();
        break;
      case fleet_api::Value::kText:
        kept[key] = value.text();
        break;
      case fleet_api::Value::kReals:
        kept[key] = std::vector<double>(value.reals().vals().begin(), value.reals().vals().end());
        break;
      case fleet_api::Value::kWholes:
        kept[key] =
            std::vector<std::int64_t>(value.wholes().vals().begin(), value.wholes().vals().end());
        break;
      default:
        break;
    }
  }

  Result<std::vector<data::NamedArray>> Arrays(const Object& record) {
    const auto names = NamesIn(record);
    if (!names) return names.error();
    std::vector<data::NamedArray> arrays;
    for (const auto& [name, id] : *names) {
      auto array = Array(name, id);
      if (!array) return array.error();
      arrays.push_back(std::move(*array));
    }
    return arrays;
  }

  Result<data::NamedArray> Array(const std::string& name, const std::string& id) {
    const std::string where = "the array " + base::Quoted(name);
    const auto described = Get(id, "Array");
    if (!described) return described.error();
    const Json json = Json::parse(described->object.body, nullptr, false);
    const auto described_count = CountIn(json);
    if (!described_count) return Error{where + ": its description cannot be read"};
    const std::size_t most = IsOfLegacyApi(json) ? numbers_left_ : *described_count;
    const Error too_many{where + ": there are more numbers than the model has"};
    if (most > numbers_left_) return too_many;
    std::string npy;
    for (const Json& index : json["arraychunk_ids"]) {
      const auto& children = described->object.children;
      if (!index.is_number_unsigned() || index.get<std::size_t>() >= children.size()) {
        return Error{where + ": a chunk is missing"};
      }
      const auto chunk = Get(children[index.get<std::size_t>()], "ArrayChunk");
      if (!chunk) return chunk.error();
      npy += chunk->object.body;
      if (npy.size() > base::kMostNpyHeader + most * sizeof(double)) {
        return Error{where + ": has more bytes than its shape says"};
      }
    }
    auto array = Numbers(where, name, npy);
    if (!array) return array.error();
    if (array->values.size() > numbers_left_) return too_many;
    numbers_left_ -= array->values.size();
    return array;
  }

  // The legacy API describes no array: its shape is in its bytes alone.
  static bool IsOfLegacyApi(const Json& json) {
    const auto type = json.find("dtype");
    return json["shape"].empty() && type != json.end() && type->is_string() &&
           type->get_ref<const std::string&>().empty();
  }

  // Returns how many numbers a description promises.
  static std::optional<std::size_t> CountIn(const Json& json) {
    if (!json.is_object() || !json.contains("stype") || json["stype"] != "numpy.ndarray") {
      return std::nullopt;
    }
    if (!json.contains("arraychunk_ids") || !json["arraychunk_ids"].is_array()) return std::nullopt;
    if (!json.contains("shape") || !json["shape"].is_array()) return std::nullopt;
    std::vector<std::size_t> shape;
    for (const Json& size : json["shape"]) {
      if (!size.is_number_unsigned()) return std::nullopt;
      shape.push_back(size.get<std::size_t>());
    }
    return base::CountOf(shape);
  }

  static Result<data::NamedArray> Numbers(const std::string& where, const std::string& name,
                                          std::string_view npy) {
    const auto header = base::ParseNpyHeader(npy);
    if (!header) return Error{where + ": " + header.error().message};
    const auto type = data::TypeOf(where, *header, "float32 or float64");
    if (!type) return type.error();
    const auto count = base::CountOf(header->shape);
    npy.remove_prefix(header->bytes);
    if (!(*type)->IsFloat()) return Error{where + ": must have numbers of float32 or float64"};
    if (!count || npy.size() / (*type)->bytes != *count || npy.size() % (*type)->bytes != 0) {
      return Error{where + ": has not as many numbers as its shape says"};
    }
    auto values = data::ToFloats(where, *header, **type, npy);
    if (!values) return values.error();
    return data::NamedArray{name, header->shape, std::move(*values)};
  }

  std::size_t numbers_left_;
  const FetchObject& fetch_;
};

}  // namespace

std::optional<double> NumberOf(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
  return std::nullopt;
}

Result<Records> Unpack(const fleet_api::ObjectTree& tree, std::size_t most_numbers,
                       const FetchObject& fetch) {
  return Unpacker(most_numbers, fetch).Message(tree.object_id());
}

}  // namespace airlot::device
