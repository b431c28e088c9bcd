// These functions are the model of packets that get lost and are sent again. (docs/books.md)
#include <cmath>
#include <cstddef>

#include "airlot/radio.h"

namespace airlot {
namespace {

double PacketsOf(const PacketLoss& packets, double bits) {
  return std::max(std::ceil(bits / packets.packet_bits), 1.0);
}

// Draws how many packets are lost, where these are few. The distance from one that is lost to the
// next is geometric.
double DrawFewLost(double error_rate, double count, RandomStream& stream) {
  if (error_rate <= 0) return 0;
  if (error_rate >= 1) return count;
  const double log_kept = std::log1p(-error_rate);
  double lost = 0;
  double place = 0;  // packets up to and with the last one that is lost
  while (true) {
    place += 1 + std::floor(std::log1p(-stream.Uniform()) / log_kept);
    if (place > count) return lost;
    ++lost;
  }
}

// Draws how many of `count` packets are lost, those whose uniform number is below the error rate,
// in about log2(count) steps: the middle one of the numbers in their order has a Beta distribution,
// tells on which side of the rate one half of them lies, and leaves the other half uniform.
double DrawLost(double error_rate, double count, RandomStream& stream) {
  constexpr double kFew = 64;  // The other way takes a step for each that is lost.
  double lost = 0;
  while (count * error_rate > kFew) {
    const double middle = std::floor(count / 2) + 1;
    const double log_left = stream.LogGamma(middle);
    const double log_right = stream.LogGamma(count + 1 - middle);
    const double number = 1 / (1 + std::exp(log_right - log_left));
    if (number >= error_rate) {
      count = middle - 1;
      error_rate /= number;
    } else {
      lost += middle;
      count -= middle;
      error_rate = (error_rate - number) / (1 - number);
    }
  }
  return lost + DrawFewLost(error_rate, count, stream);
}

}  // namespace

// (K11)
PacketDelivery SendPackets(const PacketLoss& packets, double bits, RandomStream& stream) {
  if (packets.error_rate == 0) return {};
  const double count = PacketsOf(packets, bits);
  double lost = DrawLost(packets.error_rate, count, stream);
  double sent = count;
  for (std::size_t again = 0; again < packets.retransmissions && lost > 0; ++again) {
    sent += lost;
    lost = DrawLost(packets.error_rate, lost, stream);
  }
  return {.has_arrived = lost == 0, .sendings = sent / count};
}

// (K12)
double PacketReliability(const PacketLoss& packets, double bits) {
  if (packets.error_rate == 0) return 1;
  const double lost = std::pow(packets.error_rate, double(packets.retransmissions) + 1);
  return std::exp(PacketsOf(packets, bits) * std::log1p(-lost));
}

// (K13)
double ExpectedSendings(const PacketLoss& packets) {
  const double lost = std::pow(packets.error_rate, double(packets.retransmissions) + 1);
  return (1 - lost) / (1 - packets.error_rate);
}

}  // namespace airlot
