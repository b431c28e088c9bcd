#include "scenario/keys.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "airlot/partition.h"
#include "airlot/planning.h"
#include "airlot/radio.h"
#include "base/text.h"

namespace airlot::scenario {
namespace {

constexpr Bounds kAny = {};  // for keys whose kind says all
constexpr Bounds kPositive = {.low = kSmallestInput, .high = kLargestInput};
constexpr Bounds kNotNegative = {.low = kSmallestInput, .high = kLargestInput, .or_zero = true};
constexpr Bounds From(double low, double high) { return {.low = low, .high = high}; }

// The names of entries such as Models().
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

// A key that every scenario has: a constant, so that a scenario can be read before main.
struct FixedKey {
  std::string_view name;
  Bounds bounds;
  Field (*field)(Scenario& scenario);
  std::string_view summary;
  Beside beside = {};
  bool is_brief = false;
};

constexpr FixedKey kFixedKeys[] = {
    {"name", From(1, 100), [](S& s) -> Field { return &s.name; },
     "What the scenario is called in results."},
    {"rounds", From(1, 1e9), [](S& s) -> Field { return &s.rounds; },
     "Rounds of training, at most."},
    {"evaluate_every", From(1, 1e9), [](S& s) -> Field { return &s.evaluate_every; },
     "Rounds from one evaluation on the test set to the next."},
    {"targets",
     {.low = kSmallestInput, .high = 1},
     [](S& s) -> Field { return &s.targets; },
     "Test accuracies to report time and energy for."},

    {"data.dataset", From(0, 4096), [](S& s) -> Field { return &s.data.dataset; },
     "What is learned from: a name ('airlot list datasets') or a folder of IDX files."},
    {"data.partition", kAny,
     [](S& s) -> Field {
       return ListedName{&s.data.partition.method, NamesOf<Partitions>};
     },
     "How the samples are split over the devices ('airlot list partitions').", kWithData},
    {"data.beta", From(1e-9, 1e6), [](S& s) -> Field { return &s.data.partition.beta; },
     "Concentration of the Dirichlet draws of a partition; small is uneven.", kWithData},
    {"data.minimum_samples", From(0, 1e9),
     [](S& s) -> Field { return &s.data.partition.minimum_samples; },
     "Samples that every device must get (dirichlet).", kWithData},
    {"data.shards_per_device", From(1, 1e9),
     [](S& s) -> Field { return &s.data.partition.shards_per_device; },
     "Shards that every device gets (shards).", kWithData},
    {"data.samples_per_device", From(0, 1e9),
     [](S& s) -> Field { return &s.data.partition.samples_per_device; },
     "Samples that every device gets (client-dirichlet, iid); 0: all, shared equally.", kWithData},
    {"data.overlap", kAny, [](S& s) -> Field { return &s.data.partition.overlap; },
     "Whether devices may hold the same samples (client-dirichlet).", kWithData},

    {"model.name", kAny,
     [](S& s) -> Field {
       return ListedName{&s.model.name, NamesOf<Models>};
     },
     "The network whose update is uploaded ('airlot list models')."},
    {"model.parameters", From(1, kLargestInput), [](S& s) -> Field { return &s.model.parameters; },
     "Number of parameters; if not set, as many as the named model has."},
    {"model.bits_per_parameter",
     {.low = kSmallestInput, .high = 64},
     [](S& s) -> Field { return &s.model.bits_per_parameter; },
     "Bits that an update spends on each parameter."},

    {"learning.rate", kPositive, [](S& s) -> Field { return &s.learning.rate; },
     "Step size of gradient descent."},
    {"learning.batch", From(0, 1e9), [](S& s) -> Field { return &s.learning.batch; },
     "Samples of a local gradient; 0: all."},
    {"learning.aggregation", kAny, [](S& s) -> Field { return &s.learning.aggregation; },
     "How the server weighs the updates: average, sum or unbiased."},
    {"learning.least_probability", From(0, 1),
     [](S& s) -> Field { return &s.learning.least_probability; },
     "Probability that an unbiased aggregation divides by at least."},
    {"learning.rule",
     kAny,
     [](S& s) -> Field {
       return ListedName{&s.learning.rule, NamesOf<TrainingRules>};
     },
     "What devices and server do with gradients ('airlot list training-rules').",
     {},
     kBrief},
    {"learning.server_rate",
     kPositive,
     [](S& s) -> Field { return &s.learning.server_rate; },
     "Step size of the server; if not set, as the rule has it.",
     {},
     kBrief},
    {"learning.momentum", From(0, 0.9999), [](S& s) -> Field { return &s.learning.momentum; },
     "Momentum of the server's gradient descent; if not set, as the rule has it."},
    {"learning.proximal",
     kNotNegative,
     [](S& s) -> Field { return &s.learning.proximal; },
     "Weight of FedProx's pull to the server's model; if not set, as the rule has it.",
     {},
     kBrief},
    {"learning.beta1",
     From(0, 0.9999),
     [](S& s) -> Field { return &s.learning.beta1; },
     "What an adaptive server keeps of its mean of steps; if not set, as the rule has it.",
     {},
     kBrief},
    {"learning.beta2",
     From(0, 0.999999),
     [](S& s) -> Field { return &s.learning.beta2; },
     "What an adaptive server keeps of its mean of squares; if not set, as the rule has it.",
     {},
     kBrief},
    {"learning.tau",
     kPositive,
     [](S& s) -> Field { return &s.learning.tau; },
     "What an adaptive server adds to the root it divides by; if not set, as the rule has it.",
     {},
     kBrief},
    {"learning.bias_correction",
     kAny,
     [](S& s) -> Field { return &s.learning.bias_correction; },
     "Whether an adaptive server corrects for means that start at 0.",
     {},
     kBrief},
    {"learning.local_steps", From(1, 1e9), [](S& s) -> Field { return &s.learning.local_steps; },
     "Steps of local training; more than 1: devices send models instead of gradients."},
    {"learning.local_epochs", From(0, 1e6), [](S& s) -> Field { return &s.learning.local_epochs; },
     "Passes of local training over all samples; not 0: instead of learning.local_steps."},
    {"learning.compression",
     kAny,
     [](S& s) -> Field { return &s.learning.compression.method; },
     "How an update is made smaller ('airlot list compressions').",
     {},
     kBrief},
    {"learning.keep", From(1e-9, 1), [](S& s) -> Field { return &s.learning.compression.keep; },
     "Share of the numbers of an update that are sent (top-k, rand-k).", kWithCompression, kBrief},
    {"learning.levels", From(1, kMostLevels),
     [](S& s) -> Field { return &s.learning.compression.levels; },
     "Steps from 0 to the norm (qsgd).", kWithCompression, kBrief},
    {"learning.bucket", From(1, 1e9), [](S& s) -> Field { return &s.learning.compression.bucket; },
     "Numbers that share a norm (qsgd).", kWithCompression, kBrief},

    {"fleet.devices", From(1, 1e9), [](S& s) -> Field { return &s.fleet.devices; },
     "Number of devices to draw."},
    {"fleet.area_m", kPositive, [](S& s) -> Field { return &s.fleet.area_m; },
     "Side of the square that the devices are in; the server stands in its middle."},
    {"fleet.max_power_w", kPositive, [](S& s) -> Field { return &s.fleet.max_power_w; },
     "Largest transmit power of a device."},
    {"fleet.kappa", kNotNegative, [](S& s) -> Field { return &s.fleet.kappa; },
     "Effective switched capacitance of a device's CPU, J s^2 per cycle^3."},
    {"fleet.energy_budget_j", kNotNegative, [](S& s) -> Field { return &s.fleet.energy_budget_j; },
     "Energy that a device may spend in a round, on average."},
    {"fleet.cycles_per_sample", kNotNegative,
     [](S& s) -> Field { return &s.fleet.cycles_per_sample; },
     "CPU cycles that the gradient of one sample takes."},
    {"fleet.cpu_hz", kPositive, [](S& s) -> Field { return &s.fleet.cpu_hz; },
     "CPU cycles per second of a device."},
    {"fleet.samples",
     kNotNegative,
     [](S& s) -> Field { return &s.fleet.samples; },
     "Samples that a device computes on in a round, where there is no data.dataset.",
     {.excludes = "data.dataset"}},
    {"fleet.battery_j",
     kPositive,
     [](S& s) -> Field { return &s.fleet.battery_j; },
     "Charge of a device's battery at the start, and at most; if not set, it has mains power.",
     {},
     kBrief},
    {"fleet.harvest_w",
     kNotNegative,
     [](S& s) -> Field { return &s.fleet.harvest_w; },
     "Power that charges the battery all the time.",
     {},
     kBrief},
    {"fleet.file", From(0, 4096), [](S& s) -> Field { return &s.fleet.file; },
     "A fleet file (CSV) to read instead of drawing a fleet."},

    {"radio.path_loss", kAny, [](S& s) -> Field { return &s.radio.propagation.path_loss; },
     "How the channel gain falls with distance ('airlot list path-losses')."},
    {"radio.frequency_hz",
     From(1e6, 1e12),
     [](S& s) -> Field { return &s.radio.propagation.frequency_hz; },
     "Carrier frequency (rma, uma, umi, inh).",
     {},
     kBrief},
    {"radio.base_height_m",
     From(0.1, 1000),
     [](S& s) -> Field { return &s.radio.propagation.base_height_m; },
     "Height of the server's antenna; if not set, the path loss's own (rma, uma, umi, inh).",
     {},
     kBrief},
    {"radio.device_height_m",
     From(0.1, 1000),
     [](S& s) -> Field { return &s.radio.propagation.device_height_m; },
     "Height of the devices (rma, uma, umi, inh).",
     {},
     kBrief},
    {"radio.building_height_m",
     From(0.1, 1000),
     [](S& s) -> Field { return &s.radio.propagation.building_height_m; },
     "Mean height of the buildings (rma).",
     {},
     kBrief},
    {"radio.street_width_m",
     From(0.1, 1000),
     [](S& s) -> Field { return &s.radio.propagation.street_width_m; },
     "Mean width of the streets (rma).",
     {},
     kBrief},
    {"radio.open_office",
     kAny,
     [](S& s) -> Field { return &s.radio.propagation.open_office; },
     "Whether the office is open, not mixed: it decides who has line of sight (inh).",
     {},
     kBrief},
    {"radio.path_loss_exponent",
     From(1, 10),
     [](S& s) -> Field { return &s.radio.propagation.path_loss_exponent; },
     "How fast the gain falls: distance^-exponent (log-distance).",
     {},
     kBrief},
    {"radio.reference_loss_db",
     From(-100, 300),
     [](S& s) -> Field { return &s.radio.propagation.reference_loss_db; },
     "Path loss at 1 m (log-distance).",
     {},
     kBrief},
    {"radio.shadowing",
     kAny,
     [](S& s) -> Field {
       return Part<bool>{&s, HasShadowing, PutShadowing};
     },
     "Whether each link has a log-normal loss of its own.",
     {},
     kBrief},
    {"radio.shadowing_sd_db",
     From(0, 100),
     [](S& s) -> Field {
       return Part<double>{&s, ShadowingSdDb, PutShadowingSd};
     },
     "Its standard deviation; if not set, the path loss's own.",
     {},
     kBrief},
    {"radio.fading",
     kAny,
     [](S& s) -> Field { return &s.radio.fading.kind; },
     "How the gain of a link changes from round to round ('airlot list fadings').",
     {},
     kBrief},
    {"radio.rician_k_db",
     From(-40, 40),
     [](S& s) -> Field { return &s.radio.fading.rician_k_db; },
     "Power of the direct path over the others; if not set, drawn as the path loss has it.",
     {},
     kBrief},
    {"radio.nakagami_m",
     From(0.5, 1000),
     [](S& s) -> Field { return &s.radio.fading.nakagami_m; },
     "Shape of Nakagami fading; 1 is Rayleigh, more is steadier.",
     {},
     kBrief},
    {"radio.noise_w",
     kPositive,
     [](S& s) -> Field {
       return Part<double>{&s, NoiseW, PutNoiseW};
     },
     "Noise power in a device's band.",
     {.excludes = "radio.noise_dbm_per_hz"}},
    {"radio.noise_dbm_per_hz", From(-300, 100),
     [](S& s) -> Field {
       return Part<double>{&s, NoiseDbmPerHz, PutNoiseDbmPerHz};
     },
     "Noise density, instead of radio.noise_w; the noise power grows with the band."},
    {"radio.noise_figure_db",
     From(0, 100),
     [](S& s) -> Field {
       return Part<double>{&s, NoiseFigureDb, PutNoiseFigure};
     },
     "Noise that the receiver adds to radio.noise_dbm_per_hz.",
     {.needs = "radio.noise_dbm_per_hz"}},
    {"radio.bandwidth_hz", kPositive, [](S& s) -> Field { return &s.radio.band.bandwidth_hz; },
     "Bandwidth of the cell, shared by the devices."},
    {"radio.sharing",
     kAny,
     [](S& s) -> Field { return &s.radio.band.sharing; },
     "How the band is split: equal, shared (as is best for the plan) or blocks (in whole ones).",
     {},
     kBrief},
    {"radio.block_hz",
     kPositive,
     [](S& s) -> Field { return &s.radio.band.block_hz; },
     "Bandwidth of a resource block (radio.sharing = blocks).",
     {},
     kBrief},
    {"radio.snr_gap_db", From(0, 100), [](S& s) -> Field { return &s.radio.coding.snr_gap_db; },
     "How far a real modem stays behind Shannon's formula, as a loss of SNR."},
    {"radio.spectral_efficiency_cap", kPositive,
     [](S& s) -> Field { return BoundOrNone{&s.radio.coding.spectral_efficiency_cap}; },
     "Most bit/s/Hz that a link can carry; if not set, there is no cap."},
    {"radio.server_power_w",
     kPositive,
     [](S& s) -> Field { return &s.radio.server_power_w; },
     "Transmit power of the server, where the model that it sends is charged for.",
     {},
     kBrief},

    {"radio.amplifier_efficiency",
     From(1e-6, 1),
     [](S& s) -> Field { return &s.radio.consumption.amplifier_efficiency; },
     "Radiated power over the power that a device's amplifier draws for it.",
     {},
     kBrief},
    {"radio.circuit_power_w",
     kNotNegative,
     [](S& s) -> Field { return &s.radio.consumption.circuit_power_w; },
     "Power that a device's radio draws beside that while it sends.",
     {},
     kBrief},
    {"radio.receive_power_w",
     kNotNegative,
     [](S& s) -> Field { return &s.radio.consumption.receive_power_w; },
     "Power that a device draws while it receives the model.",
     {},
     kBrief},

    {"round.time_limit_s", kPositive, [](S& s) -> Field { return &s.round.time_limit_s; },
     "Time limit of a round."},
    {"round.time_rule", kAny, [](S& s) -> Field { return &s.round.time_rule; },
     "What the limit bounds: the mean over rounds (expected) or each participation (deadline)."},
    {"round.count_compute_time", kAny, [](S& s) -> Field { return &s.round.count_compute_time; },
     "Whether the limit bounds upload and computation together, not the upload alone."},
    {"round.compute", kAny, [](S& s) -> Field { return &s.round.compute; },
     "Who spends computation energy: only participants, or every device always."},
    {"round.min_probability", From(0, 1), [](S& s) -> Field { return &s.round.min_probability; },
     "Participation probability that every device should reach."},
    {"round.time_weight",
     kNotNegative,
     [](S& s) -> Field { return &s.round.time_weight; },
     "Participants that a second of the expected round is worth to the plan; 0: time is free.",
     {},
     kBrief},
    {"round.empty", kAny, [](S& s) -> Field { return &s.round.empty; },
     "What a round does in which nobody takes part: skip, redraw or wait."},
};

// The keys of a strategy's options.
void AddOptions(const StrategyEntry& entry, std::deque<Key>& keys) {
  for (const StrategyOption& option : entry.options) {
    const auto field = [strategy = entry.name, name = option.name,
                        is_whole = option.is_whole](S& s) -> Field {
      double& value = s.strategy.At(strategy, name);
      if (is_whole) return WholeNumber{&value};
      return &value;
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
    keys.push_back(
        {std::string(key.name), key.bounds, key.field, key.summary, key.beside, key.is_brief});
  }
  return keys;
}

std::string_view WithoutSection(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// The key that someone who wrote `name` probably meant: the same word in another section, or else
// the nearest spelling.
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

std::string Unknown(std::string_view what, std::string_view name,
                    std::optional<std::string_view> nearest) {
  const std::string advice =
      nearest ? "did you mean " + std::string(*nearest) + "?" : "see 'airlot list keys'";
  return "unknown " + std::string(what) + " " + Shown(name) + ": " + advice;
}

}  // namespace

const std::deque<Key>& Keys() {
  static std::mutex mutex;
  static std::deque<Key> keys = FixedKeys();
  static std::size_t strategies = 0;  // whose options are among the keys
  const std::lock_guard lock(mutex);
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
  const std::string field = error.message.substr(0, error.message.find(" = "));
  for (const std::string_view section : sections) {
    const std::string key = std::string(section) + "." + field;
    if (FindKey(key) == nullptr) continue;
    error.message.replace(0, field.size(), key);
    break;
  }
  return error;
}

std::string Shown(std::string_view text) {
  const std::string quoted = base::Quoted(text);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace airlot::scenario
