// Errors of bad input are values. What a computation found is in its result type; a broken contract
// of ours aborts (src/base/check.h).
#ifndef AIRLOT_RESULT_H_
#define AIRLOT_RESULT_H_

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace airlot {

// An Error says what is wrong with an input, naming place, field, value and bound:
// "fleet.csv:17: energy_budget_j = -3: must be >= 0".
struct Error {
  std::string message;
  // This is the name that the message begins with, where it is that of a field: whoever knows the
  // field by another name may put that in its place.
  std::optional<std::string> field = {};
};

// Makes an error of one field: "block_hz = 3: must be >= 5".
inline Error FieldError(const std::string& field, const std::string& value,
                        const std::string& reason) {
  return {field + " = " + value + ": " + reason, field};
}

// A Result is a value or the error that kept it from being made.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // The value may be used only where ok().
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  // The error may be used only where not ok().
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Result<void> is success, or the error of something that makes no value: `return {};` succeeds.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // The error may be used only where not ok().
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<std::monostate, Error> state_;
};
using Status = Result<void>;

}  // namespace airlot

#endif  // AIRLOT_RESULT_H_
