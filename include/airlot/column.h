// A column has one value per device, or one value that all devices share.
//
// Device data are columns, not objects. A quantity that is the same for the whole fleet is held
// once, so a fleet of millions pays memory only for what differs.
#ifndef AIRLOT_COLUMN_H_
#define AIRLOT_COLUMN_H_

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace airlot {

// ColumnAllocator allocates on cache-line boundaries and leaves numbers uninitialised, so that a
// large column is touched first by the thread that fills it.
template <class T>
struct ColumnAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  ColumnAllocator() = default;
  template <class U>
  ColumnAllocator(const ColumnAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }
  template <class U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  bool operator==(const ColumnAllocator&) const { return true; }
};

// ColumnValues hold one value for each device.
using ColumnValues = std::vector<double, ColumnAllocator<double>>;

// A ColumnView does not own its values. By default it is NaN for all devices, which no problem
// accepts.
class ColumnView {
 public:
  ColumnView() = default;
  ColumnView(double constant) : constant_(constant) {}  // NOLINT(google-explicit-constructor)
  ColumnView(std::span<const double> values)            // NOLINT(google-explicit-constructor)
      : is_constant_(false), values_(values) {}
  template <class Allocator>
  ColumnView(const std::vector<double, Allocator>& values)  // NOLINT(google-explicit-constructor)
      : ColumnView(std::span<const double>(values)) {}
  template <class Allocator>
  ColumnView(std::vector<double, Allocator>&&) = delete;  // the view would outlive its values

  double operator[](std::size_t i) const { return is_constant_ ? constant_ : values_[i]; }
  bool is_constant() const { return is_constant_; }
  double constant() const { return constant_; }  // may be called only where is_constant()
  std::span<const double> values() const { return values_; }  // empty where is_constant()

 private:
  bool is_constant_ = true;
  double constant_ = std::numeric_limits<double>::quiet_NaN();
  std::span<const double> values_;
};

// A Column owns its values.
class Column {
 public:
  Column() = default;
  Column(double constant) : constant_(constant) {}  // NOLINT(google-explicit-constructor)
  Column(ColumnValues values)                       // NOLINT(google-explicit-constructor)
      : is_constant_(false), values_(std::move(values)) {}

  operator ColumnView() const& {  // NOLINT(google-explicit-constructor)
    return is_constant_ ? ColumnView(constant_) : ColumnView(values_);
  }
  operator ColumnView() const&& = delete;  // the view would outlive its values
  double operator[](std::size_t i) const { return is_constant_ ? constant_ : values_[i]; }
  bool is_constant() const { return is_constant_; }

 private:
  bool is_constant_ = true;
  double constant_ = std::numeric_limits<double>::quiet_NaN();
  ColumnValues values_;
};

// Positive quantities must lie in this range, far beyond any radio: inside it no intermediate
// result overflows.
inline constexpr double kSmallestInput = 1e-40;
inline constexpr double kLargestInput = 1e40;
inline bool IsInput(double value, bool may_be_zero) {
  return (value >= kSmallestInput && value <= kLargestInput) || (may_be_zero && value == 0);
}

}  // namespace airlot

#endif  // AIRLOT_COLUMN_H_
