#include "data/numpy_set.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "data/byte_reader.h"
#include "data/class_labels.h"
#include "data/numpy_files.h"
#include "data/numpy_numbers.h"
#include "data/sample_layout.h"

namespace airlot::data {
namespace {

// An SetArray is one of the four, before its numbers are read.
struct SetArray {
  std::string_view name;
  std::string where;
  base::NpyHeader header;
  const NumberType* type = nullptr;
  std::size_t count = 0;  // of all numbers

  std::size_t samples() const { return header.shape[0]; }
  std::size_t bytes() const { return count * type->bytes; }
};

Result<SetArray> DescribeArray(const NumpyFiles& files, std::string_view name,
                               std::string_view wanted) {
  auto header = files.ReadHeader(name);
  if (!header) return header.error();
  SetArray array{name, files.Where(name), std::move(*header)};
  auto type = TypeOf(array.where, array.header, wanted);
  if (!type) return type.error();
  array.type = *type;
  const std::string shape = base::ShapeText(array.header.shape);
  if (array.header.shape.empty()) {
    return Error{fmt::format("{}: is one number: must have a dimension of samples", array.where)};
  }
  const auto count = base::CountOf(array.header.shape);
  if (!count || *count >= kMostBytes || *count * array.type->bytes > kMostBytes) {
    return Error{
        fmt::format("{}: has the shape {}, more than {} bytes", array.where, shape, kMostBytes)};
  }
  if (*count == 0) {
    return Error{
        fmt::format("{}: has the shape {}: each dimension must be >= 1", array.where, shape)};
  }
  array.count = *count;
  return array;
}

// A SetPart is what is to be read of the training or the test samples.
struct SetPart {
  SetArray samples;
  SetArray answers;  // labels or targets
  SampleLayout layout;

  bool IsRegression() const { return answers.type->IsFloat(); }
};

Result<SetArray> DescribeSamples(const NumpyFiles& files, std::string_view name) {
  constexpr std::string_view kWanted = "uint8 (pixels), float32 or float64";
  auto array = DescribeArray(files, name, kWanted);
  if (array && !array->type->IsFloat() && !array->type->IsByte()) {
    return Error{fmt::format("{}: has the type \"{}\": must be {}", array->where, array->type->code,
                             kWanted)};
  }
  return array;
}

Result<SetArray> DescribeAnswers(const NumpyFiles& files, std::string_view name) {
  auto array = DescribeArray(files, name, "whole numbers (labels), float32 or float64 (targets)");
  if (array && array->count != array->samples()) {
    return Error{fmt::format("{}: has the shape {}: must have one number for each sample",
                             array->where, base::ShapeText(array->header.shape))};
  }
  return array;
}

Result<SetPart> DescribePart(const NumpyFiles& files, std::string_view samples_name,
                             std::string_view answers_name) {
  auto samples = DescribeSamples(files, samples_name);
  if (!samples) return samples.error();
  auto answers = DescribeAnswers(files, answers_name);
  if (!answers) return answers.error();
  const auto layout = LayoutOf(samples->header.shape);
  if (!layout) return Error{fmt::format("{}: {}", samples->where, layout.error().message)};
  if (samples->samples() != answers->samples()) {
    return Error{fmt::format("{}: has {} samples, expected {}, as many as {} has", samples->where,
                             samples->samples(), answers->samples(), answers->where)};
  }
  return SetPart{std::move(*samples), std::move(*answers), *layout};
}

Status CheckAlike(const SetPart& train, const SetPart& test) {
  if (!test.layout.HasSizeOf(train.layout)) {
    return Error{fmt::format("{}: has samples of {}, expected {}, as {} has", test.samples.where,
                             test.layout.Size(), train.layout.Size(), train.samples.where)};
  }
  if (test.samples.type->IsFloat() != train.samples.type->IsFloat()) {
    return Error{
        fmt::format("{}: has the type \"{}\", but {} \"{}\": both must be pixels, or both "
                    "values",
                    test.samples.where, test.samples.type->code, train.samples.where,
                    train.samples.type->code)};
  }
  if (test.IsRegression() != train.IsRegression()) {
    return Error{
        fmt::format("{}: has the type \"{}\", but {} \"{}\": both must be labels, or both "
                    "targets",
                    test.answers.where, test.answers.type->code, train.answers.where,
                    train.answers.type->code)};
  }
  return {};
}

struct SetParts {
  SetPart train, test;
};

Result<SetParts> DescribeParts(const NumpyFiles& files) {
  auto train = DescribePart(files, kNumpyNames[0], kNumpyNames[1]);
  if (!train) return train.error();
  auto test = DescribePart(files, kNumpyNames[2], kNumpyNames[3]);
  if (!test) return test.error();
  if (auto status = CheckAlike(*train, *test); !status) return status.error();
  return SetParts{std::move(*train), std::move(*test)};
}

Status ReadAnswers(const NumpyFiles& files, const SetArray& array, Images& images) {
  const auto bytes = files.ReadNumbers(array.name, array.header, array.bytes());
  if (!bytes) return bytes.error();
  if (array.type->IsFloat()) {
    auto targets = ToFloats(array.where, array.header, *array.type, bytes->numbers());
    if (!targets) return targets.error();
    images.targets = std::move(*targets);
    return {};
  }
  auto labels = ToLabels(array.where, array.header, *array.type, bytes->numbers());
  if (!labels) return labels.error();
  images.labels = std::move(*labels);
  return {};
}

Status ReadSamples(const NumpyFiles& files, const SetPart& part, Images& images) {
  const SetArray& array = part.samples;
  const auto bytes = files.ReadNumbers(array.name, array.header, array.bytes());
  if (!bytes) return bytes.error();
  if (array.type->IsFloat()) {
    auto values = ToFloats(array.where, array.header, *array.type, bytes->numbers());
    if (!values) return values.error();
    images.values = std::move(*values);
    PutChannelsFirst(part.layout, images.values);
  } else {
    images.pixels.assign(bytes->numbers().begin(), bytes->numbers().end());
    PutChannelsFirst(part.layout, images.pixels);
  }
  return {};
}

Images EmptyImages(const SetPart& part) {
  return {
      .height = part.layout.height, .width = part.layout.width, .channels = part.layout.channels};
}

void SetClasses(Dataset& dataset) {
  if (!dataset.train.targets.empty()) return;
  dataset.train.classes = dataset.test.classes =
      ClassesOf(dataset.train.labels, dataset.test.labels);
}

// Reads labels or targets alone.
Result<Dataset> ReadBothAnswers(const NumpyFiles& files, const SetParts& parts) {
  Dataset dataset{.train = EmptyImages(parts.train), .test = EmptyImages(parts.test)};
  if (auto status = ReadAnswers(files, parts.train.answers, dataset.train); !status) {
    return status.error();
  }
  if (auto status = ReadAnswers(files, parts.test.answers, dataset.test); !status) {
    return status.error();
  }
  SetClasses(dataset);
  return dataset;
}

}  // namespace

Result<Dataset> ReadNumpySet(const std::string& path) {
  const auto files = NumpyFiles::Open(path);
  if (!files) return files.error();
  const auto parts = DescribeParts(*files);
  if (!parts) return parts.error();
  auto dataset = ReadBothAnswers(*files, *parts);
  if (!dataset) return dataset.error();
  if (auto status = ReadSamples(*files, parts->train, dataset->train); !status) {
    return status.error();
  }
  if (auto status = ReadSamples(*files, parts->test, dataset->test); !status) {
    return status.error();
  }
  dataset->name = path;
  return dataset;
}

Result<Labels> ReadNumpyTrainingLabels(const std::string& path) {
  const auto files = NumpyFiles::Open(path);
  if (!files) return files.error();
  const auto parts = DescribeParts(*files);
  if (!parts) return parts.error();
  const auto answers = ReadBothAnswers(*files, *parts);
  if (!answers) return answers.error();
  return LabelsOf(answers->train);
}

}  // namespace airlot::data
