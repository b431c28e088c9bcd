// ByteWriter turns numbers into bytes and ByteReader turns them back, for what must be kept
// exactly: numbers are little-endian bits, and each list stands after its count.
#ifndef AIRLOT_BYTES_H_
#define AIRLOT_BYTES_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace airlot {

// A PlainNumber has four or eight bytes.
template <class T>
concept PlainNumber = std::is_arithmetic_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

template <PlainNumber T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// kByteSize is how many bytes a value takes that is no list.
template <PlainNumber T>
constexpr std::size_t ByteSize(const T*) {
  return sizeof(T);
}
template <PlainNumber T>
constexpr std::size_t ByteSize(const std::optional<T>*) {
  return 4 + sizeof(T);
}
template <class T>
inline constexpr std::size_t kByteSize = ByteSize(static_cast<const T*>(nullptr));

class ByteWriter {
 public:
  template <PlainNumber T>
  void Put(T value) {
    const auto bits = std::bit_cast<BitsOf<T>>(value);
    char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
    bytes_.append(bytes, sizeof(T));
  }
  // Puts whether there is a number, and then the number, or 0 where there is none.
  template <PlainNumber T>
  void Put(const std::optional<T>& value) {
    Put(std::uint32_t{value.has_value()});
    Put(value.value_or(T{}));
  }
  template <PlainNumber T>
  void Put(const std::vector<T>& values) {
    Put(std::uint64_t{values.size()});
    if constexpr (std::endian::native == std::endian::little) {
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    } else {
      for (const T value : values) Put(value);
    }
  }
  template <class T>
  void Put(const std::vector<std::vector<T>>& lists) {
    Put(std::uint64_t{lists.size()});
    for (const std::vector<T>& list : lists) Put(list);
  }
  void Put(std::string_view text) {
    Put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  void PutRaw(std::string_view bytes) { bytes_ += bytes; }

  const std::string& bytes() const& { return bytes_; }
  std::string bytes() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Takes values off the front of bytes. No count is believed: a list is never made longer than the
// bytes that are there. Once there are too few, all that it gives is 0 or empty.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  // Says whether all bytes were taken, and none was missing.
  bool is_done() const { return !is_short_ && rest_.empty(); }

  template <PlainNumber T>
  void Take(T& value) {
    BitsOf<T> bits = 0;
    const std::string_view bytes = TakeRaw(sizeof(T));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bits |= static_cast<BitsOf<T>>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    value = std::bit_cast<T>(bits);
  }
  template <PlainNumber T>
  void Take(std::optional<T>& value) {
    std::uint32_t has_value = 0;
    T number{};
    Take(has_value);
    Take(number);
    value.reset();
    if (has_value != 0) value = number;
  }
  template <PlainNumber T>
  void Take(std::vector<T>& values) {
    values.resize(TakeCount(sizeof(T)));
    if constexpr (std::endian::native == std::endian::little) {
      const std::string_view bytes = TakeRaw(values.size() * sizeof(T));
      std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(values.data()));
    } else {
      for (T& value : values) Take(value);
    }
  }
  template <class T>
  void Take(std::vector<std::vector<T>>& lists) {
    lists.resize(TakeCount(sizeof(std::uint64_t)));
    for (std::vector<T>& list : lists) Take(list);
  }
  void Take(std::string& text) { text = TakeRaw(TakeCount(1)); }

  // Takes a count of things of at least `size` bytes each; it is 0 where so many cannot follow.
  std::size_t TakeCount(std::size_t size) {
    std::uint64_t count = 0;
    Take(count);
    if (count <= rest_.size() / size) return count;
    Fail();
    return 0;
  }
  std::string_view TakeRaw(std::size_t size) {
    if (size > rest_.size()) Fail();
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

 private:
  void Fail() {
    is_short_ = true;
    rest_ = {};
  }

  std::string_view rest_;
  bool is_short_ = false;
};

}  // namespace airlot

#endif  // AIRLOT_BYTES_H_
