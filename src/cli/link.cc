// airlot link: every term of the link budget at a distance.
#include <fmt/format.h>

#include <memory>

#include "airlot/radio.h"
#include "airlot/scenario.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct LinkOptions {
  ScenarioOptions scenario;
  OutputOptions output;
  double distance_m = 0;
  double bandwidth_hz = 0;  // 0: an equal share of the cell
};

double ToDbm(double watt) { return ToDecibel(watt) + 30; }

void PrintText(const Scenario& scenario, double update_bits, const LinkBudget& link) {
  const auto row = [](std::string_view name, const std::string& value, const std::string& note) {
    fmt::print("  {:<20} {:>16}  {}\n", name, value, note);
  };
  const auto decibel = [](double value, std::string_view unit) {
    return fmt::format("{:.2f} {}", value, unit);
  };
  fmt::print("Link of one device of {}\n", scenario.name);
  row("distance", Quantity(link.distance_m, "m"), link.distance_m < 1 ? "counts as 1 m" : "");
  row("transmit power", decibel(ToDbm(link.power_w), "dBm"), Quantity(link.power_w, "W, the cap"));
  row("path loss", decibel(0 - ToDecibel(link.gain), "dB"),
      std::string(Name(scenario.radio.path_loss)));
  row("noise", decibel(ToDbm(link.noise_w), "dBm"), Quantity(link.noise_w, "W in its band"));
  row("SNR", decibel(ToDecibel(link.snr), "dB"), "");
  row("spectral efficiency", fmt::format("{:.4g} bit/s/Hz", link.spectral_efficiency), "");
  row("bandwidth", Quantity(link.bandwidth_hz, "Hz"),
      fmt::format("of {}", Quantity(scenario.radio.bandwidth_hz, "Hz in the cell")));
  row("rate", Quantity(link.rate_bps, "bit/s"), "");
  row("update", Quantity(update_bits, "bit"), scenario.model.name);
  row("upload time", Quantity(link.upload_s, "s"), "");
  row("upload energy", Quantity(link.energy_j, "J"), "");
}

void PrintJson(const Scenario& scenario, double update_bits, const LinkBudget& link) {
  const Json json{{"scenario", scenario.name},
                  {"distance_m", link.distance_m},
                  {"power_w", link.power_w},
                  {"path_loss", Name(scenario.radio.path_loss)},
                  {"path_loss_db", 0 - ToDecibel(link.gain)},
                  {"gain_db", ToDecibel(link.gain)},
                  {"noise_dbm", ToDbm(link.noise_w)},
                  {"snr_db", ToDecibel(link.snr)},
                  {"spectral_efficiency", link.spectral_efficiency},
                  {"bandwidth_hz", link.bandwidth_hz},
                  {"rate_bps", link.rate_bps},
                  {"update_bits", update_bits},
                  {"upload_s", link.upload_s},
                  {"energy_j", link.energy_j}};
  fmt::print("{}\n", json.dump(2));
}

int RunLink(const LinkOptions& options) {
  const auto scenario = ReadScenario(options.scenario.scenario, options.scenario.overrides);
  if (!scenario) return Report(scenario.error());
  if (options.bandwidth_hz == 0 && !scenario->fleet.file.empty()) {
    return Report(
        {"the scenario has a fleet file, so a device's band is not known: add "
         "--bandwidth-hz"});
  }
  const double bandwidth_hz =
      options.bandwidth_hz > 0
          ? options.bandwidth_hz
          : scenario->radio.bandwidth_hz / static_cast<double>(scenario->fleet.devices);
  const auto bits = RoundBitsOf(*scenario);
  if (!bits) return Report(bits.error());
  const LinkBudget link = ComputeLink(scenario->radio, options.distance_m, bandwidth_hz,
                                      scenario->fleet.max_power_w.high, bits->update);
  options.output.json ? PrintJson(*scenario, bits->update, link)
                      : PrintText(*scenario, bits->update, link);
  return kDone;
}

}  // namespace

void AddLink(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<LinkOptions>();
  CLI::App& command = *app.add_subcommand("link", "Show the link budget of a device at a distance");
  AddScenarioOptions(command, options->scenario);
  command.add_option("--distance-m", options->distance_m, "Distance to the server")
      ->required()
      ->check(NumberIn(0, 1e12))
      ->type_name("METRES");
  command
      .add_option("--bandwidth-hz", options->bandwidth_hz, "Its band; by default an equal share")
      ->check(NumberIn(kSmallestInput, kLargestInput))
      ->type_name("HERTZ");
  AddOutputOptions(command, options->output);
  AddExample(command, "airlot link paper-highly-biased --distance-m 250");
  command.callback([options, &exit_code] { exit_code = RunLink(*options); });
}

}  // namespace airlot::cli
