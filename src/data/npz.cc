#include "data/npz.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/little_endian.h"
#include "base/npy.h"
#include "base/text.h"
#include "base/zip.h"

namespace airlot::data {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::string_view kFloat32 = "<f4";

std::string EncodeNpy(const NamedArray& array) {
  const auto count = base::CountOf(array.shape);
  AIRLOT_CHECK(count == array.values.size(), "{} values in {}", array.values.size(),
               base::ShapeText(array.shape));
  std::string bytes = base::EncodeNpyHeader(kFloat32, array.shape);
  bytes.reserve(bytes.size() + 4 * array.values.size());
  for (const float value : array.values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (const int shift : {0, 8, 16, 24}) bytes += char(bits >> shift & 0xff);
  }
  return bytes;
}

// Returns what is wrong, without the name of the array.
Status DecodeNpy(std::string_view bytes, NamedArray& array) {
  auto header = base::ParseNpyHeader(bytes);
  if (!header) return header.error();
  if (header->type != kFloat32) {
    return Error{fmt::format("has numbers of type {}: must be {}, little-endian float32",
                             base::Quoted(header->type), kFloat32)};
  }
  const auto count = base::CountOf(header->shape);
  if (header->is_fortran_order && header->shape.size() > 1) {
    return Error{"is in Fortran order: must be in C order"};
  }
  const std::string_view numbers = bytes.substr(header->bytes);
  if (!count || numbers.size() % 4 != 0 || *count != numbers.size() / 4) {
    return Error{fmt::format("has {} bytes of numbers, which the shape {} does not need",
                             numbers.size(), base::ShapeText(header->shape))};
  }
  array.shape = std::move(header->shape);
  array.values.reserve(*count);
  for (std::size_t at = 0; at < numbers.size(); at += 4) {
    array.values.push_back(std::bit_cast<float>(base::LittleEndian(numbers.substr(at, 4))));
  }
  return {};
}

}  // namespace

Result<std::string> EncodeNpz(std::span<const NamedArray> arrays) {
  std::vector<base::ZipMember> members;
  for (const NamedArray& array : arrays) {
    members.push_back({array.name + std::string(kSuffix), EncodeNpy(array)});
  }
  return base::EncodeZip(members);
}

Result<std::vector<NamedArray>> DecodeNpz(std::string_view bytes) {
  auto members = base::DecodeZip(bytes);
  if (!members) return members.error();
  std::vector<NamedArray> arrays;
  for (base::ZipMember& member : *members) {
    if (!member.name.ends_with(kSuffix)) {
      return Error{fmt::format("{}: is not an array: its name must end with {}",
                               base::Quoted(member.name), kSuffix)};
    }
    NamedArray& array = arrays.emplace_back();
    array.name = member.name.substr(0, member.name.size() - kSuffix.size());
    if (auto status = DecodeNpy(member.bytes, array); !status) {
      return Error{fmt::format("{}: {}", base::Quoted(array.name), status.error().message)};
    }
    member.bytes = {};
  }
  return arrays;
}

}  // namespace airlot::data
