#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "airlot/radio.h"
#include "base/check.h"

namespace airlot {

namespace {

constexpr std::array kAfterDraws{
    AfterDrawEntry{AfterDraw::kStrategy, "strategy",
                   "The band is shared as the strategy's source has it."},
    AfterDrawEntry{AfterDraw::kOwn, "own", "Each sends in its own band, as in the paper."},
    AfterDrawEntry{AfterDraw::kEqual, "equal", "All send at once, in equal parts of the band."},
    AfterDrawEntry{AfterDraw::kTogether, "together",
                   "All send at once, in parts with which they finish together."},
    AfterDrawEntry{AfterDraw::kLeastEnergy, "least-energy",
                   "All send at once, with the least energy that keeps the time limit."},
    AfterDrawEntry{AfterDraw::kTurns, "turns", "One sends after another, each in the whole band."},
};

constexpr std::array kBandSharings{BandSharingEntry{BandSharing::kEqual, "equal"},
                                   BandSharingEntry{BandSharing::kShared, "shared"},
                                   BandSharingEntry{BandSharing::kBlocks, "blocks"}};

}  // namespace

std::span<const AfterDrawEntry> AfterDraws() { return kAfterDraws; }

std::string_view AfterDrawName(AfterDraw rule) {
  const auto* entry = std::ranges::find(kAfterDraws, rule, &AfterDrawEntry::rule);
  AIRLOT_CHECK(entry != kAfterDraws.end(), "rule {}", static_cast<int>(rule));
  return entry->name;
}

std::span<const BandSharingEntry> BandSharings() { return kBandSharings; }

std::string_view BandSharingName(BandSharing sharing) {
  const auto* entry = std::ranges::find(kBandSharings, sharing, &BandSharingEntry::sharing);
  AIRLOT_CHECK(entry != kBandSharings.end(), "sharing {}", static_cast<int>(sharing));
  return entry->name;
}

double ToDecibel(double ratio) { return 10 * std::log10(ratio); }
double FromDecibel(double decibel) { return std::pow(10, decibel / 10); }

double NoisePower(const Noise& noise, double bandwidth_hz) {
  const auto* density = std::get_if<NoiseDensity>(&noise);
  if (density == nullptr) return std::get<FixedNoise>(noise).power_w;
  // (2): dBm to W is 30 dB.
  return FromDecibel(density->dbm_per_hz + density->figure_db - 30) * bandwidth_hz;
}

bool GrowsWithBand(const Noise& noise) { return std::holds_alternative<NoiseDensity>(noise); }

LinkBudget ComputeLink(const Radio& radio, const LinkSite& site, double bandwidth_hz,
                       double power_w, double update_bits) {
  LinkBudget link{.site = site, .bandwidth_hz = bandwidth_hz, .power_w = power_w};
  link.path_loss_db =
      PathLossDb(radio.propagation, site.distance_m, site.line_of_sight, site.environment_height_m);
  link.gain =
      PathGain(radio.propagation, site.distance_m, site.line_of_sight, site.environment_height_m) *
      FromDecibel(-site.shadowing_db);  // (R22)
  link.noise_w = NoisePower(radio.noise, bandwidth_hz);
  link.snr = power_w * link.gain / link.noise_w;
  const double snr = link.snr / FromDecibel(radio.gap_db());
  // The cap counts in the unit in which it is set: from nats it would come back rounded.
  link.spectral_efficiency =
      std::min(NatsPerHertz(snr) / std::numbers::ln2, radio.coding.spectral_efficiency_cap);  // (3)
  const RadioSteps steps = StepsOf(radio);
  if (steps.has_rates()) {  // (D2)
    link.mcs_row = RowOfSnr(steps.rates, snr);
    link.spectral_efficiency = link.mcs_row ? steps.rates[*link.mcs_row].bit_per_s_per_hz : 0;
  }
  link.rate_bps = bandwidth_hz * link.spectral_efficiency;
  link.upload_s = update_bits / link.rate_bps;  // (4)
  link.drawn_power_w = DrawnPower(power_w, radio.consumption.amplifier_efficiency,
                                  radio.consumption.circuit_power_w);
  link.energy_j = link.drawn_power_w * link.upload_s;  // (R37)
  return link;
}

}  // namespace airlot
