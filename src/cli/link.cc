// `airlot link` shows every term of the link budget at a distance.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <variant>

#include "airlot/radio.h"
#include "airlot/scenario_fleet.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// This is the share of rounds in which fading may take more than what is shown as its outage.
constexpr double kOutage = 0.1;
// This many standard deviations are not exceeded at 95 of 100 places (R24).
constexpr double kMarginQuantile = 1.6448536269514722;

struct LinkOptions {
  ScenarioOptions scenario;
  OutputOptions output;
  LinkSite site;
  std::string line_of_sight;  // yes, no, or empty for what is likelier
  double bandwidth_hz = 0;    // 0 for an equal share of the cell
};

// A LinkReport is what is shown beside the budget itself.
struct LinkReport {
  const Scenario& scenario;
  LinkBudget link;
  double update_bits = 0, model_bits = 0;
  double sight_probability = 0;
  double shadowing_sd_db = 0;
  double rician_k = 0;  // linear
  double ergodic_rate_bps = 0;
  double outage_gain = 0;
  // Fading undercuts this rate in kOutage of the rounds.
  double outage_rate_bps = 0;
  LinkBudget down;  // budget of the model that the server sends in the whole band
  double receive_energy_j = 0;
};

double ToDbm(double watt) { return ToDecibel(watt) + 30; }

double LossDb(const LinkReport& report, bool line_of_sight) {
  const LinkSite& site = report.link.site;
  return PathLossDb(report.scenario.radio.propagation, site.distance_m, line_of_sight,
                    site.environment_height_m);
}

// --- Text ----------------------------------------------------------------------------------------

void PrintRow(std::string_view name, const std::string& value, const std::string& note = "") {
  Print("{}\n", note.empty() ? fmt::format("  {:<20} {:>16}", name, value)
                             : fmt::format("  {:<20} {:>16}  {}", name, value, note));
}

std::string Decibel(double value, std::string_view unit = "dB") {
  return fmt::format("{:.2f} {}", value, unit);
}

// Prints what only some of the models look at.
void PrintSurroundings(const LinkReport& report) {
  const Propagation& propagation = report.scenario.radio.propagation;
  switch (propagation.path_loss) {
    case PathLoss::kRma:
    case PathLoss::kRmaLos:
    case PathLoss::kRmaNlos:
      PrintRow("buildings", Quantity(propagation.building_height_m, "m"),
               fmt::format("high, along streets of {}", Quantity(propagation.street_width_m, "m")));
      return;
    case PathLoss::kUma:
    case PathLoss::kUmaLos:
    case PathLoss::kUmaNlos:
      if (report.link.site.environment_height_m > 1) {
        PrintRow("reflected from", Quantity(report.link.site.environment_height_m, "m"));
      }
      return;
    case PathLoss::kInh:
      PrintRow("office", propagation.open_office ? "open" : "mixed");
      return;
    default:
      return;
  }
}

void PrintPath(const LinkReport& report) {
  const Propagation& propagation = report.scenario.radio.propagation;
  const LinkSite& site = report.link.site;
  const bool counts_as_1m =
      propagation.path_loss == PathLoss::kInverseSquare && site.distance_m < 1;
  PrintRow("distance", Quantity(site.distance_m, "m"), counts_as_1m ? "counts as 1 m" : "");
  if (HasGeometry(propagation.path_loss)) {
    PrintRow("frequency", Quantity(propagation.frequency_hz, "Hz"));
    PrintRow("heights", Quantity(BaseHeight(propagation), "m"),
             fmt::format("the base; the device {}", Quantity(propagation.device_height_m, "m")));
    PrintSurroundings(report);
  }
  if (KnowsLineOfSight(propagation.path_loss)) {
    PrintRow("line of sight", site.line_of_sight ? "yes" : "no",
             DrawsLineOfSight(propagation.path_loss)
                 ? fmt::format("{:.3g} % of devices there have it", 100 * report.sight_probability)
                 : "");
  }
  PrintRow("path loss", Decibel(report.link.path_loss_db),
           std::string(PathLossName(propagation.path_loss)));
  if (DrawsLineOfSight(propagation.path_loss)) {
    PrintRow("otherwise", Decibel(LossDb(report, !site.line_of_sight)),
             site.line_of_sight ? "without line of sight" : "with line of sight");
  }
  if (propagation.shadowing || site.shadowing_db != 0) {
    PrintRow("shadowing", Decibel(site.shadowing_db),
             !propagation.shadowing
                 ? ""
                 : fmt::format("sd {:.3g} dB; 95 % of places below {:.2f} dB",
                               report.shadowing_sd_db, kMarginQuantile * report.shadowing_sd_db));
  }
}

// The model comes the other way, in the whole band.
void PrintReception(const LinkReport& report) {
  const Radio& radio = report.scenario.radio;
  PrintRow("model", Quantity(report.model_bits, "bit"),
           fmt::format("from the server at {}", Quantity(radio.server_power_w, "W")));
  PrintRow("reception time", Quantity(report.down.upload_s, "s"), "in the whole band");
  PrintRow("reception energy", Quantity(report.receive_energy_j, "J"),
           fmt::format("the receiver draws {}", Quantity(radio.consumption.receive_power_w, "W")));
}

void PrintNoise(const LinkReport& report) {
  const Radio& radio = report.scenario.radio;
  if (const auto* density = std::get_if<NoiseDensity>(&radio.noise)) {
    PrintRow("noise density", Decibel(density->dbm_per_hz, "dBm/Hz"),
             fmt::format("and a noise figure of {:.4g} dB", density->figure_db));
  }
  PrintRow("noise", Decibel(ToDbm(report.link.noise_w), "dBm"),
           Quantity(report.link.noise_w, "W in its band"));
  PrintRow("SNR", Decibel(ToDecibel(report.link.snr)));
  if (radio.coding.snr_gap_db > 0) PrintRow("SNR gap", Decibel(radio.coding.snr_gap_db));
}

void PrintMcsRow(const LinkReport& report) {
  const auto& rows = report.scenario.radio.coding.mcs.rows;
  if (!report.link.mcs_row) {
    PrintRow("MCS", "none",
             fmt::format("row 1 of {} needs {} of SNR", rows.size(), Decibel(rows[0].snr_db)));
    return;
  }
  const std::size_t row = *report.link.mcs_row;
  const std::string next =
      row + 1 < rows.size() ? fmt::format(", the next {}", Decibel(rows[row + 1].snr_db)) : "";
  PrintRow(
      "MCS", fmt::format("row {}", row + 1),
      fmt::format("of {}; it needs {} of SNR{}", rows.size(), Decibel(rows[row].snr_db), next));
}

void PrintRate(const LinkReport& report) {
  const Radio& radio = report.scenario.radio;
  const LinkBudget& link = report.link;
  const bool is_capped = link.spectral_efficiency == radio.coding.spectral_efficiency_cap;
  if (!radio.coding.mcs.rows.empty()) PrintMcsRow(report);
  PrintRow("spectral efficiency", fmt::format("{:.4g} bit/s/Hz", link.spectral_efficiency),
           is_capped ? "the cap" : "");
  PrintRow("bandwidth", Quantity(link.bandwidth_hz, "Hz"),
           fmt::format("of {}", Quantity(radio.band.bandwidth_hz, "Hz in the cell")));
  PrintRow("rate", Quantity(link.rate_bps, "bit/s"));
  if (radio.fading.kind != Fading::kNone) {
    const std::string k = radio.fading.kind != Fading::kRician ? ""
                          : report.rician_k > 0
                              ? fmt::format(", K = {:.3g} dB", ToDecibel(report.rician_k))
                              : ", no direct path";
    PrintRow("  with fading", Quantity(report.ergodic_rate_bps, "bit/s"),
             fmt::format("on average ({}{})", FadingName(radio.fading.kind), k));
    PrintRow(
        "", Quantity(report.outage_rate_bps, "bit/s"),
        fmt::format("in 9 of 10 rounds, {:.2f} dB of gain less", -ToDecibel(report.outage_gain)));
  }
}

void PrintText(const LinkReport& report) {
  const LinkBudget& link = report.link;
  Print("Link of one device of {}\n", report.scenario.name);
  PrintPath(report);
  PrintRow("transmit power", Decibel(ToDbm(link.power_w), "dBm"),
           Quantity(link.power_w, "W, the cap"));
  PrintRow("received power", Decibel(ToDbm(link.power_w * link.gain), "dBm"),
           fmt::format("a gain of {}", Decibel(ToDecibel(link.gain))));
  PrintNoise(report);
  PrintRate(report);
  const ModelChoice& model = report.scenario.model;
  PrintRow("update", Quantity(report.update_bits, "bit"),
           model.parameters ? fmt::format("{:.15g} parameters", *model.parameters) : model.name);
  PrintRow("upload time", std::isinf(link.upload_s) ? "never" : Quantity(link.upload_s, "s"));
  if (link.drawn_power_w != link.power_w) {
    PrintRow("power drawn", Quantity(link.drawn_power_w, "W"),
             fmt::format("amplifier {:.3g} %, circuit {}",
                         100 * report.scenario.radio.consumption.amplifier_efficiency,
                         Quantity(report.scenario.radio.consumption.circuit_power_w, "W")));
  }
  PrintRow("upload energy", std::isinf(link.energy_j) ? "-" : Quantity(link.energy_j, "J"));
  if (report.scenario.radio.consumption.receive_power_w > 0) PrintReception(report);
}

// --- JSON ----------------------------------------------------------------------------------------

void AddPath(const LinkReport& report, Json& json) {
  const Propagation& propagation = report.scenario.radio.propagation;
  const LinkSite& site = report.link.site;
  json["path_loss"] = PathLossName(propagation.path_loss);
  if (HasGeometry(propagation.path_loss)) {
    json["frequency_hz"] = propagation.frequency_hz;
    json["base_height_m"] = BaseHeight(propagation);
    json["device_height_m"] = propagation.device_height_m;
    json["environment_height_m"] = site.environment_height_m;
  }
  if (KnowsLineOfSight(propagation.path_loss)) {
    json["line_of_sight"] = site.line_of_sight;
    json["line_of_sight_probability"] = report.sight_probability;
  }
  json["path_loss_db"] = report.link.path_loss_db;
  if (DrawsLineOfSight(propagation.path_loss)) {
    json["path_loss_los_db"] = LossDb(report, true);
    json["path_loss_nlos_db"] = LossDb(report, false);
  }
  json["shadowing_db"] = site.shadowing_db;
  json["shadowing_sd_db"] = report.shadowing_sd_db;
  json["shadowing_margin_db"] = kMarginQuantile * report.shadowing_sd_db;
}

void AddFading(const LinkReport& report, Json& json) {
  const FadingModel& fading = report.scenario.radio.fading;
  json["fading"] = FadingName(fading.kind);
  if (fading.kind == Fading::kNone) return;
  if (fading.kind == Fading::kRician) json["rician_k"] = report.rician_k;
  if (fading.kind == Fading::kNakagami) json["nakagami_m"] = fading.nakagami_m;
  json["ergodic_rate_bps"] = report.ergodic_rate_bps;
  json["outage_probability"] = kOutage;
  json["outage_gain_db"] = ToDecibel(report.outage_gain);
  json["outage_rate_bps"] = report.outage_rate_bps;
}

void PrintJson(const LinkReport& report) {
  const Radio& radio = report.scenario.radio;
  const LinkBudget& link = report.link;
  Json json{{"scenario", report.scenario.name},
            {"distance_m", link.site.distance_m},
            {"power_w", link.power_w}};
  AddPath(report, json);
  json["gain_db"] = ToDecibel(link.gain);
  json["received_dbm"] = ToDbm(link.power_w * link.gain);
  if (const auto* density = std::get_if<NoiseDensity>(&radio.noise)) {
    json["noise_dbm_per_hz"] = density->dbm_per_hz;
    json["noise_figure_db"] = density->figure_db;
  }
  json["noise_dbm"] = ToDbm(link.noise_w);
  json["snr_db"] = ToDecibel(link.snr);
  json["snr_gap_db"] = radio.coding.snr_gap_db;
  json["spectral_efficiency_cap"] = Finite(radio.coding.spectral_efficiency_cap);
  if (!radio.coding.mcs.rows.empty()) {
    json["mcs_row"] = link.mcs_row ? Json(*link.mcs_row + 1) : Json(nullptr);
    json["mcs_rows"] = radio.coding.mcs.rows.size();
  }
  json["spectral_efficiency"] = link.spectral_efficiency;
  json["bandwidth_hz"] = link.bandwidth_hz;
  json["rate_bps"] = link.rate_bps;
  AddFading(report, json);
  json["update_bits"] = report.update_bits;
  json["upload_s"] = Finite(link.upload_s);
  json["amplifier_efficiency"] = radio.consumption.amplifier_efficiency;
  json["circuit_power_w"] = radio.consumption.circuit_power_w;
  json["drawn_power_w"] = link.drawn_power_w;
  json["energy_j"] = Finite(link.energy_j);
  json["model_bits"] = report.model_bits;
  json["server_power_w"] = radio.server_power_w;
  json["receive_s"] = report.down.upload_s;
  json["receive_power_w"] = radio.consumption.receive_power_w;
  json["receive_energy_j"] = report.receive_energy_j;
  PrintExactly(TextOf(json));
}

// --- The command ---------------------------------------------------------------------------------

Status Check(const LinkOptions& options, const Scenario& scenario) {
  const Radio& radio = scenario.radio;
  if (options.bandwidth_hz == 0 && scenario.fleet.file) {
    return Error{
        "the scenario has a fleet file, so a device's band is not known: add --bandwidth-hz"};
  }
  if (!scenario.fleet.file && options.bandwidth_hz > radio.band.bandwidth_hz) {
    return Error{fmt::format("--bandwidth-hz {}: must be <= radio.bandwidth_hz = {}",
                             options.bandwidth_hz, radio.band.bandwidth_hz)};
  }
  if (!options.line_of_sight.empty() && !DrawsLineOfSight(radio.propagation.path_loss)) {
    return Error{fmt::format("--line-of-sight {}: {} leaves no choice", options.line_of_sight,
                             PathLossName(radio.propagation.path_loss))};
  }
  if (auto status = CheckEnvironmentHeight(radio.propagation, options.site.environment_height_m);
      !status)
    return status;
  return CheckDistance(radio.propagation, options.site.distance_m);
}

LinkReport MakeReport(const LinkOptions& options, const Scenario& scenario, const RoundBits& bits) {
  const Radio& radio = scenario.radio;
  const double update_bits = bits.update;
  LinkReport report{.scenario = scenario, .update_bits = update_bits, .model_bits = bits.model};
  LinkSite site = options.site;
  report.sight_probability = LineOfSightProbability(radio.propagation, site.distance_m);
  site.line_of_sight = options.line_of_sight.empty() ? report.sight_probability >= 0.5
                                                     : options.line_of_sight == "yes";
  const double bandwidth_hz =
      options.bandwidth_hz > 0
          ? options.bandwidth_hz
          : radio.band.bandwidth_hz / static_cast<double>(scenario.fleet.devices);
  report.link =
      ComputeLink(radio, site, bandwidth_hz, scenario.fleet.max_power_w.high, update_bits);
  Radio server = radio;  // The MCS table is that of uploads.
  server.coding.mcs = {};
  report.down =
      ComputeLink(server, site, radio.band.bandwidth_hz, radio.server_power_w, bits.model);
  report.receive_energy_j = radio.consumption.receive_power_w * report.down.upload_s;  // (Q1)
  report.shadowing_sd_db = ShadowingSd(radio.propagation, site.distance_m, site.line_of_sight);
  if (radio.fading.kind == Fading::kNone) return report;
  if (radio.fading.kind == Fading::kRician) {
    report.rician_k = FromDecibel(
        RicianKOf(radio.fading, radio.propagation.path_loss, site.line_of_sight).mean_db);
  }
  report.ergodic_rate_bps = bandwidth_hz * ErgodicEfficiency(radio.fading, radio.coding,
                                                             report.rician_k, report.link.snr);
  report.outage_gain = FadingQuantile(radio.fading, report.rician_k, kOutage);
  site.shadowing_db -= ToDecibel(report.outage_gain);
  report.outage_rate_bps =
      ComputeLink(radio, site, bandwidth_hz, report.link.power_w, update_bits).rate_bps;
  return report;
}

int RunLink(const LinkOptions& options) {
  const auto scenario = LoadScenario(options.scenario);
  if (!scenario) return Report(scenario.error());
  if (const auto status = Check(options, *scenario); !status) return Report(status.error());
  const auto shape = ImageShapeOf(scenario->data);
  if (!shape) return Report(shape.error());
  const auto bits = RoundBitsOf(*scenario, *shape);
  if (!bits) return Report(bits.error());
  const LinkReport report = MakeReport(options, *scenario, *bits);
  options.output.json ? PrintJson(report) : PrintText(report);
  return kDone;
}

}  // namespace

void AddLink(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<LinkOptions>();
  CLI::App& command = *app.add_subcommand("link", "Show the link budget of a device at a distance");
  AddScenarioOptions(command, options->scenario);
  command.add_option("--distance-m", options->site.distance_m, "Distance to the server")
      ->required()
      ->check(NumberIn(0, 1e12))
      ->type_name("METRES");
  command
      .add_option("--bandwidth-hz", options->bandwidth_hz, "Its band; by default an equal share")
      ->check(NumberIn(kSmallestInput, kLargestInput))
      ->type_name("HERTZ");
  command
      .add_option("--line-of-sight", options->line_of_sight,
                  "If it is drawn; by default what is likelier")
      ->check(OneOf({"yes", "no"}))
      ->type_name("yes|no");
  command
      .add_option("--shadowing-db", options->site.shadowing_db,
                  "Loss by shadowing, or a margin for it")
      ->check(NumberIn(-200, 200))
      ->type_name("DB")
      ->capture_default_str();
  command
      .add_option("--environment-height-m", options->site.environment_height_m,
                  "What reflects waves (uma, from 13 m on)")
      ->check(NumberIn(1, 21))
      ->type_name("METRES")
      ->capture_default_str();
  AddOutputOptions(command, options->output);
  AddExample(command, "airlot link paper-highly-biased --distance-m 250");
  command.callback([options, &exit_code] { exit_code = RunLink(*options); });
}

}  // namespace airlot::cli
