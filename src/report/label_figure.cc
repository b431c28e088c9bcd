#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/csv.h"
#include "report/devices.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr int kWidth = 940;
constexpr double kLeft = 60, kRight = 926, kTop = 36, kRow = 20;
constexpr std::size_t kColours = 9;  // h0 (none) to h8 in web/src/figure.css

std::size_t SamplesOf(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::string HoverOf(const std::string& id, const std::vector<std::size_t>& counts) {
  std::string text = fmt::format("device {}\n{} samples", id, Short(double(SamplesOf(counts))));
  for (std::size_t label = 0; label < counts.size(); ++label) {
    if (counts[label] > 0) text += fmt::format("\nlabel {}: {}", label, counts[label]);
  }
  return text;
}

void DrawLegend(Canvas& canvas) {
  canvas.Text(kLeft, 16, "share of the device's samples: none", "n");
  double x = kLeft + 216;
  for (std::size_t i = 0; i < kColours; ++i) {
    canvas.Rectangle(x, 5, 20, 13, fmt::format("h h{}", i));
    x += 20;
  }
  canvas.Text(x + 6, 16, "all", "n");
}

std::string CsvOf(const LabelCounts& labels) {
  std::string csv = "id";
  for (int label = 0; label < labels.classes; ++label) csv += fmt::format(",label_{}", label);
  csv += "\n";
  for (std::size_t i = 0; i < labels.counts.size(); ++i) {
    base::AppendCsvField(csv, labels.ids[i]);
    csv += fmt::format(",{}\n", fmt::join(labels.counts[i], ","));
  }
  return csv;
}

}  // namespace

Figure DrawLabels(Heading heading, const LabelCounts& labels) {
  const auto devices = double(labels.counts.size());
  const double bottom = kTop + kRow * labels.classes, width = (kRight - kLeft) / devices;
  const int height = int(bottom) + 48;
  Canvas canvas;
  DrawLegend(canvas);
  // One path for each colour; the cells of a device share a place to point at.
  std::array<std::string, kColours> cells;
  double missing = 0;
  for (std::size_t i = 0; i < labels.counts.size(); ++i) {
    const auto samples = double(SamplesOf(labels.counts[i]));
    for (std::size_t label = 0; label < labels.counts[i].size(); ++label) {
      const auto count = double(labels.counts[i][label]);
      missing += count == 0 ? 1 : 0;
      const double steps = count > 0 ? std::ceil(count / samples * (kColours - 1)) : 0;
      cells[std::size_t(steps)] += fmt::format(
          "M{} {}h{}v{}h{}z", Coordinate(kLeft + width * double(i)),
          Coordinate(kTop + kRow * double(label)), Coordinate(width), kRow - 1, Coordinate(-width));
    }
  }
  for (std::size_t i = 0; i < kColours; ++i) {
    if (!cells[i].empty()) canvas.Path(cells[i], fmt::format("h h{}", i));
  }
  for (std::size_t i = 0; i < labels.counts.size(); ++i) {
    canvas.Rectangle(kLeft + width * double(i), kTop, width, bottom - kTop, "hit",
                     HoverOf(labels.ids[i], labels.counts[i]));
  }
  for (int label = 0; label < labels.classes; ++label) {
    canvas.Text(kLeft - 8, kTop + kRow * (label + 0.5) + 4, fmt::format("{}", label), "n",
                Anchor::kEnd);
  }
  canvas.SideText(18, (kTop + bottom) / 2, "label");
  canvas.Text((kLeft + kRight) / 2, bottom + 24, "devices, those with the most samples on the left",
              "t", Anchor::kMiddle);
  return {.id = std::move(heading.id),
          .title = std::move(heading.title),
          .caption = std::move(heading.caption),
          .description = fmt::format("Heat map of {} labels on {} devices. A device misses {:.1f} "
                                     "labels on average.",
                                     labels.classes, Short(devices), missing / devices),
          .width = kWidth,
          .height = height,
          .svg = canvas.Take(),
          .csv = CsvOf(labels),
          .place = Figure::Place::kStretched};
}

}  // namespace airlot::report
