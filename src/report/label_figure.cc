#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/csv.h"
#include "report/devices.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr int kWidth = 940;
constexpr double kLeft = 60, kRight = 926, kTop = 36, kRow = 20;
constexpr std::size_t kColours = 9;  // classes h0 (none) to h8 in web/src/figure.css

std::size_t SamplesOf(const std::vector<std::uint32_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::string HoverOf(const LabelCounts::OfDevice& device) {
  std::string text =
      fmt::format("device {}\n{} samples", device.id, Short(double(SamplesOf(device.counts))));
  for (std::size_t label = 0; label < device.counts.size(); ++label) {
    if (device.counts[label] == 0) continue;
    text += fmt::format("\nlabel {}: {}", label, device.counts[label]);
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
  for (std::size_t label = 0; label < labels.classes; ++label) {
    csv += fmt::format(",label_{}", label);
  }
  csv += "\n";
  for (const LabelCounts::OfDevice& device : labels.drawn) {
    base::AppendCsvField(csv, device.id);
    csv += fmt::format(",{}\n", fmt::join(device.counts, ","));
  }
  return csv;
}

// Returns which of the colours a cell has.
std::size_t ColourOf(std::uint32_t count, double samples) {
  return count > 0 ? std::size_t(std::ceil(double(count) / samples * (kColours - 1))) : 0;
}

// Neighbours of one colour are one rectangle, and those without the label are the ground.
Plot PlotOf(const LabelCounts& labels) {
  const auto devices = double(labels.drawn.size());
  PlotWriter plot({.low = 0, .high = devices}, {.low = 0, .high = double(labels.classes)});
  const double row = labels.classes <= 20 ? 10 : labels.classes <= 60 ? 9 : 4;
  plot.SetHeights(row * double(labels.classes), row * double(labels.classes));
  plot.TurnY();
  plot.Option("xtick=\\empty");
  plot.Option("xlabel={devices, those with the most samples on the left}");
  plot.SetKey("share of the device's samples: none " + ColourRow("h", kColours) + " all");
  std::vector<double> places;
  std::vector<std::string> names;
  for (std::size_t label = 0; label < labels.classes; ++label) {
    const auto y = double(label);
    // Of very many labels, every tenth has its number.
    if (labels.classes <= 60 || label % 10 == 0) {
      places.push_back(y + 0.5);
      names.push_back(fmt::format("{}", label));
    }
    plot.Rectangle({0, y}, {devices, y + 0.94}, ColourName("h", 0));
    std::size_t begin = 0, last = 0;
    for (std::size_t i = 0; i <= labels.drawn.size(); ++i) {
      const std::size_t colour =
          i == labels.drawn.size()
              ? 0
              : ColourOf(labels.drawn[i].counts[label], double(SamplesOf(labels.drawn[i].counts)));
      if (i < labels.drawn.size() && colour == last) continue;
      if (last > 0) {
        plot.Rectangle({double(begin), y}, {double(i), y + 0.94}, ColourName("h", last));
      }
      begin = i;
      last = colour;
    }
  }
  plot.YNames(places, names, "label");
  return plot.Take();
}

}  // namespace

std::optional<LabelCounts> LabelsOf(const DeviceTable& table) {
  constexpr std::size_t kMost = 300;
  if (!table.label_counts || table.label_counts->empty()) return std::nullopt;
  LabelCounts labels{.devices = table.devices(), .classes = table.label_counts->front().size()};
  std::vector<std::size_t> order(table.devices());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return table.samples[a] > table.samples[b]; });
  const std::size_t stride = (order.size() + kMost - 1) / kMost;
  for (std::size_t i = 0; i < order.size(); i += stride) {
    labels.drawn.push_back({table.id[order[i]], (*table.label_counts)[order[i]]});
  }
  return labels;
}

Figure DrawLabels(Heading heading, const LabelCounts& labels) {
  const auto devices = double(labels.drawn.size());
  const double bottom = kTop + kRow * double(labels.classes), width = (kRight - kLeft) / devices;
  const int height = int(bottom) + 48;
  Canvas canvas;
  DrawLegend(canvas);
  // Each colour has one path, and the cells of a device share a place to point at.
  std::array<std::string, kColours> cells;
  double missing = 0;
  for (std::size_t i = 0; i < labels.drawn.size(); ++i) {
    const std::vector<std::uint32_t>& counts = labels.drawn[i].counts;
    const auto samples = double(SamplesOf(counts));
    for (std::size_t label = 0; label < counts.size(); ++label) {
      missing += counts[label] == 0 ? 1 : 0;
      cells[ColourOf(counts[label], samples)] += fmt::format(
          "M{} {}h{}v{}h{}z", Coordinate(kLeft + width * double(i)),
          Coordinate(kTop + kRow * double(label)), Coordinate(width), kRow - 1, Coordinate(-width));
    }
  }
  for (std::size_t i = 0; i < kColours; ++i) {
    if (!cells[i].empty()) canvas.Path(cells[i], fmt::format("h h{}", i));
  }
  for (std::size_t i = 0; i < labels.drawn.size(); ++i) {
    canvas.Rectangle(kLeft + width * double(i), kTop, width, bottom - kTop, "hit",
                     HoverOf(labels.drawn[i]));
  }
  for (std::size_t label = 0; label < labels.classes; ++label) {
    canvas.Text(kLeft - 8, kTop + kRow * (double(label) + 0.5) + 4, fmt::format("{}", label), "n",
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
          .place = Figure::Place::kStretched,
          .plot = PlotOf(labels)};
}

}  // namespace airlot::report
