#include "data/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "data/byte_reader.h"

namespace airlot::data {
namespace {

constexpr std::uint8_t kUnsignedByte = 0x08;

std::string_view TypeName(std::uint8_t type) {
  constexpr std::pair<std::uint8_t, std::string_view> kTypes[] = {
      {0x08, "unsigned byte"},  {0x09, "signed byte"}, {0x0b, "16-bit integer"},
      {0x0c, "32-bit integer"}, {0x0d, "float"},       {0x0e, "double"}};
  for (const auto& [known, name] : kTypes) {
    if (known == type) return name;
  }
  return "unknown";
}

Status CheckMagic(const std::string& path, std::span<const std::uint8_t> magic, Ranks ranks) {
  if (magic[0] != 0 || magic[1] != 0) {
    return Error{fmt::format("{}: is not an IDX file: begins with {:02x}, expected 00 00 08 {:02x}",
                             path, fmt::join(magic, " "), ranks.least)};
  }
  if (magic[2] != kUnsignedByte) {
    return Error{fmt::format("{}: has type 0x{:02x} ({}), expected 0x08 (unsigned byte)", path,
                             magic[2], TypeName(magic[2]))};
  }
  if (magic[3] < ranks.least || magic[3] > ranks.most) {
    const std::string expected = ranks.least == ranks.most
                                     ? fmt::to_string(ranks.least)
                                     : fmt::format("{} to {}", ranks.least, ranks.most);
    return Error{fmt::format("{}: has {} dimension{}, expected {}", path, magic[3],
                             magic[3] == 1 ? "" : "s", expected)};
  }
  return {};
}

std::uint32_t BigEndian(std::span<const std::uint8_t> bytes) {
  std::uint32_t value = 0;
  for (const std::uint8_t byte : bytes.first(4)) value = value << 8 | byte;
  return value;
}

// NumberOfValues returns the product, or nothing where it is beyond what we read.
std::optional<std::uint64_t> NumberOfValues(std::span<const std::uint32_t> dimensions) {
  std::uint64_t product = 1;
  for (const std::uint32_t dimension : dimensions) {
    product *= dimension;  // below 2^31 * 2^32
    if (product >= kMostBytes) return std::nullopt;
  }
  return product;
}

struct Header {
  std::vector<std::uint32_t> dimensions;
  std::uint64_t bytes = 0;  // of the header itself
  std::uint64_t values = 0;

  std::string Shape() const { return fmt::format("{}", fmt::join(dimensions, " x ")); }
  Error WrongLength(const std::string& path, const std::string& found) const {
    return {
        fmt::format("{}: has {} bytes, expected {} for {}", path, found, bytes + values, Shape())};
  }
};

Result<Header> ReadHeader(ByteReader& file, Ranks ranks) {
  constexpr std::size_t kMagicBytes = 4;
  const auto too_short = [&](std::size_t found, std::size_t rank) {
    return Error{fmt::format("{}: has {} bytes, an IDX file begins with {}", file.path(), found,
                             kMagicBytes + 4 * rank)};
  };
  std::array<std::uint8_t, kMagicBytes> magic;
  auto got = file.Read(magic);
  if (!got) return got.error();
  if (*got < kMagicBytes) return too_short(*got, ranks.least);
  if (auto status = CheckMagic(file.path(), magic, ranks); !status) return status.error();
  const std::size_t rank = magic[3];
  std::vector<std::uint8_t> bytes(4 * rank);
  got = file.Read(bytes);
  if (!got) return got.error();
  if (*got < bytes.size()) return too_short(kMagicBytes + *got, rank);
  Header header{.bytes = kMagicBytes + bytes.size()};
  for (std::size_t i = 0; i < rank; ++i) {
    header.dimensions.push_back(BigEndian(std::span(bytes).subspan(4 * i)));
  }
  return header;
}

// CheckLength checks the dimensions against each other and against the length of the file.
Status CheckLength(const ByteReader& file, Header& header) {
  const auto values = NumberOfValues(header.dimensions);
  if (!values) {
    return Error{fmt::format("{}: claims {} values, more than {} bytes", file.path(),
                             header.Shape(), kMostBytes)};
  }
  if (*values == 0) {
    return Error{
        fmt::format("{}: has {} values: each dimension must be >= 1", file.path(), header.Shape())};
  }
  header.values = *values;
  if (file.size() && *file.size() != header.bytes + header.values) {
    return header.WrongLength(file.path(), std::to_string(*file.size()));
  }
  return {};
}

Result<Header> ReadCheckedHeader(ByteReader& file, Ranks ranks) {
  auto header = ReadHeader(file, ranks);
  if (!header) return header;
  if (auto status = CheckLength(file, *header); !status) return status.error();
  return header;
}

// Memory is touched only as bytes arrive, so a header that lies costs nothing.
Result<std::vector<std::uint8_t>> ReadValues(ByteReader& file, const Header& header) {
  std::vector<std::uint8_t> values;
  values.reserve(header.values);
  std::array<std::uint8_t, std::size_t{1} << 16> part;
  while (true) {
    const auto got = file.Read(part);
    if (!got) return got.error();
    if (values.size() + *got > header.values) {
      return header.WrongLength(file.path(),
                                fmt::format("more than {}", header.bytes + header.values));
    }
    values.insert(values.end(), part.begin(), part.begin() + std::ptrdiff_t(*got));
    if (*got < part.size()) break;
  }
  if (values.size() < header.values) {
    return header.WrongLength(file.path(), std::to_string(header.bytes + values.size()));
  }
  return values;
}

}  // namespace

Result<IdxArray> ReadIdx(const std::string& path, Ranks ranks) {
  auto file = ByteReader::Open(path);
  if (!file) return file.error();
  auto header = ReadCheckedHeader(*file, ranks);
  if (!header) return header.error();
  auto values = ReadValues(*file, *header);
  if (!values) return values.error();
  return IdxArray{std::move(header->dimensions), std::move(*values)};
}

Result<std::vector<std::uint32_t>> ReadIdxDimensions(const std::string& path, Ranks ranks) {
  auto file = ByteReader::Open(path);
  if (!file) return file.error();
  auto header = ReadCheckedHeader(*file, ranks);
  if (!header) return header.error();
  return std::move(header->dimensions);
}

}  // namespace airlot::data
