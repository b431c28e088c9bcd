// NumPy arrays as columns, and columns as NumPy arrays, without copies where that is possible.
#ifndef AIRLOT_PYTHON_ARRAYS_H_
#define AIRLOT_PYTHON_ARRAYS_H_

#include <airlot/column.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"

namespace airlot::python {

// An InputColumn is an argument that is one number for all devices, or has one for each.
class InputColumn {
 public:
  // Takes a number or an array of one dimension. An array of float64 without gaps is looked at
  // where it is; what else holds real numbers is copied once.
  InputColumn(const py::handle& value, std::string name);

  const std::string& name() const { return name_; }
  bool is_constant() const { return view_.is_constant(); }
  std::size_t size() const { return view_.values().size(); }  // 0 where it is constant
  const ColumnView& view() const { return view_; }

 private:
  std::string name_;
  py::object keeper_;
  ColumnView view_;
};

// Returns whether a value is an array of NumPy, and of no class that builds on it.
bool IsPlainArray(const py::handle& value);
// Returns how many bytes each number of an array has. (pybind11 before 2.12 looks for it where
// NumPy 2 has something else.)
py::ssize_t BytesOfEach(const py::array& array);
// Returns one dimension of whole numbers from 0 on as indices, or says of `name` what is wrong;
// `what` is what they are numbers of.
std::vector<std::uint32_t> IndicesOf(const py::handle& value, const std::string& name,
                                     const std::string& what = "the number of a device");
// Returns one dimension of real numbers as an array without gaps, copied where that is needed.
template <class T>
py::array_t<T> NumbersOf(const py::handle& value, const std::string& name);

// Returns a read-only array over memory that `owner` keeps.
template <class T>
py::array ArrayOver(std::span<const T> values, const py::handle& owner) {
  py::array array(py::dtype::of<T>(), {py::ssize_t(values.size())}, {py::ssize_t(sizeof(T))},
                  values.data(), owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

// Returns an array that owns what was in a vector.
template <class Vector>
py::array ArrayOf(Vector&& values) {
  using Owned = std::decay_t<Vector>;
  auto owned = std::make_unique<Owned>(std::forward<Vector>(values));
  const auto size = py::ssize_t(owned->size());
  auto* data = owned->data();
  const py::capsule owner(owned.release(),
                          [](void* memory) { delete static_cast<Owned*>(memory); });
  using T = typename Owned::value_type;
  return py::array(py::dtype::of<T>(), {size}, {py::ssize_t(sizeof(T))}, data, owner);
}

// Returns an array of `size` times the same number, which it holds once.
py::array RepeatedArray(double value, std::size_t size);

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_ARRAYS_H_
