// A fleet has its devices as columns; it is drawn from a description or read from a file.
#ifndef AIRLOT_FLEET_H_
#define AIRLOT_FLEET_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/column.h"
#include "airlot/hands.h"
#include "airlot/radio.h"
#include "airlot/result.h"

namespace airlot {

// A Spread says how a quantity is spread over the fleet.
struct Spread {
  enum class Kind : std::uint8_t { kConstant, kUniform, kLogUniform };
  Kind kind = Kind::kConstant;
  double low = 0;   // the value itself for kConstant
  double high = 0;  // equal to low for kConstant

  static Spread Constant(double value) { return {Kind::kConstant, value, value}; }
  static Spread Uniform(double low, double high) { return {Kind::kUniform, low, high}; }
  static Spread LogUniform(double low, double high) { return {Kind::kLogUniform, low, high}; }
  bool operator==(const Spread&) const = default;
};

// A FleetModel describes a fleet to draw. The defaults are those of
// scenarios/float32-cell.toml.
struct FleetModel {
  std::size_t devices = 100;
  double area_m = 1000;  // side of the square; the server stands in its middle
  Spread max_power_w = Spread::Constant(0.2);
  Spread kappa = Spread::Constant(1e-28);
  Spread energy_budget_j = Spread::LogUniform(1e-3, 100);
  Spread cycles_per_sample = Spread::Uniform(2e6, 8e6);
  Spread cpu_hz = Spread::Uniform(1e9, 3e9);
  Spread samples = Spread::Constant(600);
  std::optional<Spread> battery_j;         // charge at the start, and at most; not set: mains
  Spread harvest_w = Spread::Constant(0);  // what charges the battery all the time
  std::optional<std::string> file;         // a fleet file to read instead; not set: draw
  bool ignore_unknown = false;             // columns of the file that are not known are left out
  bool operator==(const FleetModel&) const = default;
};

// LocalWork is how much a device computes in a round.
struct LocalWork {
  std::size_t batch = 0;   // number of samples in a step; 0: all
  std::size_t steps = 1;   // number of steps of gradient descent
  std::size_t epochs = 0;  // passes over all samples, instead of `steps`; 0: none
  // Returns on how many samples a device computes that holds `samples`: never on less than all, as
  // in the paper, and on more where local training takes more. (68)
  double ComputedSamples(double samples) const;
};

// FleetDefaults are what a device takes where the rows of a fleet do not say.
struct FleetDefaults {
  FleetModel model;
  Radio radio;
  double update_bits = 0;
  double model_bits = 0;  // size of the model that a device receives
  double time_limit_s = 0;
  std::uint64_t seed = 1;
  LocalWork work;
  std::optional<double> round_period_s;  // how often a round is held; not set: not known
};

// DeviceIds are the names of devices; a device without one is called by its row number, from 1.
class DeviceIds {
 public:
  using Bytes = std::vector<char, ColumnAllocator<char>>;
  using Ends = std::vector<std::size_t, ColumnAllocator<std::size_t>>;

  DeviceIds() = default;
  // Takes names that stand behind each other, and where each of them ends.
  DeviceIds(Bytes text, Ends ends) : text_(std::move(text)), ends_(std::move(ends)) {}
  // Takes names that have `width` bytes each, with zeros behind those that are shorter.
  DeviceIds(Bytes text, std::size_t width) : text_(std::move(text)), width_(width) {}

  // Returns no names, so that devices are called by their row numbers, from one on that is not the
  // first of the fleet.
  static DeviceIds RowNumbersFrom(std::size_t first_device);
  std::size_t first_device() const { return first_device_; }

  // Appends a name; all that are there must have come in by Append, or with their ends.
  void Append(std::string_view id);
  // Returns a name that is valid until the next call on the same buffer.
  std::string_view Get(std::size_t device, std::string& buffer) const;
  bool empty() const { return size() == 0; }
  std::size_t size() const { return width_ > 0 ? text_.size() / width_ : ends_.size(); }
  std::size_t bytes() const { return text_.size(); }  // of all names

 private:
  Bytes text_;
  Ends ends_;              // empty where all have the same width
  std::size_t width_ = 0;  // 0: each has its own
  std::size_t first_device_ = 0;
};

// RowLines know the line of each row of a file. Where a row follows its predecessor directly, that
// takes no memory.
class RowLines {
 public:
  // Appends the line of the next row, and of as many as follow it directly. Lines rise.
  void Append(std::uint64_t line, std::size_t rows = 1);
  std::uint64_t LineOf(std::size_t row) const;
  bool empty() const { return rows_ == 0; }

 private:
  struct Jump {
    std::size_t row;
    std::uint64_t line;
  };
  std::size_t rows_ = 0;
  std::uint64_t last_line_ = 0;
  std::vector<Jump> jumps_;  // the rows that do not follow directly, and the first
};

// A FleetPart is what one process holds of a fleet that several processes hold together: devices
// that follow each other, and whole shards of them (airlot/hands.h).
struct FleetPart {
  std::size_t all_devices = 0;  // of the fleet
  std::size_t first_device = 0, devices = 0;
  // Of a CSV file these are the bytes of the rows, and the lines that stand before them.
  std::uint64_t first_byte = 0, end_byte = 0, lines_before = 0;
};
// Divides a fleet of so many devices, or that of a file, among the members of a team; each member
// has its own part. Where there are fewer shards of devices than members, the last members have
// none. Every member calls it, and has the same error as the others. Who makes a fleet of a part
// must have devices.
FleetPart DivideFleet(std::size_t devices, Team& team);
Result<FleetPart> DivideFleetFile(const std::string& path, Team& team);

// FleetRows are what is known of the devices before anything is drawn or derived. An empty column
// is not known.
struct FleetRows {
  std::size_t devices = 0;
  std::size_t first_device = 0;  // of the fleet, where the rows are a part of it
  DeviceIds ids;
  std::string origin;  // the file, with which messages begin; empty for a fleet that is drawn
  RowLines lines;      // of the devices in that file; empty where it has none (.npz)
  std::vector<std::string> ignored;  // columns of the file that were left out, as it names them
  ColumnValues distance_m, noise_to_gain_w, bandwidth_hz, max_power_w, energy_budget_j,
      compute_energy_j, compute_time_s, samples, cycles_per_sample, cpu_hz, kappa, update_bits,
      time_limit_s, receive_energy_j, battery_j, harvest_w;
  // These columns are what others are derived from (docs/fleets.md).
  ColumnValues path_loss_db, channel_gain_db, noise_dbm, noise_band_hz, x_m, y_m, battery_mah,
      battery_v, lifetime_days, round_period_s;

  // Returns all columns in their order, the empty ones too.
  std::vector<const ColumnValues*> Columns() const;
  // Says whether the channel was measured, so that no path loss is asked for it.
  bool HasMeasuredChannel() const {
    return !noise_to_gain_w.empty() || !path_loss_db.empty() || !channel_gain_db.empty();
  }
  bool HasPlaces() const { return !distance_m.empty() || !x_m.empty(); }
  // Says whether the number of samples of each device decides what it computes, and is not known.
  bool LacksSamples() const { return samples.empty() && compute_energy_j.empty(); }
};

// UnknownColumns says what is done with columns of a fleet file that are not known.
enum class UnknownColumns : std::uint8_t { kRefuse, kIgnore };

// Reads a fleet file (docs/formats.md): columns of NumPy where its name ends with .npz, and CSV
// otherwise. Fails where it does not fit into memory, or where two devices have the same id.
// `progress` is told the share read so far, from 0 to 1, on any thread but by one at a time. The
// rows, and the error of a file that is wrong, are the same for any number of threads. Where there
// is a part, each member of the team reads its own, and all have the same error.
Result<FleetRows> ReadFleetRows(const std::string& path,
                                const std::function<void(double)>& progress = {},
                                UnknownColumns unknown = UnknownColumns::kRefuse,
                                const Hands& hands = 1, const FleetPart* part = nullptr);

// DevicePlaces say where devices stand. The server is at (0, 0).
struct DevicePlaces {
  Column x_m, y_m;
};

// ModelReception says what it costs devices to receive the model.
struct ModelReception {
  Column receive_energy_j;  // (Q1)
  Column fixed_energy_j;    // the same and Fleet::compute_energy_j together
};

struct DeviceBatteries {
  Column capacity_j;  // the charge at the start, and at most
  Column harvest_w;   // what charges the battery all the time
};

// A Fleet has the devices of a cell. A part that is not set is not known of any device, unless its
// comment says otherwise.
struct Fleet {
  std::size_t devices = 0;
  std::size_t first_device = 0;  // where these are a part of a fleet that several processes hold
  DeviceIds ids;                 // empty: row numbers

  std::optional<DevicePlaces> places;
  std::optional<Column> distance_m;

  Column bandwidth_hz;            // of each device's own band; 0 where a split leaves it none
  double total_bandwidth_hz = 0;  // of the cell, however it is split
  // band_sharing says how the bands came about. Until `SplitBand` they are equal, or those of the
  // fleet file.
  BandSharing band_sharing = BandSharing::kEqual;
  Column update_bits;
  Column max_power_w;
  Column energy_budget_j;
  Column time_limit_s;
  // These columns say on how many samples devices compute, and how long (7). Either may be unknown
  // where the fleet file gives compute_energy_j.
  std::optional<Column> samples;
  std::optional<Column> compute_time_s;
  Column noise_to_gain_w;   // (1)
  Column nat_time_s;        // (4); infinite where a device has no band, or no samples
  Column compute_energy_j;  // (6)
  std::optional<ModelReception> reception;  // not set: receiving takes no energy
  ColumnView ReceiveEnergy() const {
    return reception ? ColumnView(reception->receive_energy_j) : ColumnView(0.0);
  }
  // Returns the energy that a participation takes beside its upload.
  ColumnView FixedEnergy() const {
    return reception ? reception->fixed_energy_j : compute_energy_j;
  }

  // These columns hold what was drawn of the links, where the channel follows from the distance.
  Column line_of_sight;  // 1: yes, 0: no
  Column shadowing_db;
  Column rician_k;  // linear; only with Rician fading

  std::optional<DeviceBatteries> batteries;  // not set: all have mains
};

// Draws what the rows do not say and derives the rest. The same rows and defaults give the same
// bytes for any number of threads, and what is drawn for device i is the same in a fleet of any
// size. Fails where the path loss is not defined for a device, where a measured noise grows with a
// band that is not known, where a lifetime lacks its battery or the period of the rounds, or where
// a derived quantity leaves [kSmallestInput, kLargestInput].
// Where there is a team, each member completes its part, and all have the same error.
Result<Fleet> CompleteFleet(FleetRows rows, const FleetDefaults& defaults, const Hands& hands = 1);

// Makes a fleet of which nothing is known but its model.
Result<Fleet> DrawFleet(const FleetDefaults& defaults, int threads = 1);

// Reads a fleet file and completes what it leaves open.
Result<Fleet> ReadFleet(const std::string& path, const FleetDefaults& defaults, int threads = 1,
                        const std::function<void(double)>& progress = {});

// Computes the noise-to-gain of every device in a round, as far as the server knows it, its gain
// drawn by `fading` (Q2); without fading, it is the fleet's own.
void FadeNoise(const Fleet& fleet, const FadingModel& fading, const ChannelKnowledge& knowledge,
               std::uint64_t seed, std::uint64_t round, std::span<double> noise_to_gain_w);

// Writes a fleet file that reads back to the same fleet, whatever the defaults; only devices that
// are closer than the path loss of the defaults is defined for count as that far. It is columns of
// NumPy where its name ends with .npz, and CSV otherwise. The file appears whole or not at all; its
// bytes are the same for any number of threads.
Status WriteFleet(const std::string& path, const Fleet& fleet, int threads = 1);

}  // namespace airlot

#endif  // AIRLOT_FLEET_H_
