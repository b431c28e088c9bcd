// These functions are the model of a channel that the server knows imperfectly. (docs/books.md)
#include <algorithm>
#include <cmath>
#include <numbers>

#include "airlot/radio.h"

namespace airlot {
namespace {

// FadingCdf knows K up to this. A correlation of at most kMostCorrelation leads beyond it only
// where the known gain is 20 times its mean or more, in 2e-9 of all rounds.
constexpr double kMostRicianK = 1e4;

// Returns the power of the known part of the true amplitude over that of its unknown part.
double KnownOverUnknown(const ChannelKnowledge& knowledge, double known_gain) {
  const double unknown = 1 - knowledge.correlation * knowledge.correlation;
  return std::max(known_gain - unknown, 0.0) / unknown;
}

}  // namespace

// (K8)
double KnownGain(const ChannelKnowledge& knowledge, double estimated_gain) {
  const double square = knowledge.correlation * knowledge.correlation;
  return square * estimated_gain + (1 - square);
}

// (K7), (K8)
double DrawTrueOverKnown(const ChannelKnowledge& knowledge, double known_gain,
                         RandomStream& stream) {
  if (knowledge.correlation < 1) {
    const double k = KnownOverUnknown(knowledge, known_gain);
    const double real = std::sqrt(k) + stream.Normal() * std::numbers::sqrt2 / 2;
    const double imaginary = stream.Normal() * std::numbers::sqrt2 / 2;
    return (real * real + imaginary * imaginary) / (k + 1);
  }
  if (knowledge.error_sd_db > 0) return FromDecibel(knowledge.error_sd_db * stream.Normal());
  return 1;
}

// (K10)
double OutageProbability(const ChannelKnowledge& knowledge, double known_gain, double least_ratio) {
  if (knowledge.correlation < 1) {
    const double k = std::min(KnownOverUnknown(knowledge, known_gain), kMostRicianK);
    return FadingCdf({.kind = Fading::kRician}, k, least_ratio);
  }
  if (knowledge.error_sd_db > 0) {
    const double deviations = ToDecibel(least_ratio) / knowledge.error_sd_db;
    return 0.5 * std::erfc(-deviations / std::numbers::sqrt2);
  }
  return least_ratio > 1 ? 1 : 0;
}

}  // namespace airlot
