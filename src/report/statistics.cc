#include "report/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

#include "report/numbers.h"
#include "report/scale.h"

namespace airlot::report {
namespace {

// Returns the probability between -t and t. (62)
double StudentWithin(double t, std::size_t degrees) {
  const double theta = std::atan(t / std::sqrt(double(degrees)));
  const double cosine = std::cos(theta);
  const bool is_odd = degrees % 2 == 1;
  double term = is_odd ? cosine : 1, sum = 0;
  for (std::size_t k = is_odd ? 1 : 0; k + 2 <= degrees; k += 2) {
    sum += term;
    term *= cosine * cosine * double(k + 1) / double(k + 2);
  }
  if (!is_odd) return std::sin(theta) * sum;
  return 2 / std::numbers::pi * (theta + std::sin(theta) * sum);
}

// Returns the probability of at most `hits` hits in `trials` trials, for a probability of one hit
// in (0, 1).
double BinomialAtMost(std::size_t hits, std::size_t trials, double probability) {
  double sum = 0;
  for (std::size_t k = 0; k <= hits; ++k) {
    const double logarithm = std::lgamma(double(trials) + 1) - std::lgamma(double(k) + 1) -
                             std::lgamma(double(trials - k) + 1) +
                             double(k) * std::log(probability) +
                             double(trials - k) * std::log1p(-probability);
    sum += std::exp(logarithm);
  }
  return sum;
}

// Returns the probability with which at most `hits` hits have the probability `wanted`; that falls
// as the probability of a hit grows.
double ProbabilityFor(std::size_t hits, std::size_t trials, double wanted) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (BinomialAtMost(hits, trials, middle) > wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

double LastOf(const Track& track) { return track.x.back(); }

// Returns the mean over the runs that come as far as x or, where `beyond`, farther.
CurvePoint MeanAt(std::span<const Track> tracks, double x, bool beyond) {
  std::vector<double> values;
  for (const Track& track : tracks) {
    if (beyond ? LastOf(track) > x : LastOf(track) >= x) values.push_back(At(track, x));
  }
  const double mean = MomentsOf(values).mean;
  return {x, {mean, mean, mean}, values.size()};
}

void SetLogEdges(double low, double high, std::size_t count, Bins& bins) {
  for (std::size_t i = 0; i <= count; ++i) {
    // Powers of each end are finite where the ratio of the ends is not.
    const double share = double(i) / double(count);
    bins.edges.push_back(std::pow(low, 1 - share) * std::pow(high, share));
  }
}

void SetEdges(double low, double high, std::size_t count, Bins& bins) {
  const Scale range = ExactScale(low, high, false);
  const double width = RoundStep((range.high - range.low) / double(count));
  // Values that differ by rounding alone share a bin, also where a round number lies among them.
  const bool is_one_value = range.high > high;
  const double first = std::floor((is_one_value ? high : range.low) / width);
  // The width is rounded up, so that the values need no more than one bin beyond `count`.
  for (std::size_t i = 0; i <= count + 1; ++i) {
    bins.edges.push_back((first + double(i)) * width);
    if (i > 0 && bins.edges.back() > high) break;
  }
}

}  // namespace

double StudentQuantile(std::size_t degrees) {
  constexpr double kWithin = 0.95;
  double low = 0, high = 16;  // The largest quantile is 12.7.
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (StudentWithin(middle, degrees) < kWithin ? low : high) = middle;
  }
  return (low + high) / 2;
}

ShareInterval IntervalOfShare(std::size_t hits, std::size_t trials) {
  constexpr double kOutside = 0.025;  // to each side
  return {.low = hits == 0 ? 0 : ProbabilityFor(hits - 1, trials, 1 - kOutside),
          .high = hits == trials ? 1 : ProbabilityFor(hits, trials, kOutside)};
}

Band MeanBand(std::span<const double> values) {
  const Moments moments = MomentsOf(values);
  const double half = HalfWidth(moments).value_or(0);
  return {moments.mean, moments.mean - half, moments.mean + half};
}

Band CutToShares(Band band) {
  band.low = std::max(band.low, 0.0);
  band.high = std::min(band.high, 1.0);
  return band;
}

std::optional<double> HalfWidth(const Moments& moments) {
  if (moments.count < 2) return std::nullopt;
  return StudentQuantile(moments.count - 1) * moments.sd / std::sqrt(double(moments.count));
}

double At(const Track& track, double x) {
  const auto above = std::ranges::upper_bound(track.x, x);
  const auto after = std::size_t(above - track.x.begin());
  if (after == 0) return track.y.front();
  if (after == track.x.size()) return track.y.back();
  const double share = (x - track.x[after - 1]) / (track.x[after] - track.x[after - 1]);
  return track.y[after - 1] + share * (track.y[after] - track.y[after - 1]);
}

std::vector<CurvePoint> MeanCurve(std::span<const Track> tracks, std::size_t most,
                                  bool are_shares) {
  std::vector<CurvePoint> curve;
  if (tracks.empty()) return curve;
  std::size_t points = tracks.front().x.size();
  double end = tracks.front().x.empty() ? 0 : tracks.front().x.back();
  for (const Track& track : tracks) {
    points = std::min(points, track.x.size());
    if (!track.x.empty()) end = std::min(end, track.x.back());
  }
  std::vector<double> values(tracks.size());
  const std::size_t stride = std::max<std::size_t>((points + most - 1) / most, 1);
  for (std::size_t r = 0; r < points; ++r) {
    if (r % stride != 0 && r + 1 != points) continue;
    double x = 0;
    for (const Track& track : tracks) x += track.x[r];
    x = std::min(x / double(tracks.size()), end);
    // Evaluations of one run are taken as they are, also where several lie at the same place.
    for (std::size_t k = 0; k < tracks.size(); ++k) {
      values[k] = tracks.size() == 1 ? tracks[k].y[r] : At(tracks[k], x);
    }
    curve.push_back({x, are_shares ? CutToShares(MeanBand(values)) : MeanBand(values)});
    if (tracks.size() > 1 && x == end) break;
  }
  return curve;
}

std::vector<CurvePoint> MeanTail(std::span<const Track> tracks, std::size_t most) {
  std::vector<double> ends, places;
  for (const Track& track : tracks) {
    if (!track.x.empty()) ends.push_back(LastOf(track));
  }
  if (ends.size() < 2 || ends.size() < tracks.size()) return {};
  std::ranges::sort(ends);
  if (ends.back() - ends.front() <= kNarrowest * std::abs(ends.back())) return {};
  for (const Track& track : tracks) {
    std::ranges::copy_if(track.x, std::back_inserter(places),
                         [&](double x) { return x > ends.front(); });
  }
  places = Thinned(std::move(places), most);
  places.insert(places.end(), ends.begin(), ends.end());
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<CurvePoint> tail;
  for (const double x : places) {
    if (x > ends.front()) tail.push_back(MeanAt(tracks, x, false));
    if (x < ends.back() && std::ranges::binary_search(ends, x)) {
      tail.push_back(MeanAt(tracks, x, true));
    }
  }
  return tail;
}

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

std::vector<double> Thinned(std::vector<double> values, std::size_t most) {
  std::ranges::sort(values);
  if (values.size() <= most) return values;
  std::vector<double> thinned;
  for (std::size_t p = 0; p < most; ++p) {
    thinned.push_back(values[p * (values.size() - 1) / (most - 1)]);
  }
  return thinned;
}

std::vector<CurvePoint> Distribution(std::vector<double> values, std::size_t most) {
  std::vector<CurvePoint> curve;
  if (values.empty()) return curve;
  std::ranges::sort(values);
  const std::size_t points = std::min(values.size(), most);
  curve.reserve(points + 1);
  for (std::size_t p = 0; p < points; ++p) {
    const std::size_t i = points == 1 ? values.size() - 1 : p * (values.size() - 1) / (points - 1);
    const auto below = std::ranges::upper_bound(values, values[i]) - values.begin();
    const double share = double(below) / double(values.size());
    if (!curve.empty() && curve.back().x == values[i]) continue;
    if (curve.empty()) curve.push_back({values[i], {}});
    curve.push_back({values[i], {share, share, share}});
  }
  return curve;
}

Bins BinsOf(std::span<const double> values, std::size_t bins) {
  Bins result;
  if (values.empty()) return result;
  const auto [lowest, highest] = std::ranges::minmax(values);
  constexpr double kWide = 30;
  result.is_log = lowest > kLeastShown && highest / lowest > kWide;
  (result.is_log ? SetLogEdges : SetEdges)(lowest, highest, bins, result);
  result.counts.resize(result.edges.size() - 1);
  for (const double value : values) {
    const auto above = std::ranges::upper_bound(result.edges, value) - result.edges.begin();
    ++result.counts[std::min(std::size_t(std::max<std::ptrdiff_t>(above, 1)) - 1,
                             result.counts.size() - 1)];
  }
  return result;
}

}  // namespace airlot::report
