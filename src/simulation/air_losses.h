// Losses on the air: which updates arrive, and how often their bits were sent.
#ifndef AIRLOT_SIMULATION_AIR_LOSSES_H_
#define AIRLOT_SIMULATION_AIR_LOSSES_H_

#include <cstdint>

#include "airlot/simulation.h"

namespace airlot::simulation {

// An update is lost where the true channel of the round does not carry the rate at which it is
// sent, or where a packet of it is lost too often. Reports and the model itself always arrive. The
// setting must outlive this object.
class AirLosses {
 public:
  explicit AirLosses(const Setting& setting);

  // Says whether updates may be lost at all.
  bool may_lose() const { return !knowledge_.is_perfect() || packets_.error_rate > 0; }

  // Sends the update of a device in a round. In outage all packets are sent once, and then the
  // device gives up. (K9), (K11)
  PacketDelivery Send(const Cell& cell, std::uint64_t round, std::uint32_t device,
                      const Terms& terms) const;
  // Returns the probability that the update arrives, given what the server knows. (K14)
  double ArrivalProbability(const Cell& cell, std::uint32_t device, const Terms& terms) const;

 private:
  // KnownLink is what the server knows of the link in a round.
  struct KnownLink {
    double gain = 1;         // over the mean of the link
    double least_ratio = 1;  // least true gain over the known one that carries the rate (K9)
  };
  KnownLink KnownLinkOf(const Cell& cell, std::uint32_t device, const Terms& terms) const;

  const Fleet& fleet_;
  const std::uint64_t seed_;
  const ChannelKnowledge knowledge_;
  const PacketLoss packets_;
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_AIR_LOSSES_H_
