#include "data/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "data/little_endian.h"

// The format of an array is that of numpy.lib.format: six bytes, the version, the length of the
// header, the header (a dictionary of Python, spaces and a line feed), the numbers.
namespace airlot::data {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;  // of the numbers
constexpr std::size_t kMostDimensions = 32;

struct Dictionary {
  std::optional<std::string> type;
  std::optional<bool> is_fortran_order;
  std::optional<std::vector<std::size_t>> shape;
};

// A HeaderReader takes the dictionary apart. Its functions return false where something else
// stands there.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  // The three keys may stand in any order, each once, and nothing else may.
  bool Take(Dictionary& header) {
    if (!Take('{')) return false;
    while (!Take('}')) {
      std::string key;
      if (!TakeText(key) || !Take(':') || !TakeValue(key, header)) return false;
      if (!Take(',') && !Next('}')) return false;
    }
    SkipSpaces();
    return rest_ == "\n" && header.type && header.is_fortran_order && header.shape;
  }

 private:
  bool TakeValue(const std::string& key, Dictionary& header) {
    if (key == "descr" && !header.type) return TakeText(header.type.emplace());
    if (key == "fortran_order" && !header.is_fortran_order) {
      header.is_fortran_order = TakeWord("True");
      return *header.is_fortran_order || TakeWord("False");
    }
    return key == "shape" && !header.shape && TakeShape(header.shape.emplace());
  }

  bool TakeShape(std::vector<std::size_t>& shape) {
    if (!Take('(')) return false;
    while (!Take(')')) {
      if (shape.size() == kMostDimensions || !TakeCount(shape.emplace_back())) return false;
      // A shape of one dimension has a comma, too: (10,) is a list, and (10) a number.
      if (!Take(',') && (shape.size() == 1 || !Next(')'))) return false;
    }
    return true;
  }

  bool TakeCount(std::size_t& count) {
    SkipSpaces();
    const auto [stop, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), count);
    if (fault != std::errc()) return false;
    rest_.remove_prefix(std::size_t(stop - rest_.data()));
    return true;
  }

  bool TakeText(std::string& text) {
    if (!Take('\'')) return false;
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) return false;
    text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool TakeWord(std::string_view word) {
    SkipSpaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool Take(char c) { return TakeWord({&c, 1}); }

  bool Next(char c) {
    SkipSpaces();
    return rest_.starts_with(c);
  }

  void SkipSpaces() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

}  // namespace

std::string ShapeText(std::span<const std::size_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::optional<std::size_t> CountOf(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t size : shape) {
    if (size > 0 && count > std::numeric_limits<std::size_t>::max() / size) return std::nullopt;
    count *= size;
  }
  return count;
}

std::string EncodeNpyHeader(std::string_view type, std::span<const std::size_t> shape) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type,
                                   ShapeText(shape));
  const std::size_t before = kMagic.size() + 2 + 2;
  header.append(kAlignment - 1 - (before + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {1, 0, char(header.size() & 0xff), char(header.size() >> 8)};
  return bytes + header;
}

Result<NpyHeader> ParseNpyHeader(std::string_view bytes) {
  const std::size_t length_at = kMagic.size() + 2;
  if (!bytes.starts_with(kMagic) || bytes.size() < length_at) return Error{"is not a NumPy array"};
  const int version = static_cast<unsigned char>(bytes[kMagic.size()]);
  if (version < 1 || version > 3) {
    return Error{fmt::format("has version {} of NumPy's format: must be 1, 2 or 3", version)};
  }
  const std::size_t length_size = version == 1 ? 2 : 4;
  const std::size_t header_at = length_at + length_size;
  if (bytes.size() < header_at) return Error{"is cut off in its header"};
  const std::size_t length = LittleEndian(bytes.substr(length_at, length_size));
  constexpr std::size_t kMostLength = 65535;
  static_assert(kMostNpyHeader >= 12 + kMostLength);
  if (length > kMostLength) {
    return Error{fmt::format("claims a header of {} bytes: must be <= {}", length, kMostLength)};
  }
  if (bytes.size() - header_at < length) return Error{"is cut off in its header"};
  const std::string_view text = bytes.substr(header_at, length);
  Dictionary found;
  if (!HeaderReader(text).Take(found)) {
    if (text.find("'descr': [") != std::string_view::npos) {
      return Error{"has records of several fields: must have plain numbers"};
    }
    return Error{"its header is not one that NumPy writes"};
  }
  return NpyHeader{.type = std::move(*found.type),
                   .is_fortran_order = *found.is_fortran_order,
                   .shape = std::move(*found.shape),
                   .bytes = header_at + length};
}

}  // namespace airlot::data
