#include <charconv>

#include "airlot/fleet.h"

namespace airlot {

void DeviceIds::Append(std::string_view id) {
  text_ += id;
  ends_.push_back(text_.size());
}

std::string_view DeviceIds::Get(std::size_t device, std::string& buffer) const {
  if (ends_.empty()) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, device + 1).ptr;
    return buffer.assign(digits, end);
  }
  const std::size_t begin = device == 0 ? 0 : ends_[device - 1];
  return std::string_view(text_).substr(begin, ends_[device] - begin);
}

}  // namespace airlot
