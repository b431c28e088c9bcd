#include <charconv>

#include "airlot/fleet.h"
#include "base/check.h"

namespace airlot {

DeviceIds DeviceIds::RowNumbersFrom(std::size_t first_device) {
  DeviceIds ids;
  ids.first_device_ = first_device;
  return ids;
}

void DeviceIds::Append(std::string_view id) {
  AIRLOT_CHECK(width_ == 0, "names of {} bytes each", width_);
  text_.insert(text_.end(), id.begin(), id.end());
  ends_.push_back(text_.size());
}

std::string_view DeviceIds::Get(std::size_t device, std::string& buffer) const {
  if (width_ > 0) {
    const std::string_view padded(text_.data() + device * width_, width_);
    const std::size_t last = padded.find_last_not_of('\0');
    return padded.substr(0, last == std::string_view::npos ? 0 : last + 1);
  }
  if (ends_.empty()) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, first_device_ + device + 1).ptr;
    return buffer.assign(digits, end);
  }
  const std::size_t begin = device == 0 ? 0 : ends_[device - 1];
  return {text_.data() + begin, ends_[device] - begin};
}

}  // namespace airlot
