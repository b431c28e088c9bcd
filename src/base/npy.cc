#include "base/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "base/little_endian.h"
#include "base/text.h"

// The format of an array is that of numpy.lib.format: six bytes, the version, the length of the
// header, the header (a dictionary of Python, spaces and a line feed), the numbers.
namespace airlot::base {
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

template <class Number>
void NumbersToDoubles(std::string_view elements, double* values) {
  for (std::size_t i = 0; i < elements.size() / sizeof(Number); ++i) {
    values[i] = static_cast<double>(LoadLittle<Number>(elements.data() + i * sizeof(Number)));
  }
}

}  // namespace

ElementType ElementTypeOf(std::string_view code) {
  using Kind = ElementType::Kind;
  constexpr std::pair<std::string_view, ElementType> kNumbers[] = {
      {"|u1", {Kind::kUnsigned, 1}}, {"<u2", {Kind::kUnsigned, 2}}, {"<u4", {Kind::kUnsigned, 4}},
      {"<u8", {Kind::kUnsigned, 8}}, {"|i1", {Kind::kSigned, 1}},   {"<i2", {Kind::kSigned, 2}},
      {"<i4", {Kind::kSigned, 4}},   {"<i8", {Kind::kSigned, 8}},   {"<f4", {Kind::kFloat, 4}},
      {"<f8", {Kind::kFloat, 8}},
  };
  for (const auto& [name, type] : kNumbers) {
    if (code == name) return type;
  }
  const bool is_bytes = code.starts_with("|S");
  if (!is_bytes && !code.starts_with("<U")) return {};
  std::size_t characters = 0;
  constexpr std::size_t kMostCharacters = std::size_t{1} << 32;
  const auto [stop, fault] =
      std::from_chars(code.data() + 2, code.data() + code.size(), characters);
  if (fault != std::errc() || stop != code.data() + code.size() || characters > kMostCharacters) {
    return {};
  }
  return is_bytes ? ElementType{Kind::kBytes, characters}
                  : ElementType{Kind::kCharacters, 4 * characters};
}

std::string TypeInWords(std::string_view code) {
  constexpr std::pair<std::string_view, std::string_view> kKinds[] = {{"O", "objects of Python"},
                                                                      {"b", "true or false"},
                                                                      {"f", "float"},
                                                                      {"i", "integer"},
                                                                      {"u", "unsigned"},
                                                                      {"c", "complex"},
                                                                      {"U", "text"},
                                                                      {"S", "text"},
                                                                      {"M", "dates"}};
  const bool is_big_endian = code.starts_with('>');
  for (const auto& [letter, words] : kKinds) {
    if (code.size() < 2 || code.substr(1, 1) != letter) continue;
    return fmt::format("{} ({}{})", Quoted(code), is_big_endian ? "big-endian " : "", words);
  }
  return Quoted(code);
}

void ToDoubles(const ElementType& type, std::string_view elements, double* values) {
  switch (type.kind) {
    case ElementType::Kind::kFloat:
      return type.bytes == 4 ? NumbersToDoubles<float>(elements, values)
                             : NumbersToDoubles<double>(elements, values);
    case ElementType::Kind::kSigned:
      if (type.bytes == 1) return NumbersToDoubles<std::int8_t>(elements, values);
      if (type.bytes == 2) return NumbersToDoubles<std::int16_t>(elements, values);
      if (type.bytes == 4) return NumbersToDoubles<std::int32_t>(elements, values);
      return NumbersToDoubles<std::int64_t>(elements, values);
    default:
      if (type.bytes == 1) return NumbersToDoubles<std::uint8_t>(elements, values);
      if (type.bytes == 2) return NumbersToDoubles<std::uint16_t>(elements, values);
      if (type.bytes == 4) return NumbersToDoubles<std::uint32_t>(elements, values);
      return NumbersToDoubles<std::uint64_t>(elements, values);
  }
}

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

}  // namespace airlot::base
