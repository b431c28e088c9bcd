#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "airlot/radio.h"

namespace airlot {
namespace {

Radio With(Fading fading) {
  Radio radio;
  radio.fading = fading;
  return radio;
}

std::vector<double> Draw(const Radio& radio, ColumnView rician_k, std::size_t devices,
                         std::uint64_t seed = 1, std::uint64_t round = 1) {
  std::vector<double> gains(devices);
  DrawFading(radio, rician_k, seed, round, 0, gains);
  return gains;
}

TEST(Fading, NoneIsOne) {
  EXPECT_EQ(Draw(With(Fading::kNone), 0.0, 3), (std::vector<double>{1, 1, 1}));
}

TEST(Fading, DoesNotDependOnHowTheFleetIsCut) {
  std::vector<double> k(100);
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = static_cast<double>(i);
  for (const Fading fading : {Fading::kRayleigh, Fading::kRician, Fading::kNakagami}) {
    const Radio radio = With(fading);
    const std::vector<double> whole = Draw(radio, k, 100);
    std::vector<double> parts(100);
    DrawFading(radio, k, 1, 1, 0, std::span(parts).first(37));
    DrawFading(radio, k, 1, 1, 37, std::span(parts).subspan(37));
    EXPECT_EQ(whole, parts);
    EXPECT_NE(whole, Draw(radio, k, 100, 2, 1));  // another seed
    EXPECT_NE(whole, Draw(radio, k, 100, 1, 2));  // another round
  }
}

TEST(Fading, RicianWithoutADirectPathIsRayleigh) {
  EXPECT_EQ(Draw(With(Fading::kRician), 0.0, 50), Draw(With(Fading::kRayleigh), 0.0, 50));
}

}  // namespace
}  // namespace airlot
