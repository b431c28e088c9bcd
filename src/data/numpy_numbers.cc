#include "data/numpy_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/class_labels.h"

namespace airlot::data {
namespace {

constexpr NumberType kNumberTypes[] = {
    {"|u1", NumberType::Kind::kUnsigned, 1}, {"<u2", NumberType::Kind::kUnsigned, 2},
    {"<u4", NumberType::Kind::kUnsigned, 4}, {"<u8", NumberType::Kind::kUnsigned, 8},
    {"|i1", NumberType::Kind::kSigned, 1},   {"<i2", NumberType::Kind::kSigned, 2},
    {"<i4", NumberType::Kind::kSigned, 4},   {"<i8", NumberType::Kind::kSigned, 8},
    {"<f4", NumberType::Kind::kFloat, 4},    {"<f8", NumberType::Kind::kFloat, 8},
};

// Returns the place of an element as NumPy writes it: "x_train[17, 3]".
std::string PlaceText(const std::string& where, const base::NpyHeader& header,
                      std::size_t element) {
  std::vector<std::size_t> index(header.shape.size());
  for (std::size_t i = index.size(); i-- > 0;) {
    index[i] = element % header.shape[i];
    element /= header.shape[i];
  }
  return fmt::format("{}[{}]", where, fmt::join(index, ", "));
}

template <class Number>
Result<std::vector<float>> FloatsAs(const std::string& where, const base::NpyHeader& header,
                                    std::string_view numbers) {
  std::vector<float> values(numbers.size() / sizeof(Number));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = base::LoadLittle<Number>(numbers.data() + i * sizeof(Number));
    // The comparison is false for what is not a number, too.
    if (!(std::abs(number) <= std::numeric_limits<float>::max())) {
      return Error{fmt::format("{} = {}: must be finite, and at most 3.4e38",
                               PlaceText(where, header, i), number)};
    }
    values[i] = static_cast<float>(number);
  }
  return values;
}

template <class Number>
Result<LabelBytes> LabelsAs(const std::string& where, const base::NpyHeader& header,
                            std::string_view numbers) {
  LabelBytes labels(numbers.size() / sizeof(Number));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto number = base::LoadLittle<Number>(numbers.data() + i * sizeof(Number));
    const bool is_label =
        std::cmp_greater_equal(number, 0) && std::cmp_less_equal(number, kLargestLabel);
    if (!is_label) {
      return Error{fmt::format("{} = {}: labels must be from 0 to {}", PlaceText(where, header, i),
                               number, kLargestLabel)};
    }
    labels[i] = static_cast<std::uint8_t>(number);
  }
  return labels;
}

template <class Byte, class Two, class Four, class Eight>
Result<LabelBytes> LabelsOfSize(const std::string& where, const base::NpyHeader& header,
                                const NumberType& type, std::string_view numbers) {
  if (type.bytes == 1) return LabelsAs<Byte>(where, header, numbers);
  if (type.bytes == 2) return LabelsAs<Two>(where, header, numbers);
  if (type.bytes == 4) return LabelsAs<Four>(where, header, numbers);
  return LabelsAs<Eight>(where, header, numbers);
}

}  // namespace

Result<const NumberType*> TypeOf(const std::string& where, const base::NpyHeader& header,
                                 std::string_view wanted) {
  const auto* type = std::ranges::find(kNumberTypes, header.type, &NumberType::code);
  if (type == std::end(kNumberTypes)) {
    return Error{fmt::format("{}: has the type {}: must be {}", where,
                             base::TypeInWords(header.type), wanted)};
  }
  if (header.is_fortran_order && header.shape.size() > 1) {
    return Error{fmt::format(
        "{}: is in Fortran order: must be in C order (numpy.ascontiguousarray makes it)", where)};
  }
  return type;
}

Result<std::vector<float>> ToFloats(const std::string& where, const base::NpyHeader& header,
                                    const NumberType& type, std::string_view numbers) {
  return type.bytes == 4 ? FloatsAs<float>(where, header, numbers)
                         : FloatsAs<double>(where, header, numbers);
}

Result<LabelBytes> ToLabels(const std::string& where, const base::NpyHeader& header,
                            const NumberType& type, std::string_view numbers) {
  if (type.kind == NumberType::Kind::kSigned) {
    return LabelsOfSize<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(where, header, type,
                                                                               numbers);
  }
  return LabelsOfSize<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(where, header,
                                                                                 type, numbers);
}

}  // namespace airlot::data
