// These tests compare what is drawn of losses on the air with the closed forms of docs/books.md.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "airlot/radio.h"

namespace airlot {
namespace {

constexpr RandomPurpose kTest{904};
constexpr std::uint64_t kDraws = 40000;

// A share of kDraws is within 4.5 standard errors of its probability with all but one seed in
// 150 000.
void ExpectShare(std::uint64_t hits, double probability) {
  const double error = std::sqrt(probability * (1 - probability) / double(kDraws));
  EXPECT_NEAR(double(hits) / double(kDraws), probability, 4.5 * error + 1e-12);
}

double Phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(ChannelKnowledge, IsPerfectUnlessSaid) {
  RandomStream stream(1, kTest, 0, 0);
  EXPECT_TRUE(ChannelKnowledge{}.is_perfect());
  EXPECT_EQ(KnownGain({}, 0.3), 0.3);
  EXPECT_EQ(DrawTrueOverKnown({}, 0.3, stream), 1);
  EXPECT_EQ(OutageProbability({}, 0.3, 1), 0);
}

TEST(ChannelKnowledge, ErrorsInDecibel) {
  const ChannelKnowledge knowledge{.error_sd_db = 4};
  for (const double margin_db : {0.0, 2.0, 8.0}) {
    const double least = FromDecibel(-margin_db);
    // (K10): 50 %, 30.9 % and 2.3 %.
    EXPECT_NEAR(OutageProbability(knowledge, 0.7, least), Phi(-margin_db / 4), 1e-15);
    std::uint64_t lost = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      RandomStream stream(1, kTest, 1, i);
      if (DrawTrueOverKnown(knowledge, 0.7, stream) < least) ++lost;
    }
    ExpectShare(lost, Phi(-margin_db / 4));
  }
}

// Without correlation, the server knows the mean of the link alone, and X is exponential.
TEST(ChannelKnowledge, FadingThatThePlanDoesNotKnow) {
  const ChannelKnowledge knowledge{.correlation = 0};
  EXPECT_EQ(KnownGain(knowledge, 7), 1);
  EXPECT_NEAR(OutageProbability(knowledge, 1, 0.1), 1 - std::exp(-0.1), 1e-12);
  double sum = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    RandomStream stream(1, kTest, 2, i);
    const double ratio = DrawTrueOverKnown(knowledge, 1, stream);
    sum += ratio;
    if (ratio < 0.1) ++lost;
  }
  ExpectShare(lost, 1 - std::exp(-0.1));
  EXPECT_NEAR(sum / double(kDraws), 1, 4.5 / std::sqrt(double(kDraws)));
}

// The pair of amplitudes by itself: estimates and true channels are drawn as complex numbers of
// this correlation, without (K8), and judged by the gains that the server reckons with.
TEST(ChannelKnowledge, CorrelatedAmplitudes) {
  const ChannelKnowledge knowledge{.correlation = 0.9};
  constexpr double kRho = 0.9, kLeast = 0.5;
  double expected = 0;
  std::uint64_t lost_here = 0, lost_by_pairs = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    RandomStream pair(1, kTest, 3, i);
    const double half = std::sqrt(0.5), noise = std::sqrt(1 - kRho * kRho);
    const double x = half * pair.Normal(), y = half * pair.Normal();
    const double true_x = kRho * x + noise * half * pair.Normal();
    const double true_y = kRho * y + noise * half * pair.Normal();
    const double known = KnownGain(knowledge, x * x + y * y);
    if (true_x * true_x + true_y * true_y < kLeast * known) ++lost_by_pairs;
    RandomStream stream(1, kTest, 4, i);
    if (DrawTrueOverKnown(knowledge, known, stream) < kLeast) ++lost_here;
    expected += OutageProbability(knowledge, known, kLeast) / double(kDraws);
  }
  ExpectShare(lost_here, expected);
  ExpectShare(lost_by_pairs, expected);
}

// (K12) and (K13), worked out for two packets of p = 1/2 that are sent again once: each arrives
// with 3/4, and is sent 1.5 times.
TEST(Packets, WorkedByHand) {
  const PacketLoss packets{.error_rate = 0.5, .packet_bits = 10, .retransmissions = 1};
  EXPECT_NEAR(PacketReliability(packets, 20), 9.0 / 16, 1e-15);
  EXPECT_NEAR(PacketReliability(packets, 11), 9.0 / 16, 1e-15);
  EXPECT_EQ(ExpectedSendings(packets), 1.5);
  EXPECT_EQ(PacketReliability({}, 1e9), 1);
  EXPECT_EQ(ExpectedSendings({}), 1);
  RandomStream stream(1, kTest, 5, 0);
  EXPECT_TRUE(SendPackets({}, 1e9, stream).has_arrived);
  EXPECT_EQ(SendPackets({}, 1e9, stream).sendings, 1);
}

TEST(Packets, AreLostAndSentAgain) {
  for (const PacketLoss& packets :
       {PacketLoss{.error_rate = 0.1, .packet_bits = 1000, .retransmissions = 3},
        PacketLoss{.error_rate = 0.01, .packet_bits = 100, .retransmissions = 0},
        PacketLoss{.error_rate = 0.02, .packet_bits = 10, .retransmissions = 1},
        PacketLoss{.error_rate = 0.6, .packet_bits = 3000, .retransmissions = 9},
        PacketLoss{.error_rate = 0.3, .packet_bits = 1e9, .retransmissions = 0}}) {
    constexpr double kBits = 30000;
    std::uint64_t arrived = 0;
    double sum = 0, squares = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      RandomStream stream(1, kTest, 6, i);
      const PacketDelivery delivery = SendPackets(packets, kBits, stream);
      if (delivery.has_arrived) ++arrived;
      EXPECT_GE(delivery.sendings, 1);
      EXPECT_LE(delivery.sendings, double(packets.retransmissions) + 1);
      sum += delivery.sendings;
      squares += delivery.sendings * delivery.sendings;
    }
    ExpectShare(arrived, PacketReliability(packets, kBits));
    const double mean = sum / double(kDraws);
    const double error = std::sqrt((squares / double(kDraws) - mean * mean) / double(kDraws));
    EXPECT_NEAR(mean, ExpectedSendings(packets), 4.5 * error + 1e-12);
  }
}

// Updates of ten million packets, sent again and again, are drawn at once.
TEST(Packets, MayBeMany) {
  const PacketLoss packets{.error_rate = 0.999, .packet_bits = 1, .retransmissions = 1000};
  RandomStream stream(1, kTest, 7, 0);
  const PacketDelivery delivery = SendPackets(packets, 1e7, stream);
  EXPECT_FALSE(delivery.has_arrived);
  // The mean over ten million packets has a standard error of less than 1e3/sqrt(1e7).
  EXPECT_NEAR(delivery.sendings, ExpectedSendings(packets), 4.5 * 1e3 / std::sqrt(1e7));
}

TEST(ChannelKnowledge, IsValidated) {
  const auto message = [](const Radio& radio) {
    const Status status = Validate(radio);
    return status ? "" : status.error().message;
  };
  Radio radio{.knowledge = {.correlation = 0.5}};
  EXPECT_EQ(message(radio),
            "radio.channel_correlation = 0.5: only the amplitudes of rayleigh fading are "
            "estimated: set radio.fading to it");
  radio.fading.kind = Fading::kRayleigh;
  EXPECT_EQ(message(radio), "");
  radio.knowledge.error_sd_db = 3;
  EXPECT_EQ(message(radio),
            "radio.channel_correlation = 0.5: cannot stand beside radio.channel_error_db: choose "
            "one");
  radio.knowledge = {.correlation = 0.9999};
  EXPECT_EQ(message(radio), "radio.channel_correlation = 0.9999: must be at most 0.999, or 1");
  radio.knowledge.correlation = 1;
  EXPECT_EQ(message(radio), "");
}

}  // namespace
}  // namespace airlot
