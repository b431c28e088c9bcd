// The data set `digits-colour` has the built-in digits in colour: each image has a background and
// an ink of its own, and the shades between them. Colours say nothing about the label.
#include <cstdint>
#include <utility>
#include <vector>

#include "airlot/dataset.h"
#include "base/random.h"
#include "base/shards.h"
#include "data/known_sets.h"
#include "data/purposes.h"

namespace airlot {
namespace {

constexpr int kColourChannels = 3;
// Ink differs from the background by at least this much in every channel.
constexpr int kLeastContrast = 64;

struct Tone {
  int background, ink;
};

// The ink is the background and a step around the circle of 256 shades, neither short nor nearly
// all the way round.
Tone DrawTone(base::RandomStream& stream) {
  const int background = int(stream.Below(256));
  const int step = kLeastContrast + int(stream.Below(256 - 2 * kLeastContrast + 1));
  return {background, (background + step) % 256};
}

// Colours one image; all is computed in whole numbers, the same on every machine.
void Colour(base::RandomStream stream, std::span<const std::uint8_t> grey, std::uint8_t* colour) {
  for (int channel = 0; channel < kColourChannels; ++channel) {
    const Tone tone = DrawTone(stream);
    for (const std::uint8_t shade : grey) {
      const int mixed = tone.background * (255 - shade) + tone.ink * shade;
      *colour++ = static_cast<std::uint8_t>((mixed + 127) / 255);
    }
  }
}

void ColourAll(Images& images, std::uint64_t seed, std::uint64_t part, int threads) {
  const std::size_t pixels = images.PixelsPerImage();
  std::vector<std::uint8_t> coloured(images.pixels.size() * kColourChannels);
  base::ForEachShard(images.size(), threads, [&](const base::Shard& shard) {
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      Colour({seed, data::kDigitColours, part, i}, images.Image(i),
             coloured.data() + i * pixels * kColourChannels);
    }
  });
  images.pixels = std::move(coloured);
  images.channels = kColourChannels;
}

}  // namespace

Dataset DrawColourDigits(const DigitsOptions& options, int threads) {
  Dataset digits = DrawDigits(options, threads);
  digits.name = data::kColourDigitsName;
  ColourAll(digits.train, options.seed, 0, threads);
  ColourAll(digits.test, options.seed, 1, threads);
  return digits;
}

}  // namespace airlot
