// This file turns records into objects.
#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "device/objects.h"
#include "device/records.h"

namespace airlot::device {
namespace {

using Json = nlohmann::ordered_json;

// Flower cuts arrays into chunks of at most so many bytes.
constexpr std::size_t kMostChunk = std::size_t(5) << 20;

class Packer {
 public:
  explicit Packer(Parcel& parcel) : parcel_(parcel) {}

  // Adds an object above those of `below`, and returns its tree.
  fleet_api::ObjectTree Add(const std::string& type, std::string_view body,
                            std::vector<fleet_api::ObjectTree> below = {}) {
    Object object{.type = type, .body = body};
    fleet_api::ObjectTree tree;
    for (fleet_api::ObjectTree& child : below) {
      if (std::ranges::find(object.children, child.object_id()) != object.children.end()) continue;
      object.children.push_back(child.object_id());
      *tree.add_children() = std::move(child);
    }
    std::string bytes = EncodeObject(object);
    tree.set_object_id(ObjectId(bytes));
    const auto is_same = [&](const Parcel::Part& part) { return part.id == tree.object_id(); };
    if (std::ranges::none_of(parcel_.parts, is_same)) {
      parcel_.parts.push_back({tree.object_id(), std::move(bytes)});
    }
    return tree;
  }

  fleet_api::ObjectTree AddArray(const data::NamedArray& array) {
    static_assert(std::endian::native == std::endian::little);
    std::string npy = base::EncodeNpyHeader("<f4", array.shape);
    if (!array.values.empty()) {
      npy.append(reinterpret_cast<const char*>(array.values.data()),
                 array.values.size() * sizeof(float));
    }
    std::vector<fleet_api::ObjectTree> chunks;
    std::vector<std::string> names;  // of different chunks
    Json order = Json::array();
    for (std::size_t start = 0; start < npy.size(); start += kMostChunk) {
      chunks.push_back(Add("ArrayChunk", std::string_view(npy).substr(start, kMostChunk)));
      const std::string& id = chunks.back().object_id();
      const auto known = std::ranges::find(names, id);
      order.push_back(known - names.begin());
      if (known == names.end()) names.push_back(id);
    }
    const Json body{{"dtype", "float32"},
                    {"shape", array.shape},
                    {"stype", "numpy.ndarray"},
                    {"arraychunk_ids", order}};
    return Add("Array", body.dump(), std::move(chunks));
  }

  fleet_api::ObjectTree AddArrays(std::vector<data::NamedArray> arrays) {
    Json names = Json::object();
    std::vector<fleet_api::ObjectTree> below;
    for (data::NamedArray& array : arrays) {
      below.push_back(AddArray(array));
      names[array.name] = below.back().object_id();
      array.values = {};
    }
    return Add("ArrayRecord", names.dump(), std::move(below));
  }

  fleet_api::ObjectTree AddValues(const std::string& type, const Values& values) {
    fleet_api::ValueRecord record;
    for (const auto& [key, value] : values) {
      fleet_api::ValueRecord::Item& item = *record.add_items();
      item.set_key(key);
      std::visit([&](const auto& held) { Set(held, *item.mutable_value()); }, value);
    }
    return Add(type, record.SerializeAsString());
  }

 private:
  static void Set(double held, fleet_api::Value& value) { value.set_real(held); }
  static void Set(std::int64_t held, fleet_api::Value& value) { value.set_whole(held); }
  static void Set(bool held, fleet_api::Value& value) { value.set_truth(held); }
  static void Set(const std::string& held, fleet_api::Value& value) { value.set_text(held); }
  static void Set(const std::vector<double>& held, fleet_api::Value& value) {
    for (const double number : held) value.mutable_reals()->add_vals(number);
  }
  static void Set(const std::vector<std::int64_t>& held, fleet_api::Value& value) {
    for (const std::int64_t number : held) value.mutable_wholes()->add_vals(number);
  }

  Parcel& parcel_;
};

// The name of a message is that of its object, which has the message without its name.
void Close(const fleet_api::Metadata& metadata, std::vector<fleet_api::ObjectTree> below,
           Parcel& parcel) {
  *parcel.message.mutable_metadata() = metadata;
  parcel.message.mutable_metadata()->clear_message_id();
  parcel.tree = Packer(parcel).Add("Message", parcel.message.SerializeAsString(), std::move(below));
  parcel.message.mutable_metadata()->set_message_id(parcel.tree.object_id());
}

}  // namespace

Parcel Pack(const fleet_api::Metadata& metadata, Records records) {
  Parcel parcel;
  Packer packer(parcel);
  Json names = Json::object();
  std::vector<fleet_api::ObjectTree> below;
  const auto add = [&](const std::string& name, fleet_api::ObjectTree tree) {
    names[name] = tree.object_id();
    below.push_back(std::move(tree));
  };
  for (auto& [name, arrays] : records.arrays) add(name, packer.AddArrays(std::move(arrays)));
  for (const auto& [name, values] : records.metrics) {
    add(name, packer.AddValues("MetricRecord", values));
  }
  for (const auto& [name, values] : records.configs) {
    add(name, packer.AddValues("ConfigRecord", values));
  }
  std::vector<fleet_api::ObjectTree> content;
  content.push_back(packer.Add("RecordDict", names.dump(), std::move(below)));
  Close(metadata, std::move(content), parcel);
  parcel.message.mutable_content();  // It is there, and empty.
  return parcel;
}

Parcel PackFailure(const fleet_api::Metadata& metadata, const std::string& reason) {
  Parcel parcel;
  parcel.message.mutable_error()->set_code(0);
  parcel.message.mutable_error()->set_reason(reason);
  Close(metadata, {}, parcel);
  return parcel;
}

}  // namespace airlot::device
