#include "scenario/keys.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/model.h"
#include "airlot/partition.h"
#include "airlot/planning.h"
#include "airlot/radio.h"
#include "base/text.h"
#include "selection/strategies.h"

namespace airlot::scenario {
namespace {

constexpr Bounds kAny = {};  // for keys whose kind says all
constexpr Bounds kPositive = {.low = kSmallestInput, .high = kLargestInput};
constexpr Bounds kNotNegative = {.low = kSmallestInput, .high = kLargestInput, .or_zero = true};
constexpr Bounds From(double low, double high) { return {.low = low, .high = high}; }

// NamesOf returns the names of entries such as Models().
template <auto Entries>
std::vector<std::string_view> NamesOf() {
  std::vector<std::string_view> names;
  for (const auto& entry : Entries()) names.push_back(entry.name);
  return names;
}

constexpr Beside kWithData = {.needs = "data.dataset"};
constexpr Beside kWithCompression = {.needs = "learning.compression"};
constexpr bool kBrief = true;

using S = Scenario;

// --- Parts of alternatives -----------------------------------------------------------------------

std::optional<bool> HasShadowing(const S& s) { return s.radio.propagation.shadowing.has_value(); }
void PutShadowing(bool has_shadowing, S& s) {
  auto& shadowing = s.radio.propagation.shadowing;
  has_shadowing ? void(shadowing.emplace()) : shadowing.reset();
}

std::optional<double> ShadowingSdDb(const S& s) {
  const auto& shadowing = s.radio.propagation.shadowing;
  return shadowing ? shadowing->sd_db : s.idle_shadowing_sd_db;
}
void PutShadowingSd(double sd_db, S& s) {
  auto& shadowing = s.radio.propagation.shadowing;
  (shadowing ? shadowing->sd_db : s.idle_shadowing_sd_db) = sd_db;
}

std::optional<double> NoiseW(const S& s) {
  const auto* fixed = std::get_if<FixedNoise>(&s.radio.noise);
  return fixed == nullptr ? std::nullopt : std::optional(fixed->power_w);
}
void PutNoiseW(double power_w, S& s) { s.radio.noise = FixedNoise{power_w}; }

std::optional<double> NoiseDbmPerHz(const S& s) {
  const auto* density = std::get_if<NoiseDensity>(&s.radio.noise);
  return density == nullptr ? std::nullopt : std::optional(density->dbm_per_hz);
}
void PutNoiseDbmPerHz(double dbm_per_hz, S& s) {
  s.radio.noise = NoiseDensity{.dbm_per_hz = dbm_per_hz};
}

std::optional<double> NoiseFigureDb(const S& s) {
  const auto* density = std::get_if<NoiseDensity>(&s.radio.noise);
  return density == nullptr ? 0 : density->figure_db;
}
void PutNoiseFigure(double figure_db, S& s) {
  if (auto* density = std::get_if<NoiseDensity>(&s.radio.noise)) density->figure_db = figure_db;
}

// --- The table -----------------------------------------------------------------------------------

// A FixedKey is a key that every scenario has. It is a constant, so that a scenario can be read
// before main.
struct FixedKey {
  std::string_view name;
  Bounds bounds;
  Field (*field)(Scenario& scenario);
  std::string_view summary;
  Beside beside = {};
  bool is_brief = false;
  std::vector<std::string_view> (*offers)() = nullptr;
};

constexpr FixedKey kFixedKeys[] = {
    {"name", From(1, 100), [](S& s) -> Field { return &s.name; },
     "Results call the scenario by this name."},
    {"rounds", From(1, 1e9), [](S& s) -> Field { return &s.rounds; },
     "Training takes at most this many rounds."},
    {"evaluate_every", From(1, 1e9), [](S& s) -> Field { return &s.evaluate_every; },
     "The model is evaluated on the test set once in this many rounds."},
    {"targets",
     {.low = kSmallestInput, .high = 1},
     [](S& s) -> Field { return &s.targets; },
     "Time and energy are reported for these test accuracies."},
    {"stop_at_targets",
     kAny,
     [](S& s) -> Field { return &s.stop_at_targets; },
     "If true, a run ends with the evaluation that reaches the highest of the targets.",
     {},
     kBrief},

    {"data.dataset",
     From(0, 4096),
     [](S& s) -> Field { return &s.data.dataset; },
     "The data set is a name, a folder of IDX, NumPy or CSV files, or an .npz file.",
     {},
     !kBrief,
     NamesOf<Datasets>},
    {"data.standardise", kAny, [](S& s) -> Field { return &s.data.standardise; },
     "If true, features (of images: channels) get mean 0 and standard deviation 1.", kWithData,
     kBrief},
    {"data.partition", kAny,
     [](S& s) -> Field {
       return ListedName{&s.data.partition.method, NamesOf<Partitions>};
     },
     "The partition splits the samples over the devices.", kWithData},
    {"data.beta", From(1e-9, 1e6), [](S& s) -> Field { return &s.data.partition.beta; },
     "The Dirichlet draws of a partition have this concentration; small is uneven.", kWithData},
    {"data.minimum_samples", From(0, 1e9),
     [](S& s) -> Field { return &s.data.partition.minimum_samples; },
     "Every device must get at least this many samples (dirichlet).", kWithData},
    {"data.shards_per_device", From(1, 1e9),
     [](S& s) -> Field { return &s.data.partition.shards_per_device; },
     "Every device gets this many shards (shards).", kWithData},
    {"data.samples_per_device", From(0, 1e9),
     [](S& s) -> Field { return &s.data.partition.samples_per_device; },
     "Every device gets this many samples (client-dirichlet, iid); 0 shares all equally.",
     kWithData},
    {"data.overlap", kAny, [](S& s) -> Field { return &s.data.partition.overlap; },
     "If true, devices may hold the same samples (client-dirichlet).", kWithData},
    {"data.partition_file", From(0, 4096), [](S& s) -> Field { return &s.data.partition.file; },
     "This CSV file says who has which samples (file).", kWithData, kBrief},

    {"model.name",
     From(1, 100),
     [](S& s) -> Field { return &s.model.name; },
     "Devices upload the update of this network: a built-in one, or a name for model.layers.",
     {},
     !kBrief,
     NamesOf<Models>},
    {"model.layers", kAny, [](S& s) -> Field { return &s.model.layers; },
     "The network is this list of layers; a dense layer to the classes follows by itself."},
    {"model.parameters", From(1, kLargestInput), [](S& s) -> Field { return &s.model.parameters; },
     "An update is charged as this many parameters; if not set, as many as the model has."},
    {"model.bits_per_parameter",
     {.low = kSmallestInput, .high = 64},
     [](S& s) -> Field { return &s.model.bits_per_parameter; },
     "An update spends this many bits on each parameter."},

    {"learning.rate", kPositive, [](S& s) -> Field { return &s.learning.rate; },
     "Gradient descent takes steps of this size."},
    {"learning.batch", From(0, 1e9), [](S& s) -> Field { return &s.learning.batch; },
     "A local gradient takes this many samples; 0 means all."},
    {"learning.aggregation", kAny, [](S& s) -> Field { return &s.learning.aggregation; },
     "The server weighs the updates by this rule: average, sum or unbiased."},
    {"learning.least_probability", From(0, 1),
     [](S& s) -> Field { return &s.learning.least_probability; },
     "An unbiased aggregation divides by at least this probability."},
    {"learning.rule",
     kAny,
     [](S& s) -> Field {
       return ListedName{&s.learning.rule, NamesOf<TrainingRules>};
     },
     "The rule says what devices and server do with gradients.",
     {},
     kBrief},
    {"learning.server_rate",
     kPositive,
     [](S& s) -> Field { return &s.learning.server_rate; },
     "The server takes steps of this size; if not set, the rule says it.",
     {},
     kBrief},
    {"learning.momentum", From(0, 0.9999), [](S& s) -> Field { return &s.learning.momentum; },
     "The server's gradient descent has this momentum; if not set, the rule says it."},
    {"learning.proximal",
     kNotNegative,
     [](S& s) -> Field { return &s.learning.proximal; },
     "FedProx pulls to the server's model with this weight; if not set, the rule says it.",
     {},
     kBrief},
    {"learning.beta1",
     From(0, 0.9999),
     [](S& s) -> Field { return &s.learning.beta1; },
     "An adaptive server keeps this share of its mean of steps; if not set, the rule says it.",
     {},
     kBrief},
    {"learning.beta2",
     From(0, 0.999999),
     [](S& s) -> Field { return &s.learning.beta2; },
     "An adaptive server keeps this share of its mean of squares; if not set, the rule says it.",
     {},
     kBrief},
    {"learning.tau",
     kPositive,
     [](S& s) -> Field { return &s.learning.tau; },
     "An adaptive server adds this to the root it divides by; if not set, the rule says it.",
     {},
     kBrief},
    {"learning.bias_correction",
     kAny,
     [](S& s) -> Field { return &s.learning.bias_correction; },
     "If true, an adaptive server corrects for means that start at 0.",
     {},
     kBrief},
    {"learning.local_steps", From(1, 1e9), [](S& s) -> Field { return &s.learning.local_steps; },
     "Local training takes this many steps; with more than 1, devices send models, not gradients."},
    {"learning.local_epochs", From(0, 1e6), [](S& s) -> Field { return &s.learning.local_epochs; },
     "Local training passes this often over all samples; 0 makes it take learning.local_steps."},
    {"learning.compression",
     kAny,
     [](S& s) -> Field { return &s.learning.compression.method; },
     "This method makes an update smaller.",
     {},
     kBrief},
    {"learning.keep", From(1e-9, 1), [](S& s) -> Field { return &s.learning.compression.keep; },
     "Devices send this share of the numbers of an update (top-k, rand-k).", kWithCompression,
     kBrief},
    {"learning.levels", From(1, kMostLevels),
     [](S& s) -> Field { return &s.learning.compression.levels; },
     "There are this many steps from 0 to the norm (qsgd).", kWithCompression, kBrief},
    {"learning.bucket", From(1, 1e9), [](S& s) -> Field { return &s.learning.compression.bucket; },
     "This many numbers share a norm (qsgd).", kWithCompression, kBrief},

    {"fleet.devices", From(1, 1e9), [](S& s) -> Field { return &s.fleet.devices; },
     "This many devices are drawn."},
    {"fleet.area_m", kPositive, [](S& s) -> Field { return &s.fleet.area_m; },
     "Devices are in a square with this side; the server stands in its middle."},
    {"fleet.max_power_w", kPositive, [](S& s) -> Field { return &s.fleet.max_power_w; },
     "A device transmits with at most this power."},
    {"fleet.kappa", kNotNegative, [](S& s) -> Field { return &s.fleet.kappa; },
     "A device's CPU has this effective switched capacitance, J s^2 per cycle^3."},
    {"fleet.energy_budget_j", kNotNegative, [](S& s) -> Field { return &s.fleet.energy_budget_j; },
     "A device may spend this energy in a round, on average."},
    {"fleet.cycles_per_sample", kNotNegative,
     [](S& s) -> Field { return &s.fleet.cycles_per_sample; },
     "The gradient of one sample takes this many CPU cycles."},
    {"fleet.cpu_hz", kPositive, [](S& s) -> Field { return &s.fleet.cpu_hz; },
     "A device has this many CPU cycles per second."},
    {"fleet.samples",
     kNotNegative,
     [](S& s) -> Field { return &s.fleet.samples; },
     "A device computes on this many samples in a round, where there is no data.dataset.",
     {.excludes = "data.dataset"}},
    {"fleet.battery_j",
     kPositive,
     [](S& s) -> Field { return &s.fleet.battery_j; },
     "A device's battery has this charge at the start, and at most; if not set, it has mains "
     "power.",
     {},
     kBrief},
    {"fleet.harvest_w",
     kNotNegative,
     [](S& s) -> Field { return &s.fleet.harvest_w; },
     "This power charges the battery all the time.",
     {},
     kBrief},
    {"fleet.file", From(0, 4096), [](S& s) -> Field { return &s.fleet.file; },
     "The fleet is read from this file (CSV) instead of being drawn."},
    {"fleet.ignore_unknown",
     kAny,
     [](S& s) -> Field { return &s.fleet.ignore_unknown; },
     "If true, columns of the fleet file that are not known are ignored, not an error.",
     {},
     kBrief},

    {"radio.path_loss", kAny, [](S& s) -> Field { return &s.radio.propagation.path_loss; },
     "The channel gain falls with distance by this model."},
    {"radio.frequency_hz",
     From(1e6, 1e12),
     [](S& s) -> Field { return &s.radio.propagation.frequency_hz; },
     "The carrier has this frequency (rma, uma, umi, inh).",
     {},
     kBrief},
    {"radio.base_height_m",
     From(0.1, 1000),
     [](S& s) -> Field { return &s.radio.propagation.base_height_m; },
     "The server's antenna has this height; if not set, the path loss says it (rma, uma, umi, "
     "inh).",
     {},
     kBrief},
    {"radio.device_height_m",
     From(0.1, 1000),
     [](S& s) -> Field { return &s.radio.propagation.device_height_m; },
     "The devices are at this height (rma, uma, umi, inh).",
     {},
     kBrief},
    {"radio.building_height_m",
     From(0.1, 1000),
     [](S& s) -> Field { return &s.radio.propagation.building_height_m; },
     "The buildings have this mean height (rma).",
     {},
     kBrief},
    {"radio.street_width_m",
     From(0.1, 1000),
     [](S& s) -> Field { return &s.radio.propagation.street_width_m; },
     "The streets have this mean width (rma).",
     {},
     kBrief},
    {"radio.open_office",
     kAny,
     [](S& s) -> Field { return &s.radio.propagation.open_office; },
     "If true, the office is open, not mixed, which decides who has line of sight (inh).",
     {},
     kBrief},
    {"radio.path_loss_exponent",
     From(1, 10),
     [](S& s) -> Field { return &s.radio.propagation.path_loss_exponent; },
     "The gain falls by distance^-exponent (log-distance).",
     {},
     kBrief},
    {"radio.reference_loss_db",
     From(-100, 300),
     [](S& s) -> Field { return &s.radio.propagation.reference_loss_db; },
     "The path loss at 1 m has this value (log-distance).",
     {},
     kBrief},
    {"radio.shadowing",
     kAny,
     [](S& s) -> Field {
       return Part<bool>{&s, HasShadowing, PutShadowing};
     },
     "If true, each link has a log-normal loss of its own.",
     {},
     kBrief},
    {"radio.shadowing_sd_db",
     From(0, 100),
     [](S& s) -> Field {
       return Part<double>{&s, ShadowingSdDb, PutShadowingSd};
     },
     "Shadowing has this standard deviation; if not set, the path loss says it.",
     {},
     kBrief},
    {"radio.fading",
     kAny,
     [](S& s) -> Field { return &s.radio.fading.kind; },
     "The gain of a link changes from round to round by this model.",
     {},
     kBrief},
    {"radio.rician_k_db",
     From(-40, 40),
     [](S& s) -> Field { return &s.radio.fading.rician_k_db; },
     "The direct path has this power over the others; if not set, it is drawn as the path loss "
     "says.",
     {},
     kBrief},
    {"radio.nakagami_m",
     From(0.5, 1000),
     [](S& s) -> Field { return &s.radio.fading.nakagami_m; },
     "Nakagami fading has this shape; 1 is Rayleigh, more is steadier.",
     {},
     kBrief},
    {"radio.noise_w",
     kPositive,
     [](S& s) -> Field {
       return Part<double>{&s, NoiseW, PutNoiseW};
     },
     "A device's band has this noise power.",
     {.excludes = "radio.noise_dbm_per_hz"}},
    {"radio.noise_dbm_per_hz", From(-300, 100),
     [](S& s) -> Field {
       return Part<double>{&s, NoiseDbmPerHz, PutNoiseDbmPerHz};
     },
     "The noise has this density, instead of radio.noise_w; its power grows with the band."},
    {"radio.noise_figure_db",
     From(0, 100),
     [](S& s) -> Field {
       return Part<double>{&s, NoiseFigureDb, PutNoiseFigure};
     },
     "The receiver adds this noise to radio.noise_dbm_per_hz.",
     {.needs = "radio.noise_dbm_per_hz"}},
    {"radio.bandwidth_hz", kPositive, [](S& s) -> Field { return &s.radio.band.bandwidth_hz; },
     "The cell has this bandwidth, which the devices share."},
    {"radio.sharing",
     kAny,
     [](S& s) -> Field { return &s.radio.band.sharing; },
     "The band is split equally (equal), as is best for the plan (shared) or in whole blocks "
     "(blocks).",
     {},
     kBrief},
    {"radio.block_hz",
     kPositive,
     [](S& s) -> Field { return &s.radio.band.block_hz; },
     "A resource block has this bandwidth (radio.sharing = blocks).",
     {},
     kBrief},
    {"radio.after_draw",
     kAny,
     [](S& s) -> Field { return &s.radio.band.after_draw; },
     "Those who were drawn share the band by this rule (airlot list after-draws).",
     {},
     kBrief},
    {"radio.snr_gap_db", From(0, 100), [](S& s) -> Field { return &s.radio.coding.snr_gap_db; },
     "A real modem stays this far behind Shannon's formula, as a loss of SNR."},
    {"radio.spectral_efficiency_cap", kPositive,
     [](S& s) -> Field { return BoundOrNone{&s.radio.coding.spectral_efficiency_cap}; },
     "A link carries at most this many bit/s/Hz; if not set, there is no cap."},
    {"radio.mcs",
     From(0, 4096),
     [](S& s) -> Field { return &s.radio.coding.mcs; },
     "Links carry the rates of this table of SNR (dB) and bit/s/Hz, not Shannon's: a name (cqi), a "
     "file or a list of rows.",
     {.excludes = "radio.spectral_efficiency_cap"},
     kBrief},
    {"radio.min_power_w",
     kNotNegative,
     [](S& s) -> Field { return &s.radio.power.min_power_w; },
     "A device that sends does so with at least this power.",
     {.excludes = "radio.power_levels_w"},
     kBrief},
    {"radio.power_step_db",
     {.low = 0.01, .high = 100, .or_zero = true},
     [](S& s) -> Field { return &s.radio.power.step_db; },
     "A device sends only at its largest power, this much less, twice as much less, down to "
     "radio.min_power_w; 0 allows any power.",
     {.excludes = "radio.power_levels_w", .needs = "radio.min_power_w"},
     kBrief},
    {"radio.power_levels_w",
     kPositive,
     [](S& s) -> Field { return &s.radio.power.levels_w; },
     "A device sends only with one of these powers, those up to its largest.",
     {},
     kBrief},
    {"radio.channel_error_db",
     From(0, 100),
     [](S& s) -> Field { return &s.radio.knowledge.error_sd_db; },
     "The true gain of a round differs from the known one by this standard deviation.",
     {},
     kBrief},
    {"radio.channel_correlation",
     From(0, 1),
     [](S& s) -> Field { return &s.radio.knowledge.correlation; },
     "The known and the true amplitude of a round correlate so much (rayleigh); 1 is perfect.",
     {},
     kBrief},
    {"radio.margin_db",
     From(0, 100),
     [](S& s) -> Field { return &s.radio.knowledge.margin_db; },
     "Rates take the known gain for this much less, so that fewer updates are lost.",
     {},
     kBrief},
    {"radio.packet_error_rate",
     From(0, 0.999),
     [](S& s) -> Field { return &s.radio.packets.error_rate; },
     "This share of packets does not arrive and is sent again.",
     {},
     kBrief},
    {"radio.packet_bits",
     From(1, kLargestInput),
     [](S& s) -> Field { return &s.radio.packets.packet_bits; },
     "A packet has this many bits.",
     {},
     kBrief},
    {"radio.retransmissions",
     From(0, 1000),
     [](S& s) -> Field { return &s.radio.packets.retransmissions; },
     "A packet is sent again at most this often; then the update is lost.",
     {},
     kBrief},
    {"radio.server_power_w",
     kPositive,
     [](S& s) -> Field { return &s.radio.server_power_w; },
     "The server transmits with this power, where the model that it sends is charged for.",
     {},
     kBrief},

    {"radio.amplifier_efficiency",
     From(1e-6, 1),
     [](S& s) -> Field { return &s.radio.consumption.amplifier_efficiency; },
     "A device's amplifier radiates this share of the power that it draws.",
     {},
     kBrief},
    {"radio.circuit_power_w",
     kNotNegative,
     [](S& s) -> Field { return &s.radio.consumption.circuit_power_w; },
     "A device's radio draws this power beside the amplifier's while it sends.",
     {},
     kBrief},
    {"radio.receive_power_w",
     kNotNegative,
     [](S& s) -> Field { return &s.radio.consumption.receive_power_w; },
     "A device draws this power while it receives the model.",
     {},
     kBrief},

    {"round.time_limit_s", kPositive, [](S& s) -> Field { return &s.round.time_limit_s; },
     "A round has this time limit."},
    {"round.time_rule", kAny, [](S& s) -> Field { return &s.round.time_rule; },
     "The limit bounds the mean over rounds (expected) or each participation (deadline)."},
    {"round.count_compute_time", kAny, [](S& s) -> Field { return &s.round.count_compute_time; },
     "If true, the limit bounds upload and computation together, not the upload alone."},
    {"round.compute", kAny, [](S& s) -> Field { return &s.round.compute; },
     "Computation energy is spent by those who take part (participants) or by every device "
     "(always)."},
    {"round.period_s",
     kPositive,
     [](S& s) -> Field { return &s.round.period_s; },
     "A round is held once in this time; the lifetimes of a fleet file ask for it.",
     {},
     kBrief},
    {"round.min_probability", From(0, 1), [](S& s) -> Field { return &s.round.min_probability; },
     "Every device should reach this participation probability."},
    {"round.time_weight",
     kNotNegative,
     [](S& s) -> Field { return &s.round.time_weight; },
     "A second of the expected round is worth this many participants to the plan; 0 makes time "
     "free.",
     {},
     kBrief},
    {"round.airtime",
     kAny,
     [](S& s) -> Field { return &s.round.airtime; },
     "If true, airlot plan shows the plan of the round's airtime, by which the strategy airtime "
     "draws; runs do not depend on it.",
     {},
     kBrief},
    {"round.empty", kAny, [](S& s) -> Field { return &s.round.empty; },
     "A round in which nobody takes part does this: skip, redraw or wait."},

    {"books.upload_time", kAny, [](S& s) -> Field { return &s.books.upload_time; },
     "If true, uploads count in the time of a round."},
    {"books.compute_time", kAny, [](S& s) -> Field { return &s.books.compute_time; },
     "If true, computation counts in the time of a round, whatever its limit bounds."},
    {"books.download_time", kAny, [](S& s) -> Field { return &s.books.download_time; },
     "If true, sending the model to those who take part counts in the time of a round."},

    {"planning.solver",
     kAny,
     [](S& s) -> Field { return &s.planning.solver; },
     "Probabilities and powers are found by this solver (airlot list solvers).",
     {},
     kBrief},
    {"planning.start_probability",
     From(kSmallestInput, 1),
     [](S& s) -> Field { return &s.planning.start_probability; },
     "The paper's algorithms start from this probability (alternating, literal).",
     {},
     kBrief},
    {"planning.inner_tolerance_j",
     kPositive,
     [](S& s) -> Field { return &s.planning.inner_tolerance_j; },
     "The paper's Algorithm 1 stops at this change of its objective (alternating, literal).",
     {},
     kBrief},
    {"planning.outer_tolerance",
     kPositive,
     [](S& s) -> Field { return &s.planning.outer_tolerance; },
     "The paper's Algorithm 2 stops at this change of its objective (alternating, literal).",
     {},
     kBrief},

    {"strategy.first",
     kAny,
     [](S& s) -> Field { return ListedName{&s.first_strategy, NamesOf<Strategies>}; },
     "This strategy is trained with where none is named, and compared with the paper's.",
     {},
     kBrief},
    {"strategy.budget",
     kAny,
     [](S& s) -> Field { return &s.budget; },
     "Devices keep their budgets as their strategy has it (mean), or after every round, staying "
     "out when they could not pay (strict).",
     {},
     kBrief},
};

// AddOptions adds the keys of a strategy's options.
void AddOptions(const StrategyEntry& entry, std::deque<Key>& keys) {
  for (const StrategyOption& option : entry.options) {
    const auto field = [strategy = std::string_view(entry.name), &option](S& s) -> Field {
      return OptionOfStrategy{&s.strategy, strategy, &option};
    };
    keys.push_back({"strategy." + entry.name + "." + option.name,
                    From(option.low, option.high),
                    field,
                    option.summary,
                    {},
                    kBrief});
  }
}

std::deque<Key> FixedKeys() {
  std::deque<Key> keys;
  for (const FixedKey& key : kFixedKeys) {
    keys.push_back({std::string(key.name), key.bounds, key.field, key.summary, key.beside,
                    key.is_brief, key.offers});
  }
  return keys;
}

std::string_view WithoutSection(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// NearestKey returns the key that someone who wrote `name` probably meant: the same word in another
// section, or else the nearest spelling.
std::optional<std::string_view> NearestKey(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Key& key : Keys()) {
    if (WithoutSection(key.name) == WithoutSection(name)) return key.name;
    names.push_back(key.name);
  }
  return base::NearestName(name, names);
}

std::optional<std::string_view> NearestSection(std::string_view name) {
  std::vector<std::string_view> sections;
  for (const Key& key : Keys()) {
    if (!SectionOf(key).empty()) sections.push_back(SectionOf(key));
  }
  return base::NearestName(name, sections);
}

// KnownNear lists what may stand where `name` does: the keys of its section or, where it is in no
// section, the sections.
std::string KnownNear(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view section = dot == name.npos ? std::string_view() : name.substr(0, dot);
  const bool is_section = IsSection(section);
  std::vector<std::string_view> known;
  for (const Key& key : Keys()) {
    if (is_section && SectionOf(key) == section) known.push_back(WithoutSection(key.name));
    const std::string_view outer = SectionOf(key).substr(0, SectionOf(key).find('.'));
    if (!is_section && !outer.empty() && !std::ranges::count(known, outer)) known.push_back(outer);
  }
  return (is_section ? std::string(section) + " has " : "the sections are ") + base::Joined(known);
}

std::string Unknown(std::string_view what, std::string_view name,
                    std::optional<std::string_view> nearest) {
  const std::string advice =
      nearest ? "did you mean " + std::string(*nearest) + "?" : KnownNear(name);
  return "unknown " + std::string(what) + " " + Shown(name) + ": " + advice;
}

}  // namespace

const std::deque<Key>& Keys() {
  static std::mutex mutex;
  static std::deque<Key> keys = FixedKeys();
  static std::size_t strategies = 0;  // the number of strategies whose options are among the keys
  static std::size_t replaced = 0;    // how many strategies had been replaced by then
  const std::lock_guard lock(mutex);
  if (replaced != selection::ReplacedStrategies()) {
    keys = FixedKeys();
    strategies = 0;
    replaced = selection::ReplacedStrategies();
  }
  for (; strategies < Strategies().size(); ++strategies) AddOptions(Strategies()[strategies], keys);
  return keys;
}

const Key* FindKey(std::string_view name) {
  const std::deque<Key>& keys = Keys();
  const auto key = std::ranges::find(keys, name, &Key::name);
  return key == keys.end() ? nullptr : &*key;
}

std::string_view SectionOf(const Key& key) {
  const std::size_t dot = key.name.rfind('.');
  return dot == std::string::npos ? std::string_view() : std::string_view(key.name).substr(0, dot);
}

bool IsSection(std::string_view name) {
  return !name.empty() && std::ranges::any_of(Keys(), [&](const Key& key) {
    return key.name.starts_with(name) && key.name.substr(name.size()).starts_with('.');
  });
}

std::string UnknownKey(std::string_view name) { return Unknown("key", name, NearestKey(name)); }

std::string UnknownSection(std::string_view name) {
  return Unknown("section", name, NearestSection(name));
}

Error WithKey(Error error, std::initializer_list<std::string_view> sections) {
  if (!error.field) return error;
  for (const std::string_view section : sections) {
    std::string key = std::string(section) + "." + *error.field;
    if (FindKey(key) == nullptr) continue;
    error.message.replace(0, error.field->size(), key);
    error.field = std::move(key);
    break;
  }
  return error;
}

std::string Shown(std::string_view text) {
  const std::string quoted = base::Quoted(text);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace airlot::scenario
