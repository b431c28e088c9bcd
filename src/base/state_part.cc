#include "airlot/state_part.h"

#include <fmt/format.h>

namespace airlot {
namespace {

// A SavedPart is a part as a checkpoint has it.
class SavedPart : public StatePart {
 public:
  SavedPart(std::string name, std::string bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}

  std::string_view name() const override { return name_; }
  void Save(ByteWriter& bytes) const override { bytes.PutRaw(bytes_); }
  void Load(ByteReader&) override {}
  Status Check(const RunSizes&) const override {
    return Error{fmt::format("state part {} was not loaded", name_)};
  }

 private:
  std::string name_, bytes_;
};

Status LoadPart(const StatePart& source, const RunSizes& sizes, StatePart& part) {
  ByteWriter writer;
  source.Save(writer);
  ByteReader reader(writer.bytes());
  part.Load(reader);
  if (!reader.is_done()) {
    return Error{fmt::format("state part {}: its sizes do not add up", part.name())};
  }
  if (auto status = part.Check(sizes); !status) {
    return Error{fmt::format("state part {}: {}", part.name(), status.error().message)};
  }
  return {};
}

}  // namespace

Status CheckSize(std::size_t needed, std::size_t found, std::string_view list) {
  if (found == needed) return {};
  return Error{fmt::format("{}: {} values, {} are needed", list, found, needed)};
}

Status CheckNoneOr(std::size_t needed, std::size_t found, std::string_view list) {
  return found == 0 ? Status() : CheckSize(needed, found, list);
}

const StatePart* StateParts::FindNamed(std::string_view name) const {
  for (const auto& part : parts_) {
    if (part->name() == name) return part.get();
  }
  return nullptr;
}

Status StateParts::AddSaved(std::string name, std::string bytes) {
  if (FindNamed(name) != nullptr) return Error{fmt::format("there are two state parts {}", name)};
  parts_.push_back(std::make_unique<SavedPart>(std::move(name), std::move(bytes)));
  return {};
}

Status StateParts::LoadSaved(std::unique_ptr<StatePart> part, const RunSizes& sizes) {
  for (auto& saved : parts_) {
    if (saved->name() != part->name()) continue;
    if (auto status = LoadPart(*saved, sizes, *part); !status) return status;
    saved = std::move(part);
    return {};
  }
  return {};
}

Status StateParts::LoadFrom(const StateParts& saved, const RunSizes& sizes) {
  for (const auto& part : parts_) {
    const StatePart* source = saved.FindNamed(part->name());
    if (source == nullptr) return Error{fmt::format("state part {} is missing", part->name())};
    if (auto status = LoadPart(*source, sizes, *part); !status) return status;
  }
  for (const auto& part : saved.parts_) {
    if (FindNamed(part->name()) == nullptr) {
      return Error{fmt::format("state part {} is of no feature of this run", part->name())};
    }
  }
  return {};
}

}  // namespace airlot
