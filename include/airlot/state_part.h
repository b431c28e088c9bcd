// A state part is what a feature of a run remembers from round to round. Each feature brings a part
// of its own, so that a checkpoint keeps it without knowing what it is: batteries, the server's
// moments, control variates, or what a strategy or training rule outside of this library needs.
#ifndef AIRLOT_STATE_PART_H_
#define AIRLOT_STATE_PART_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/bytes.h"
#include "airlot/result.h"

namespace airlot {

// The lists of a state must agree with RunSizes.
struct RunSizes {
  std::size_t devices = 0;
  std::size_t parameters = 0;
};

// A DeviceColumn is a column of devices.csv: the value of each device, where it has one. Its name
// is a word of small letters, digits and underlines that no other column has.
struct DeviceColumn {
  std::string name;
  std::vector<std::optional<double>> values;
};

class StatePart {
 public:
  virtual ~StatePart() = default;
  // Names the part in checkpoints; no two parts of a run share a name.
  virtual std::string_view name() const = 0;
  virtual void Save(ByteWriter& bytes) const = 0;
  // Takes all that Save has put. The caller notices bytes that are missing or left.
  virtual void Load(ByteReader& bytes) = 0;
  // Fails where lists do not have the sizes of the run: parts may come from forged files.
  virtual Status Check(const RunSizes& sizes) const = 0;
  // Returns what the part has to tell of each device after so many rounds.
  virtual std::vector<DeviceColumn> DeviceColumns(std::uint64_t /*rounds*/) const { return {}; }
};

// Fails unless a list is empty, or has so many values: "moments.velocity: 3 values, 2 are needed".
Status CheckNoneOr(std::size_t needed, std::size_t found, std::string_view list);
// Fails unless a list has so many values.
Status CheckSize(std::size_t needed, std::size_t found, std::string_view list);

// StateParts are the parts of a run. A feature looks up its part by type when a run begins and
// keeps the reference: parts stay where they are, also when the list is moved.
class StateParts {
 public:
  // Returns the part of this type or, where there is none, a new one, made from `arguments`.
  template <class Part, class... Arguments>
  Part& Get(Arguments&&... arguments) {
    if (Part* part = Find<Part>()) return *part;
    parts_.push_back(std::make_unique<Part>(std::forward<Arguments>(arguments)...));
    return static_cast<Part&>(*parts_.back());
  }
  // Returns null where there is no part of this type.
  template <class Part>
  Part* Find() {
    return const_cast<Part*>(std::as_const(*this).Find<Part>());
  }
  template <class Part>
  const Part* Find() const {
    for (const auto& part : parts_) {
      if (const auto* found = dynamic_cast<const Part*>(part.get())) return found;
    }
    return nullptr;
  }
  std::span<const std::unique_ptr<StatePart>> all() const { return parts_; }

  // Adds the bytes of a part that is not known yet; fails where another has that name.
  Status AddSaved(std::string name, std::string bytes);
  // Puts `part` in the place of the bytes of its name, loaded from them and checked. Nothing
  // happens where there are no such bytes.
  Status LoadSaved(std::unique_ptr<StatePart> part, const RunSizes& sizes);
  // Loads these parts from those that were saved under the same names, and checks them. Fails where
  // one is missing, left over, or does not fit.
  Status LoadFrom(const StateParts& saved, const RunSizes& sizes);

 private:
  const StatePart* FindNamed(std::string_view name) const;

  std::vector<std::unique_ptr<StatePart>> parts_;
};

}  // namespace airlot

#endif  // AIRLOT_STATE_PART_H_
