#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/subprocess.h"
#include "base/text.h"
#include "device/radio_control.h"

namespace airlot::device {
namespace {

// Puts a number wherever `name` stands.
void Fill(std::string& command, const std::string& name, const std::string& number) {
  for (std::size_t at = command.find(name); at != std::string::npos;
       at = command.find(name, at + number.size())) {
    command.replace(at, name.size(), number);
  }
}

// Runs a command and returns the first line that it prints.
Result<std::string> LineOf(const std::string& command) {
  std::string path = (std::filesystem::temp_directory_path() / "airlot-device-XXXXXX").string();
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) return Error{"cannot make a temporary file in " + path};
  close(descriptor);
  const auto code = base::RunProgram({"sh", "-c", command}, path);
  std::string line;
  std::getline(std::ifstream(path), line);
  std::filesystem::remove(path);
  if (!code) return code.error();
  if (*code != 0) {
    return Error{fmt::format("{} ended with {}{}{}", base::Quoted(command), *code,
                             line.empty() ? "" : ": ", line.empty() ? "" : base::Quoted(line))};
  }
  return line;
}

// Returns the number that a command prints, which must be above `above`.
Result<double> NumberBy(const std::string& command, double above) {
  auto line = LineOf(command);
  if (!line) return line.error();
  line->erase(line->find_last_not_of(" \t\r") + 1);
  line->erase(0, line->find_first_not_of(" \t"));
  const auto number = base::ParseNumber(*line);
  if (!number || !std::isfinite(*number) || !(*number > above)) {
    return Error{fmt::format("{} printed {}: must be a number above {}", base::Quoted(command),
                             base::Quoted(*line), above)};
  }
  return *number;
}

class CommandRadio : public RadioControl {
 public:
  explicit CommandRadio(RadioCommands commands) : commands_(std::move(commands)) {}

  Status Refresh(DeviceFigures& figures) override {
    if (commands_.read_channel) {
      const auto noise_w = NumberBy(*commands_.read_channel, 0);
      if (!noise_w) return noise_w.error();
      figures.noise_to_gain_w = *noise_w;
    }
    if (commands_.read_battery) {
      const auto charge = NumberBy(*commands_.read_battery, -1e-300);
      if (!charge) return charge.error();
      figures.battery_j = *charge * commands_.battery_unit_j;
    }
    return {};
  }

  // How long an upload takes is known from the one before.
  Result<UploadCost> Prepare(const RadioTerms& terms) override {
    if (commands_.set_power && terms.power_w > 0) {
      std::string command = *commands_.set_power;
      const double dbm = 10 * std::log10(terms.power_w * 1e3);
      Fill(command, "{power_w}", base::FormatNumber(terms.power_w));
      Fill(command, "{dbm}", fmt::format("{:.2f}", dbm));
      Fill(command, "{mbm}", fmt::format("{:.0f}", std::floor(100 * dbm)));
      const auto line = LineOf(command);
      if (!line) return line.error();
    }
    if (!bits_per_s_) return UploadCost{};
    const double time_s = terms.bits / *bits_per_s_;
    return UploadCost{time_s, terms.power_w * time_s};
  }

  void Sent(const RadioTerms& terms, double sent_s) override {
    if (terms.bits > 0 && sent_s > 0) bits_per_s_ = terms.bits / sent_s;
  }

 private:
  RadioCommands commands_;
  std::optional<double> bits_per_s_;
};

}  // namespace

std::unique_ptr<RadioControl> MakeCommandRadio(RadioCommands commands) {
  return std::make_unique<CommandRadio>(std::move(commands));
}

}  // namespace airlot::device
