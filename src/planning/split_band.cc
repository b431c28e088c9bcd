#include <limits>
#include <utility>

#include "airlot/round.h"
#include "base/gather.h"
#include "base/shards.h"

namespace airlot {
namespace {

// Sets what changes with the band of a device. One without a band keeps the noise-to-gain that it
// had.
void TakeBands(const BandProblem& problem, const ColumnValues& bandwidth_hz, int threads,
               Fleet& fleet) {
  ColumnValues nat_time_s(fleet.devices), noise_to_gain_w(fleet.devices);
  base::ForEachShard(fleet.devices, threads, [&](const base::Shard& shard) {
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      const bool has_band = bandwidth_hz[i] > 0;
      const BandColumns columns =
          has_band ? ColumnsIn(problem.cell, i, bandwidth_hz[i])
                   : BandColumns{fleet.noise_to_gain_w[i], std::numeric_limits<double>::infinity()};
      nat_time_s[i] = columns.nat_time_s;
      noise_to_gain_w[i] = columns.noise_to_gain_w;
    }
  });
  fleet.bandwidth_hz = bandwidth_hz;
  fleet.nat_time_s = std::move(nat_time_s);
  if (problem.cell.noise_grows_with_band) fleet.noise_to_gain_w = std::move(noise_to_gain_w);
}

}  // namespace

Result<std::optional<BandSplit>> SplitBand(const Radio& radio, const RoundRules& rules,
                                           Fleet& fleet, const Hands& hands) {
  if (radio.band.sharing == BandSharing::kEqual) return std::optional<BandSplit>();
  const auto planning = ProblemOf(fleet, radio, rules);
  if (!planning) return planning.error();
  BandProblem problem{.cell = {.problem = *planning,
                               .bandwidth_hz = fleet.bandwidth_hz,
                               .update_bits = fleet.update_bits,
                               .total_bandwidth_hz = fleet.total_bandwidth_hz,
                               .noise_grows_with_band = GrowsWithBand(radio.noise)}};
  if (fleet.samples) problem.weight = *fleet.samples;
  const std::size_t all_devices = base::SumOfMembers(hands, fleet.devices);
  const bool is_blocks = radio.band.sharing == BandSharing::kBlocks;
  const Status status =
      base::AgreeOn(hands, is_blocks ? ValidateBlocks(problem, radio.band.block_hz, all_devices)
                                     : Validate(problem, all_devices));
  if (!status) return status.error();
  std::optional<BandSplit> split =
      is_blocks ? ShareBlocks(problem, radio.band.block_hz, hands) : ShareBandwidth(problem, hands);
  TakeBands(problem, split->bandwidth_hz, hands.threads, fleet);
  fleet.band_sharing = radio.band.sharing;
  return split;
}

}  // namespace airlot
