// Standardise brings features to mean 0 and standard deviation 1.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "airlot/dataset.h"

namespace airlot {
namespace {

// A NumberGroup is the numbers that are shifted and scaled alike: a feature of a table, or a
// channel of images.
struct NumberGroup {
  double mean = 0;
  double sd = 1;
};

struct Grouping {
  std::size_t groups;
  std::size_t numbers;  // of each group in one sample, one after another
};

Grouping GroupingOf(const Images& images) {
  const bool is_table = images.height == 1 && images.channels == 1;
  if (is_table) return {std::size_t(images.width), 1};
  return {std::size_t(images.channels), std::size_t(images.height) * std::size_t(images.width)};
}

// Calls `take` with the group and the place of every number, sample by sample.
template <class Take>
void ForEachNumber(std::size_t samples, const Grouping& grouping, const Take& take) {
  std::size_t place = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    for (std::size_t group = 0; group < grouping.groups; ++group) {
      for (std::size_t i = 0; i < grouping.numbers; ++i) take(group, place++);
    }
  }
}

double NumberAt(const Images& images, std::size_t place) {
  return images.values.empty() ? images.pixels[place] : double{images.values[place]};
}

std::vector<NumberGroup> GroupsOf(const Images& images) {
  const Grouping grouping = GroupingOf(images);
  const double count = double(images.size()) * double(grouping.numbers);
  std::vector<NumberGroup> groups(grouping.groups);
  // Sums are of distances to the first sample, so that what does not vary has variance 0 exactly.
  const auto first = [&](std::size_t group) { return NumberAt(images, group * grouping.numbers); };
  ForEachNumber(images.size(), grouping, [&](std::size_t group, std::size_t place) {
    groups[group].mean += NumberAt(images, place) - first(group);
  });
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].mean = first(i) + groups[i].mean / count;
  }
  std::vector<double> variances(grouping.groups);
  ForEachNumber(images.size(), grouping, [&](std::size_t group, std::size_t place) {
    const double distance = NumberAt(images, place) - groups[group].mean;
    variances[group] += distance * distance;
  });
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (variances[i] > 0) groups[i].sd = std::sqrt(variances[i] / count);
  }
  return groups;
}

void ApplyGroups(const std::vector<NumberGroup>& groups, Images& images) {
  const bool has_pixels = images.values.empty();
  if (has_pixels) images.values.resize(images.pixels.size());
  ForEachNumber(images.size(), GroupingOf(images), [&](std::size_t group, std::size_t place) {
    const double number = has_pixels ? images.pixels[place] : double{images.values[place]};
    constexpr double kMost = std::numeric_limits<float>::max();
    const double standard = (number - groups[group].mean) / groups[group].sd;
    images.values[place] = static_cast<float>(std::clamp(standard, -kMost, kMost));
  });
  images.pixels = {};
}

}  // namespace

void Standardise(Dataset& dataset) {
  const std::vector<NumberGroup> groups = GroupsOf(dataset.train);
  ApplyGroups(groups, dataset.train);
  ApplyGroups(groups, dataset.test);
  dataset.digest.reset();
}

}  // namespace airlot
