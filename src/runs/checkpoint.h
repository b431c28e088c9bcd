// A checkpoint is a run between two rounds, as the bytes of a file:
//
//   "airlot checkpoint\n"
//   u32 version of the format
//   the run's fingerprint, 64 hexadecimal digits
//   u64 round, f64 time_s, f64 energy_j
//   parameters (f32), participations (u32), energy_spent_j (f64), records (the fields of
//     simulation/round_fields.h; where one may be missing, a u32 says whether it is there), each as
//     a u64 count and its values
//   setting_digest (u64 count and bytes)
//   u64 count of state parts, and of each its name and its bytes (airlot/state_part.h), both as a
//     u64 count and bytes
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

// A fingerprint tells runs apart: it is another one for any other scenario, strategy or seed. A
// caller may hand over the text that FormatScenario makes, as making it takes a while.
std::string Fingerprint(std::string_view scenario_text, std::string_view strategy,
                        std::uint64_t seed);
std::string Fingerprint(const Scenario& scenario, std::string_view strategy, std::uint64_t seed);

std::string EncodeCheckpoint(const RunState& state, std::string_view fingerprint);

// Returns what is wrong with bytes that are not all of one checkpoint, just as it was written, such
// as "its checksum does not match"; it returns nothing where nothing is wrong.
std::optional<std::string> DamageOf(std::string_view bytes);

// Decoding fails also where the checkpoint is whole, but belongs to another run or another version
// of the format, or where its lists do not agree. Most of its parts are still bytes: `Restore`
// loads them.
Result<RunState> DecodeCheckpoint(std::string_view bytes, std::string_view fingerprint);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_CHECKPOINT_H_
