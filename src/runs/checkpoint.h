// A run between two rounds, as the bytes of a file.
//
//   "airlot checkpoint\n"
//   u32 version of the format
//   the run's fingerprint, 64 hexadecimal digits
//   u64 round, f64 time_s, f64 energy_j
//   parameters, velocity (f32), participations (u32), energy_spent_j (f64), records (9 x 8 bytes),
//     each as a u64 count and its values
//   second_moment (f32), u64 server_steps, control (f32), strategy_memory (f64), device_memory (of
//     each device unsent and control, f32), setting_digest (bytes)
//   battery_j (f64), first_empty_round (u32), probability_sum (f64)
//   SHA-256 of all before, 64 hexadecimal digits
//
// Numbers are little-endian bits: what is decoded is what was encoded, byte by byte. Every version
// of the format begins and ends this way.
#ifndef AIRLOT_RUNS_CHECKPOINT_H_
#define AIRLOT_RUNS_CHECKPOINT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "airlot/result.h"
#include "airlot/scenario.h"
#include "airlot/simulation.h"

namespace airlot::runs {

// Tells runs apart: another one for any other scenario, strategy or seed. The scenario may be given
// as FormatScenario has it, which takes a while.
std::string Fingerprint(std::string_view scenario_text, std::string_view strategy,
                        std::uint64_t seed);
std::string Fingerprint(const Scenario& scenario, std::string_view strategy, std::uint64_t seed);

std::string EncodeCheckpoint(const RunState& state, std::string_view fingerprint);

// What is wrong with bytes that are not all of one checkpoint, just as it was written: "its
// checksum does not match".
std::optional<std::string> DamageOf(std::string_view bytes);

// An error also where the checkpoint is whole, but of another run or another version of the format.
Result<RunState> DecodeCheckpoint(std::string_view bytes, std::string_view fingerprint);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_CHECKPOINT_H_
