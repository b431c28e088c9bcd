#include "runs/checkpoint.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <variant>

#include "airlot/bytes.h"
#include "base/check.h"
#include "data/sha256.h"
#include "simulation/round_fields.h"
#include "simulation/state_parts.h"

namespace airlot::runs {
namespace {

constexpr std::string_view kMagic = "airlot checkpoint\n";
constexpr std::uint32_t kVersion = 6;
constexpr std::size_t kDigestSize = 64;

std::string Digest(std::string_view bytes) {
  data::Sha256 hash;
  hash.Update({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return hash.Hex();
}

// --- Records of rounds ---------------------------------------------------------------------------

template <class T>
constexpr std::size_t SizeOf(T RoundRecord::* /*member*/) {
  return kByteSize<T>;
}

std::size_t RecordSize() {
  std::size_t size = 0;
  for (const simulation::RoundField& field : simulation::kRoundFields) {
    size += std::visit([](auto member) { return SizeOf(member); }, field.member);
  }
  return size;
}

void Put(ByteWriter& writer, const std::vector<RoundRecord>& records) {
  writer.Put(std::uint64_t{records.size()});
  for (const RoundRecord& record : records) {
    simulation::ForEachField(record, [&](const auto&, const auto& value) { writer.Put(value); });
  }
}

void Take(ByteReader& reader, std::vector<RoundRecord>& records) {
  records.resize(reader.TakeCount(RecordSize()));
  for (RoundRecord& record : records) {
    simulation::ForEachField(record, [&](const auto&, auto& value) { reader.Take(value); });
  }
}

// --- Parts of the state --------------------------------------------------------------------------

void Put(ByteWriter& writer, const StateParts& parts) {
  writer.Put(std::uint64_t{parts.all().size()});
  for (const auto& part : parts.all()) {
    ByteWriter bytes;
    part->Save(bytes);
    writer.Put(part->name());
    writer.Put(std::string_view(bytes.bytes()));
  }
}

Status Take(ByteReader& reader, StateParts& parts) {
  const std::size_t count = reader.TakeCount(2 * kByteSize<std::uint64_t>);
  for (std::size_t i = 0; i < count; ++i) {
    std::string name, bytes;
    reader.Take(name);
    reader.Take(bytes);
    if (auto status = parts.AddSaved(std::move(name), std::move(bytes)); !status) return status;
  }
  return {};
}

// Reports show what these parts tell of devices, also of a run that does not go on.
Status LoadDeviceParts(RunState& state) {
  const RunSizes sizes{state.participations.size(), state.parameters.size()};
  if (auto status = state.parts.LoadSaved(std::make_unique<simulation::Batteries>(), sizes);
      !status) {
    return status;
  }
  return state.parts.LoadSaved(std::make_unique<simulation::PlannedProbabilities>(), sizes);
}

}  // namespace

std::string Fingerprint(std::string_view scenario_text, std::string_view strategy,
                        std::uint64_t seed) {
  return Digest(fmt::format("{}\n{}\n{}", strategy, seed, scenario_text));
}

std::string Fingerprint(const Scenario& scenario, std::string_view strategy, std::uint64_t seed) {
  return Fingerprint(FormatScenario(scenario), strategy, seed);
}

std::string EncodeCheckpoint(const RunState& state, std::string_view fingerprint) {
  AIRLOT_CHECK(fingerprint.size() == kDigestSize, "fingerprint {}", fingerprint);
  ByteWriter writer;
  writer.PutRaw(kMagic);
  writer.Put(kVersion);
  writer.PutRaw(fingerprint);
  writer.Put(state.round);
  writer.Put(state.time_s);
  writer.Put(state.energy_j);
  writer.Put(state.parameters);
  writer.Put(state.participations);
  writer.Put(state.energy_spent_j);
  Put(writer, state.records);
  writer.Put(std::string_view(state.setting_digest));
  Put(writer, state.parts);
  std::string bytes = std::move(writer).bytes();
  return bytes += Digest(bytes);
}

std::optional<std::string> DamageOf(std::string_view bytes) {
  if (bytes.empty()) return "it is empty";
  if (!bytes.starts_with(kMagic)) return "it is not a checkpoint";
  if (bytes.size() < kMagic.size() + kDigestSize) return "it is cut off";
  const std::size_t end = bytes.size() - kDigestSize;
  if (Digest(bytes.substr(0, end)) != bytes.substr(end)) return "its checksum does not match";
  return std::nullopt;
}

Result<RunState> DecodeCheckpoint(std::string_view bytes, std::string_view fingerprint) {
  if (const auto damage = DamageOf(bytes)) return Error{*damage};
  ByteReader reader(bytes.substr(0, bytes.size() - kDigestSize));
  reader.TakeRaw(kMagic.size());
  std::uint32_t version = 0;
  reader.Take(version);
  if (version != kVersion) {
    return Error{fmt::format("it has format {}, and this version of airlot reads format {}",
                             version, kVersion)};
  }
  if (reader.TakeRaw(kDigestSize) != fingerprint) {
    return Error{"it is of another scenario, strategy or seed"};
  }
  RunState state;
  reader.Take(state.round);
  reader.Take(state.time_s);
  reader.Take(state.energy_j);
  reader.Take(state.parameters);
  reader.Take(state.participations);
  reader.Take(state.energy_spent_j);
  Take(reader, state.records);
  reader.Take(state.setting_digest);
  const Status parts = Take(reader, state.parts);
  if (!reader.is_done()) return Error{"its sizes do not add up"};
  if (!parts) return parts.error();
  if (auto status = CheckBooks(state); !status) return status.error();
  if (auto status = LoadDeviceParts(state); !status) return status.error();
  return state;
}

}  // namespace airlot::runs
