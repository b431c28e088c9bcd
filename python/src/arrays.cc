#include "arrays.h"

#include <cmath>
#include <limits>

namespace airlot::python {
namespace {

// Returns an array of numbers of any kind, which nothing that is no number can become.
py::array AnyNumbers(const py::handle& value, const std::string& name) {
  if (!IsPlainArray(value) && py::hasattr(value, "mask") && py::hasattr(value, "filled")) {
    throw Failure(name + ": is a masked array: fill it, or leave the devices out");
  }
  auto array = py::array::ensure(value);
  if (!array) PyErr_Clear();
  const char kind = array ? array.dtype().kind() : 'O';
  const bool is_real = kind == 'f' || kind == 'i' || kind == 'u';
  if (!array || (!is_real && array.ndim() == 0)) {
    throw Failure(name + ": must be real numbers, not " + TypeName(value));
  }
  if (!is_real) {
    throw Failure(name + ": must be real numbers, not an array of " +
                  std::string(py::str(array.dtype())));
  }
  return array;
}

void RequireOneDimension(const py::array& array, const std::string& name) {
  if (array.ndim() == 1) return;
  throw Failure(name + ": has the shape " + std::string(py::str(array.attr("shape"))) +
                ": must have one dimension");
}

}  // namespace

InputColumn::InputColumn(const py::handle& value, std::string name) : name_(std::move(name)) {
  if (PyFloat_Check(value.ptr()) != 0 ||
      (PyLong_Check(value.ptr()) != 0 && PyBool_Check(value.ptr()) == 0)) {
    view_ = ColumnView(NumberOf(value, name_));
    return;
  }
  const py::array any = AnyNumbers(value, name_);
  if (any.ndim() == 0) {
    view_ = ColumnView(any.cast<double>());
    return;
  }
  RequireOneDimension(any, name_);
  auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(any);
  if (!numbers) throw Failure(name_ + ": cannot be copied: is there enough memory?");
  view_ = ColumnView(std::span<const double>(numbers.data(), std::size_t(numbers.size())));
  keeper_ = std::move(numbers);
}

bool IsPlainArray(const py::handle& value) {
  return Py_TYPE(value.ptr()) == py::detail::npy_api::get().PyArray_Type_;
}

py::ssize_t BytesOfEach(const py::array& array) {
  return array.attr("itemsize").cast<py::ssize_t>();
}

std::vector<std::uint32_t> IndicesOf(const py::handle& value, const std::string& name,
                                     const std::string& what) {
  const py::array any = AnyNumbers(value, name);
  RequireOneDimension(any, name);
  if (any.size() == 0) return {};
  if (any.dtype().kind() == 'f') throw Failure(name + ": must be whole numbers, not floats");
  const bool is_unsigned = any.dtype().kind() == 'u';
  std::vector<std::uint32_t> indices;
  indices.reserve(std::size_t(any.size()));
  const auto add = [&](auto index) {
    if (index < 0 || std::uint64_t(index) > std::numeric_limits<std::uint32_t>::max()) {
      throw Failure(name + ": " + std::to_string(index) + " is not " + what);
    }
    indices.push_back(std::uint32_t(index));
  };
  if (is_unsigned) {
    const auto values = py::array_t<std::uint64_t, py::array::c_style | py::array::forcecast>(any);
    for (py::ssize_t i = 0; i < values.size(); ++i) add(values.data()[i]);
  } else {
    const auto values = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(any);
    for (py::ssize_t i = 0; i < values.size(); ++i) add(values.data()[i]);
  }
  return indices;
}

template <class T>
py::array_t<T> NumbersOf(const py::handle& value, const std::string& name) {
  const py::array any = AnyNumbers(value, name);
  RequireOneDimension(any, name);
  auto numbers = py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(any);
  if (!numbers) throw Failure(name + ": cannot be copied: is there enough memory?");
  return numbers;
}
template py::array_t<double> NumbersOf<double>(const py::handle&, const std::string&);
template py::array_t<float> NumbersOf<float>(const py::handle&, const std::string&);

py::array RepeatedArray(double value, std::size_t size) {
  auto memory = std::make_unique<double>(value);
  double* data = memory.get();
  const py::capsule owner(memory.release(), [](void* p) { delete static_cast<double*>(p); });
  py::array array(py::dtype::of<double>(), {py::ssize_t(size)}, {py::ssize_t(0)}, data, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

}  // namespace airlot::python
