// Columns: one value per device, or one value that all devices share.
//
// Device data are columns, not objects. A quantity that is the same for the whole fleet is held
// once, so a fleet of millions pays memory only for what differs.
#ifndef AIRLOT_COLUMN_H_
#define AIRLOT_COLUMN_H_

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace airlot {

// Allocates on cache-line boundaries and leaves numbers uninitialised, so that a large column is
// touched first by the thread that fills it.
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

using Values = std::vector<double, ColumnAllocator<double>>;

// A view of a column; does not own its values.
class ColumnView {
 public:
  ColumnView() = default;
  ColumnView(double constant) : constant_(constant) {}  // NOLINT(google-explicit-constructor)
  ColumnView(std::span<const double> values)            // NOLINT(google-explicit-constructor)
      : values_(values.data()), size_(values.size()) {}
  template <class Allocator>
  ColumnView(const std::vector<double, Allocator>& values)  // NOLINT(google-explicit-constructor)
      : ColumnView(std::span<const double>(values)) {}
  template <class Allocator>
  ColumnView(std::vector<double, Allocator>&&) = delete;  // a view would outlive its values

  double operator[](std::size_t i) const { return values_ == nullptr ? constant_ : values_[i]; }
  bool is_constant() const { return values_ == nullptr; }
  double constant() const { return constant_; }
  const double* data() const { return values_; }
  // Number of values; 0 for a constant.
  std::size_t size() const { return size_; }

 private:
  const double* values_ = nullptr;
  std::size_t size_ = 0;
  double constant_ = 0;
};

// A column that owns its values.
class Column {
 public:
  Column() = default;
  Column(double constant) : constant_(constant) {}       // NOLINT(google-explicit-constructor)
  Column(Values values) : values_(std::move(values)) {}  // NOLINT(google-explicit-constructor)

  operator ColumnView() const {  // NOLINT(google-explicit-constructor)
    return values_.empty() ? ColumnView(constant_) : ColumnView(values_);
  }
  double operator[](std::size_t i) const { return values_.empty() ? constant_ : values_[i]; }
  bool is_constant() const { return values_.empty(); }

 private:
  Values values_;
  double constant_ = 0;
};

// Positive quantities must lie in this range, far beyond any radio: inside it no intermediate
// result overflows.
inline constexpr double kSmallestInput = 1e-40;
inline constexpr double kLargestInput = 1e40;

}  // namespace airlot

#endif  // AIRLOT_COLUMN_H_
