// The radio of a cell has path loss, fading and noise, and so the budget of a link.
#ifndef AIRLOT_RADIO_H_
#define AIRLOT_RADIO_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "airlot/column.h"
#include "airlot/link.h"
#include "airlot/radio_steps.h"
#include "airlot/random.h"
#include "airlot/result.h"

namespace airlot {

// A PathLoss is how the channel gain falls with distance. Each has one file of src/radio/.
enum class PathLoss : std::uint8_t {
  kInverseSquare,  // gain = d^-2, as in the paper
  kLogDistance,
  kMacro2Ghz,
  // Those of 3GPP TR 38.901 have line of sight as its probability draws it, always (Los), or never
  // (Nlos).
  kRma,
  kRmaLos,
  kRmaNlos,
  kUma,
  kUmaLos,
  kUmaNlos,
  kUmi,
  kUmiLos,
  kUmiNlos,
  kInh,
  kInhLos,
  kInhNlos,
};

struct PathLossEntry {
  PathLoss path_loss;
  std::string_view name;
  std::string_view summary;
};
// Returns every path loss there is.
std::span<const PathLossEntry> PathLosses();
std::string_view PathLossName(PathLoss path_loss);

// Fading is how the gain of a link changes from round to round, around a mean of 1.
enum class Fading : std::uint8_t { kNone, kRayleigh, kRician, kNakagami };

struct FadingEntry {
  Fading fading;
  std::string_view name;
  std::string_view summary;
};
// Returns every fading there is.
std::span<const FadingEntry> Fadings();
std::string_view FadingName(Fading fading);

// BandSharing is how the band of the cell is split over the devices.
enum class BandSharing : std::uint8_t {
  kEqual,   // all devices have the same, as in the paper
  kShared,  // split so that most (weighted) devices take part
  kBlocks,  // as kShared, but in whole resource blocks
};
struct BandSharingEntry {
  BandSharing sharing;
  std::string_view name;
};
std::span<const BandSharingEntry> BandSharings();
std::string_view BandSharingName(BandSharing sharing);

// AfterDraw is how those who were drawn share the band of the cell in their round. (docs/books.md)
enum class AfterDraw : std::uint8_t {
  kStrategy,     // as the source of the strategy has it
  kOwn,          // each in its own band, as in the paper
  kEqual,        // in equal parts, all at the same time
  kTogether,     // at the same time, in parts with which all finish together
  kLeastEnergy,  // at the same time, with the least energy that keeps the time limit
  kTurns,        // one after another, each in the whole band
};
struct AfterDrawEntry {
  AfterDraw rule;
  std::string_view name;
  std::string_view summary;
};
// Returns every rule there is.
std::span<const AfterDrawEntry> AfterDraws();
std::string_view AfterDrawName(AfterDraw rule);

// Shadowing is a log-normal loss of each link, which stays the same from round to round.
struct Shadowing {
  std::optional<double> sd_db;  // standard deviation; not set: the path loss's own
  bool operator==(const Shadowing&) const = default;
};

// Propagation decides how much of what is sent arrives, on average over rounds.
struct Propagation {
  PathLoss path_loss = PathLoss::kInverseSquare;
  double frequency_hz = 3.5e9;
  std::optional<double> base_height_m;  // of the server's antenna; not set: the path loss's own
  double device_height_m = 1.5;
  double building_height_m = 5;   // mean, rma
  double street_width_m = 20;     // mean, rma
  bool open_office = false;       // inh: else a mixed one
  double path_loss_exponent = 3;  // log-distance
  double reference_loss_db = 40;  // log-distance, at 1 m
  std::optional<Shadowing> shadowing;
  bool operator==(const Propagation&) const = default;
};

// A FadingModel is a kind of fading, and the shape of those kinds that have one.
struct FadingModel {
  Fading kind = Fading::kNone;
  std::optional<double> rician_k_db;  // not set: drawn, as the path loss has it
  double nakagami_m = 1.5;
  bool operator==(const FadingModel&) const = default;
};

// The noise of a receiver is the same power in every band, or a density that is multiplied by the
// band and to which the receiver adds its noise figure.
struct FixedNoise {
  double power_w = 1e-12;
  bool operator==(const FixedNoise&) const = default;
};
struct NoiseDensity {
  double dbm_per_hz = -174;
  double figure_db = 0;
  bool operator==(const NoiseDensity&) const = default;
};
using Noise = std::variant<FixedNoise, NoiseDensity>;

// CellBand describes the band of the cell, and how devices share it.
struct CellBand {
  double bandwidth_hz = 1e7;
  BandSharing sharing = BandSharing::kEqual;
  double block_hz = 180e3;  // of a resource block
  AfterDraw after_draw = AfterDraw::kStrategy;
  bool operator==(const CellBand&) const = default;
};

// An McsRow is a modulation and coding scheme: from this SNR on, the gap counted, a link carries
// this many bits. An McsTable rises in both, and is empty where rates are those of Shannon's
// formula. (docs/radios.md)
struct McsRow {
  double snr_db = 0;
  double bit_per_s_per_hz = 0;
  bool operator==(const McsRow&) const = default;
};
struct McsTable {
  std::string name;  // of a built-in table; empty for others
  std::vector<McsRow> rows;
  bool operator==(const McsTable&) const = default;
};
struct McsTableEntry {
  std::string_view name;
  std::string_view summary;
  std::span<const McsRow> rows;
};
// Returns every table that is built in.
std::span<const McsTableEntry> McsTables();
inline constexpr double kMostMcsSnrDb = 100;       // of either sign
inline constexpr double kMostMcsEfficiency = 100;  // bit/s/Hz
// Names the first row that is not allowed.
Status Validate(const McsTable& table);
// Reads a table from a CSV file with the columns snr_db and bit_per_s_per_hz.
Result<std::vector<McsRow>> ReadMcsRows(const std::string& path);

// LinkCoding says how far a modem stays behind Shannon's formula, or which rates it has instead.
struct LinkCoding {
  double snr_gap_db = 0;
  double spectral_efficiency_cap = std::numeric_limits<double>::infinity();  // bit/s/Hz
  McsTable mcs = {};                                                         // of uploads
  bool operator==(const LinkCoding&) const = default;
};

// ChannelKnowledge says how well the server knows the gain of a link when it plans a round. A
// device sends at the rate of the known gain, and its update is lost where the true one does not
// carry that rate. (docs/books.md)
struct ChannelKnowledge {
  double error_sd_db = 0;  // standard deviation of the true gain around the known one, in dB
  double correlation = 1;  // of the known and the true amplitude; below 1 with Rayleigh fading only
  double margin_db = 0;    // rates and powers take the gain for this much less than it is known
  bool is_perfect() const { return error_sd_db == 0 && correlation == 1; }
  bool operator==(const ChannelKnowledge&) const = default;
};

// PacketLoss says how the packets of an update get lost, each by itself, and are sent again.
struct PacketLoss {
  double error_rate = 0;            // share of the packets that do not arrive
  double packet_bits = 12000;       // size of a packet
  std::size_t retransmissions = 3;  // how often a packet is sent again at most
  bool operator==(const PacketLoss&) const = default;
};

// PowerControl says at which powers a device can send, at most at its P^max. (docs/radios.md)
struct PowerControl {
  double min_power_w = 0;        // the least of them
  double step_db = 0;            // > 0: only at P^max, one step below it, two, ...
  std::vector<double> levels_w;  // not empty: only at these
  bool operator==(const PowerControl&) const = default;
};

// RadioConsumption says how much power a device's radio draws.
struct RadioConsumption {
  double amplifier_efficiency = 1;  // radiated power / power drawn for it, in (0, 1]
  double circuit_power_w = 0;       // beside that, while it sends
  double receive_power_w = 0;       // while it receives the model
  bool operator==(const RadioConsumption&) const = default;
};

// The Radio is what all links of a cell share.
struct Radio {
  Propagation propagation;
  FadingModel fading;
  Noise noise;
  CellBand band;
  LinkCoding coding;
  ChannelKnowledge knowledge;
  PacketLoss packets;
  RadioConsumption consumption;
  double server_power_w = 10;  // of the server, when it sends the model
  PowerControl power;
  // Returns by how much rates stay behind Shannon's formula of the known channel.
  double gap_db() const { return coding.snr_gap_db + knowledge.margin_db; }
  bool operator==(const Radio&) const = default;
};

// Returns the powers and rates of a radio in linear numbers.
RadioSteps StepsOf(const Radio& radio);
// Returns the scenario key that makes a radio one with steps, such as "radio.mcs".
std::string_view KeyOfSteps(const Radio& radio);

// Draws the power gains of a round, each > 0 and of mean 1, of devices first_device, first_device +
// 1, ... of the fleet; they are 1 without fading. `rician_k` is the fleet's column, used by Rician
// fading only. A device's gain depends on the seed, the round and its number, not on how the fleet
// is cut.
void DrawFading(const FadingModel& fading, ColumnView rician_k, std::uint64_t seed,
                std::uint64_t round, std::size_t first_device, std::span<double> gains);

// KnownGain returns the gain that the server reckons with: the mean of the true gain where it has
// estimated this one. All gains here are over the mean of their link. (K8)
double KnownGain(const ChannelKnowledge& knowledge, double estimated_gain);
// Draws how many times as large the true gain is as the known one. (K7), (K8)
double DrawTrueOverKnown(const ChannelKnowledge& knowledge, double known_gain,
                         RandomStream& stream);
// Returns the probability that the true gain is less than `least_ratio` times the known one. (K10)
double OutageProbability(const ChannelKnowledge& knowledge, double known_gain, double least_ratio);
// The correlation is at most this, or 1.
inline constexpr double kMostCorrelation = 0.999;

struct PacketDelivery {
  bool has_arrived = true;
  double sendings = 1;  // packets that were sent, those sent again included, over packets
};
// Sends the packets of an update. (K11)
PacketDelivery SendPackets(const PacketLoss& packets, double bits, RandomStream& stream);
// Returns the probability that all packets of an update arrive. (K12)
double PacketReliability(const PacketLoss& packets, double bits);
// Returns how often a packet is sent on average. (K13)
double ExpectedSendings(const PacketLoss& packets);

// FadingCdf is the share of rounds in which the gain is below `gain`, (R32) to (R34), and
// FadingQuantile is the gain below which it is in this share of rounds, in (0, 1). `rician_k` is
// linear, at most 1e4.
double FadingCdf(const FadingModel& fading, double rician_k, double gain);
double FadingQuantile(const FadingModel& fading, double rician_k, double share);
// Returns the spectral efficiency, in bit/s/Hz, on average over rounds, where the mean SNR is
// `snr`: gap and cap count, or the MCS table. (R35), (D10)
double ErgodicEfficiency(const FadingModel& fading, const LinkCoding& coding, double rician_k,
                         double snr);

// PathLossDb is the path loss of a link of this length on the ground (docs/radio.md). Where there
// is but one law, line of sight makes no difference. The environment height is that of `uma` for
// devices of 13 m and more.
double PathLossDb(const Propagation& propagation, double distance_m, bool line_of_sight,
                  double environment_height_m = 1);
// PathGain is PathLossDb as a linear channel gain.
double PathGain(const Propagation& propagation, double distance_m, bool line_of_sight,
                double environment_height_m = 1);
// Returns the probability of line of sight, which is 1 or 0 where the path loss does not draw it.
double LineOfSightProbability(const Propagation& propagation, double distance_m);
// Returns the standard deviation of the shadowing in dB, which is 0 without shadowing.
double ShadowingSd(const Propagation& propagation, double distance_m, bool line_of_sight);
// RicianK is the power of the direct path over all others, in dB, which is normal over the links;
// -inf means that there is no direct path.
struct RicianK {
  double mean_db = 0;
  double sd_db = 0;
};
RicianK RicianKOf(const FadingModel& fading, PathLoss path_loss, bool line_of_sight);
// Returns the height of the server's antenna that is set, or else the path loss's own.
double BaseHeight(const Propagation& propagation);
bool HasGeometry(PathLoss path_loss);       // frequency and heights count
bool KnowsLineOfSight(PathLoss path_loss);  // it has a law with line of sight and one without
bool DrawsLineOfSight(PathLoss path_loss);  // it draws line of sight by its probability

// A ValidInterval has the values for which a path loss is defined, both ends included.
struct ValidInterval {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
};
// Returns the distances on the ground for which the path loss is defined.
[[nodiscard]] ValidInterval DistanceRange(const Propagation& propagation);
// Checks that the path loss is defined for all that is set; an error names the key, its value and
// the range.
Status Validate(const Radio& radio);
// Checks that the path loss is defined at this distance.
Status CheckDistance(const Propagation& propagation, double distance_m);
// Checks that the path loss knows this height of what reflects waves. (R10)
Status CheckEnvironmentHeight(const Propagation& propagation, double environment_height_m);

// These two return the noise power in a band, (2), and whether it grows with the band.
double NoisePower(const Noise& noise, double bandwidth_hz);
bool GrowsWithBand(const Noise& noise);

// A LinkSite is where a device stands.
struct LinkSite {
  double distance_m = 0;
  bool line_of_sight = true;
  double shadowing_db = 0;  // added to the path loss
  double environment_height_m = 1;
};

// A LinkBudget has every term of the link budget of one device, (1) to (5), without fading.
struct LinkBudget {
  LinkSite site;
  double bandwidth_hz = 0;
  double power_w = 0;       // radiated
  double path_loss_db = 0;  // without shadowing
  double gain = 0;          // linear, with shadowing
  double noise_w = 0;
  double snr = 0;                  // linear, before the gap
  double spectral_efficiency = 0;  // bit/s/Hz, after gap and cap, or that of the row
  // This is the row of the MCS table that is used, and nothing below the first, where nothing can
  // be sent: times and energies are then infinite.
  std::optional<std::size_t> mcs_row;
  double rate_bps = 0;
  double upload_s = 0;
  double drawn_power_w = 0;  // power that amplifier and circuit draw while it sends
  double energy_j = 0;
};
LinkBudget ComputeLink(const Radio& radio, const LinkSite& site, double bandwidth_hz,
                       double power_w, double update_bits);

// These functions convert decibels, which occur only at the edges.
double ToDecibel(double ratio);
double FromDecibel(double decibel);

}  // namespace airlot

#endif  // AIRLOT_RADIO_H_
