#include "fleet/measured_noise.h"

#include <fmt/format.h>

#include <string_view>

#include "fleet/check_fleet.h"

namespace airlot::fleet {

Status BringNoiseIntoOwnBands(FleetRows& rows, const Column& bandwidth_hz, bool bands_are_of_rows,
                              const Radio& radio) {
  const bool is_measured = !rows.noise_to_gain_w.empty() || !rows.noise_dbm.empty();
  if (!is_measured || !GrowsWithBand(radio.noise)) return {};
  if (rows.noise_band_hz.empty()) {
    if (bands_are_of_rows) return {};  // it was measured in each device's own band
    const std::string_view column = rows.noise_to_gain_w.empty() ? "noise_dbm" : "noise_to_gain_w";
    return Error{fmt::format(
        "{}column {}: the noise grows with the band (radio.noise_dbm_per_hz), and the file "
        "does not say in which band it was measured: add a column noise_band_hz, or bandwidth_hz "
        "if that is each device's own",
        HeaderOf(rows), column)};
  }
  for (std::size_t i = 0; i < rows.devices; ++i) {  // (F3)
    const double measured_hz = rows.noise_band_hz[i];
    const double own_hz = bandwidth_hz[i];
    if (own_hz == measured_hz) continue;  // so that what was saved reads back to the same bits
    if (!rows.noise_to_gain_w.empty()) {
      rows.noise_to_gain_w[i] = ScaledNoise(rows.noise_to_gain_w[i], own_hz, measured_hz);
    } else {
      rows.noise_dbm[i] += ToDecibel(own_hz / measured_hz);
    }
  }
  return {};
}

}  // namespace airlot::fleet
