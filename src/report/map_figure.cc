#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "base/csv.h"
#include "report/devices.h"
#include "report/latex.h"
#include "report/numbers.h"

namespace airlot::report {
namespace {

constexpr int kWidth = 560, kHeight = 590;
constexpr double kLeft = 56, kRight = 540, kTop = 58;
constexpr std::size_t kColours = 8;  // classes q0 to q7 in web/src/figure.css

struct LimitLook {
  Limit limit;
  Shape shape;
  std::string_view meaning;
};
constexpr LimitLook kLooks[] = {{Limit::kFull, Shape::kCircle, "full: always takes part"},
                                {Limit::kEnergy, Shape::kTriangle, "limited by energy"},
                                {Limit::kPower, Shape::kSquare, "limited by time and power"},
                                {Limit::kRate, Shape::kDiamond, "limited by rate"},
                                {Limit::kTime, Shape::kCross, "no time to upload"},
                                {Limit::kBand, Shape::kDownTriangle, "has no band"},
                                {Limit::kData, Shape::kBar, "has no samples"}};
Shape ShapeOf(const Device& device) {
  if (!device.limit) return Shape::kCircle;
  return std::ranges::find(kLooks, *device.limit, &LimitLook::limit)->shape;
}

bool IsFinite(const std::optional<double>& value) { return value && std::isfinite(*value); }

bool HasPlace(const Device& device) {
  return device.place && std::isfinite(device.place->x_m) && std::isfinite(device.place->y_m);
}

// Returns which of the colours a probability has; a probability that is not known has the first.
std::size_t ColourOf(double probability, double highest) {
  const double share = probability / highest;
  if (!(share > 0)) return 0;
  return std::min(std::size_t(share * double(kColours)), kColours - 1);
}

std::string HoverOf(const Device& device) {
  std::string text =
      fmt::format("device {}\nprobability {}", device.id, ShortUtf8(device.probability));
  if (device.probability > 0) {
    text +=
        fmt::format("\npower {} W\nupload {} s\nenergy {} J each time", ShortUtf8(device.power_w),
                    ShortUtf8(device.upload_s), ShortUtf8(device.energy_j));
  }
  if (IsFinite(device.budget_j)) {
    text += fmt::format("\nbudget {} J a round", ShortUtf8(*device.budget_j));
  }
  if (IsFinite(device.samples)) text += fmt::format("\n{} samples", Short(*device.samples));
  if (IsFinite(device.distance_m)) text += fmt::format("\n{} m away", Short(*device.distance_m));
  if (device.limit) text += fmt::format("\nlimit {}", LimitName(*device.limit));
  return text;
}

// Areas are in proportion to the samples.
class Sizes {
 public:
  explicit Sizes(const std::vector<Device>& devices)
      : largest_(devices.size() <= 300   ? 11
                 : devices.size() <= 700 ? 7
                                         : 5) {
    for (const Device& device : devices) {
      if (IsFinite(device.samples)) most_ = std::max(most_, *device.samples);
    }
  }
  double Of(const Device& device) const {
    const double smallest = largest_ / 3.5;
    if (most_ == 0 || !IsFinite(device.samples) || *device.samples < 0) return largest_ / 2;
    return std::max(smallest, largest_ * std::sqrt(*device.samples / most_));
  }
  double largest() const { return largest_; }

 private:
  double largest_;
  double most_ = 0;
};

double LegendOf(Canvas& canvas, const std::vector<Device>& devices, double highest) {
  std::vector<LegendEntry> entries;
  for (const LimitLook& look : kLooks) {
    const bool is_there = std::ranges::any_of(
        devices, [&](const Device& device) { return device.limit == look.limit; });
    if (!is_there) continue;
    entries.push_back(
        {.name = std::string(look.meaning), .mark_class = "mark", .shape = look.shape});
  }
  const double height = entries.empty() ? 0 : canvas.Legend(kLeft, 12, kRight - kLeft, entries);
  double x = kLeft;
  const double y = height + 6;
  canvas.Text(x, y + 10, "probability 0", "n");
  x += 84;
  for (std::size_t i = 0; i < kColours; ++i) {
    canvas.Rectangle(x, y, 20, 12, fmt::format("q q{}", i));
    x += 20;
  }
  canvas.Text(x + 6, y + 10, ShortUtf8(highest), "n");
  return y + 18;
}

// Devices of one shape, colour and size, in steps of a sixth, are one plot.
Plot PlotOf(const DeviceSample& sample, const std::vector<const Device*>& order, const Sizes& sizes,
            double highest, const Scale& scale, std::string_view x_name) {
  constexpr double kPt = 0.42, kSteps = 6;  // pt of LaTeX in a px of the page; one column is narrow
  PlotWriter plot(scale, scale);
  plot.SetHeights(210, 300, /*is_square=*/true);
  plot.YAxis({});
  plot.XAxis({.name = x_name});
  for (const LimitLook& look : kLooks) {
    const bool is_there = std::ranges::any_of(
        sample.drawn, [&](const Device& device) { return device.limit == look.limit; });
    if (!is_there) continue;
    plot.Entry(std::string(look.meaning), "only marks, " + MarkLook(look.shape, "airlotmark", 2.3),
               false);
  }
  plot.SetKey(
      fmt::format("probability 0 {} {}", ColourRow("q", kColours), Latex(ShortUtf8(highest))));
  struct Group {
    std::string look;
    std::vector<PlotWriter::Point> points;
  };
  std::vector<Group> groups;
  std::map<std::tuple<double, std::size_t, Shape>, std::size_t> places;
  for (const Device* device : order) {
    const double size = std::ceil(sizes.Of(*device) / sizes.largest() * kSteps) / kSteps;
    const std::size_t colour = ColourOf(device->probability, highest);
    const auto [place, is_new] =
        places.try_emplace({-size, colour, ShapeOf(*device)}, groups.size());
    if (is_new) {
      groups.push_back(
          {OutlinedLook(ShapeOf(*device), ColourName("q", colour), kPt * size * sizes.largest()),
           {}});
    }
    groups[place->second].points.push_back({device->place->x_m, device->place->y_m});
  }
  // The large devices come first, as in the order of the map's keys.
  for (const auto& [key, index] : places) plot.Marks(groups[index].points, groups[index].look);
  const PlotWriter::Point server{0, 0};
  plot.Marks(std::span(&server, 1), MarkLook(Shape::kCross, "airlotserver", 3.6));
  return plot.Take();
}

std::string CsvOf(const std::vector<Device>& devices) {
  std::string csv =
      "id,x_m,y_m,samples,probability,power_w,upload_s,energy_j,energy_budget_j,limit\n";
  for (const Device& device : devices) {
    base::AppendCsvField(csv, device.id);
    csv += device.place ? fmt::format(",{},{}", Plain(device.place->x_m), Plain(device.place->y_m))
                        : ",,";
    for (const std::optional<double> value :
         {device.samples, std::optional(device.probability), std::optional(device.power_w),
          std::optional(device.upload_s), std::optional(device.energy_j), device.budget_j}) {
      csv += "," + (value ? Plain(*value) : "");
    }
    csv += fmt::format(",{}\n", device.limit ? LimitName(*device.limit) : "");
  }
  return csv;
}

}  // namespace

bool HasMap(const FleetView& fleet) { return std::ranges::any_of(fleet.sample.drawn, HasPlace); }

Figure DrawMap(Heading heading, const DeviceSample& sample) {
  double reach_m = 1, highest = 0;
  for (const Device& device : sample.drawn) {
    if (!HasPlace(device)) continue;
    reach_m = std::max({reach_m, std::abs(device.place->x_m), std::abs(device.place->y_m)});
    if (device.probability > highest) highest = device.probability;
  }
  Canvas canvas;
  const double top = std::max(kTop, LegendOf(canvas, sample.drawn, highest));
  const double room_m = 1.04 * reach_m;
  const double half = std::min(kRight - kLeft, kHeight - 48 - top) / 2;
  const double middle = (kLeft + kRight) / 2;
  Scale x = ExactScale(-room_m, room_m, false), y = x;
  x.begin = middle - half;
  x.end = middle + half;
  y.begin = kHeight - 48;
  y.end = y.begin - 2 * half;
  canvas.YAxis(y, x.begin, x.end, {});
  const std::string_view x_name = sample.direction_is_known
                                      ? "metres from the server"
                                      : "metres from the server (the direction is not known)";
  canvas.XAxis(x, y.end, y.begin, {.name = x_name});
  canvas.Line(x.begin, y.begin, x.end, y.begin, "a");
  const Sizes sizes(sample.drawn);
  std::vector<const Device*> order;
  order.reserve(sample.drawn.size());
  for (const Device& device : sample.drawn) {
    if (HasPlace(device)) order.push_back(&device);
  }
  // The large devices come first, so that they hide no small one.
  std::ranges::stable_sort(
      order, [&](const Device* a, const Device* b) { return sizes.Of(*a) > sizes.Of(*b); });
  for (const Device* device : order) {
    canvas.Path(ShapePath(ShapeOf(*device), x(device->place->x_m), y(device->place->y_m),
                          sizes.Of(*device)),
                fmt::format("q q{}", ColourOf(device->probability, highest)), HoverOf(*device));
  }
  canvas.Path(ShapePath(Shape::kCross, x(0), y(0), 8), "server", "server");
  if (sample.drawn.size() < sample.devices) {
    heading.caption += fmt::format(
        " {} of {} devices are drawn, evenly chosen; what limits few devices is drawn more often "
        "than it occurs.",
        Short(double(sample.drawn.size())), Short(double(sample.devices)));
  }
  std::string description =
      fmt::format("Map of {} around the server.", CountOf(order.size(), "device"));
  for (const LimitLook& look : kLooks) {
    const auto count = std::ranges::count(sample.drawn, std::optional(look.limit), &Device::limit);
    if (count > 0) description += fmt::format(" {} {}.", Short(double(count)), look.meaning);
  }
  return {.id = std::move(heading.id),
          .title = std::move(heading.title),
          .caption = std::move(heading.caption),
          .description = std::move(description),
          .width = kWidth,
          .height = kHeight,
          .svg = canvas.Take(),
          .csv = CsvOf(sample.drawn),
          .place = Figure::Place::kTall,
          .plot = PlotOf(sample, order, sizes, highest, x, x_name)};
}

}  // namespace airlot::report
