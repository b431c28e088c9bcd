#include "device/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/text.h"
#include "data/sha256.h"

namespace airlot::device {
namespace {

constexpr std::size_t kIdLength = 64;

bool IsId(std::string_view text) {
  return text.size() == kIdLength &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

// An object is "<type> <children, with commas between them> <length of the body>", a zero byte, and
// the body.
Result<Object> ParseObject(std::string_view bytes) {
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos) return Error{"an object has no head"};
  const std::string_view head = bytes.substr(0, end);
  const std::size_t first = head.find(' '), last = head.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return Error{"an object begins with " + base::Quoted(head) + ", which is no head"};
  }
  Object object{.type = std::string(head.substr(0, first)), .body = bytes.substr(end + 1)};
  std::string_view names = head.substr(first + 1, last - first - 1);
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    if (!IsId(names.substr(0, comma))) {
      return Error{"an object names " + base::Quoted(names.substr(0, comma)) +
                   ", which is no name of an object"};
    }
    object.children.emplace_back(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  const std::string_view digits = head.substr(last + 1);
  std::size_t length = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc() || stop != digits.data() + digits.size() ||
      length != object.body.size()) {
    return Error{fmt::format("an object says that it has {} bytes, and has {}",
                             base::Quoted(digits), object.body.size())};
  }
  return object;
}

std::string EncodeObject(const Object& object) {
  std::string bytes = object.type + ' ';
  for (std::size_t i = 0; i < object.children.size(); ++i) {
    if (i > 0) bytes += ',';
    bytes += object.children[i];
  }
  bytes += fmt::format(" {}", object.body.size());
  bytes += '\0';
  bytes += object.body;
  return bytes;
}

std::string ObjectId(std::string_view bytes) {
  data::Sha256 sum;
  sum.Update({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return sum.Hex();
}

}  // namespace airlot::device
