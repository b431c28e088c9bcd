// Records are what a message of Flower holds: arrays, figures and settings, each under a name.
#ifndef AIRLOT_DEVICE_RECORDS_H_
#define AIRLOT_DEVICE_RECORDS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "airlot/result.h"
#include "data/npz.h"
#include "device/fleet_api.pb.h"

namespace airlot::device {

using Value = std::variant<double, std::int64_t, bool, std::string, std::vector<double>,
                           std::vector<std::int64_t>>;
using Values = std::map<std::string, Value>;

struct Records {
  std::map<std::string, std::vector<data::NamedArray>> arrays;  // in the order of the sender
  std::map<std::string, Values> metrics;
  std::map<std::string, Values> configs;
};

// Returns the number that a value is, if it is one.
std::optional<double> NumberOf(const Value& value);

// A Parcel is a message as the SuperLink takes it: its head, and the objects that follow, those
// below an object before it.
struct Parcel {
  struct Part {
    std::string id;
    std::string bytes;
  };
  fleet_api::Message message;  // with its id, and without its content
  fleet_api::ObjectTree tree;
  std::vector<Part> parts;  // each once
};

// Packs a message of this metadata, whose id is left open. The arrays are let go on the way.
Parcel Pack(const fleet_api::Metadata& metadata, Records records);
// Packs one that only says what went wrong.
Parcel PackFailure(const fleet_api::Metadata& metadata, const std::string& reason);

// Returns the bytes of the object of this name.
using FetchObject = std::function<Result<std::string>(const std::string& id)>;

// Fetches the objects of a message, one after another, and returns what they hold. Every object
// must be the one that its name says. Fails where there are more than `most_numbers` in its arrays,
// before they are fetched.
Result<Records> Unpack(const fleet_api::ObjectTree& tree, std::size_t most_numbers,
                       const FetchObject& fetch);

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_RECORDS_H_
