#include "arguments.h"

#include <cmath>
#include <cstdlib>
#include <new>

namespace airlot::python {
namespace {

// These return the bounds of a number as messages say them; the largest number of 64 bits is said
// only where a number is above it.
std::string RangeOf(std::uint64_t least, std::uint64_t most) {
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}
std::string BoundsOf(std::uint64_t least, std::uint64_t most) {
  if (most < std::numeric_limits<std::uint64_t>::max()) return RangeOf(least, most);
  return "a whole number from " + std::to_string(least) + " on";
}

bool IsFlag(const py::handle& value) {
  if (PyBool_Check(value.ptr()) != 0) return true;
  const std::string type = TypeName(value);
  return (type == "bool_" || type == "bool") && py::hasattr(value, "dtype");
}

}  // namespace

std::string TypeName(const py::handle& value) {
  return py::str(py::type::handle_of(value).attr("__name__"));
}

std::string Shown(double value) { return py::str(py::float_(value)); }

std::uint64_t WholeOf(const py::handle& value, const std::string& name, std::uint64_t least,
                      std::uint64_t most) {
  const auto whole =
      py::reinterpret_steal<py::object>(IsFlag(value) ? nullptr : PyNumber_Index(value.ptr()));
  if (!whole) {
    PyErr_Clear();
    throw Failure(name + ": must be " + BoundsOf(least, most) + ", not " + TypeName(value));
  }
  const unsigned long long number = PyLong_AsUnsignedLongLong(whole.ptr());
  const bool is_outside = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (is_outside || number < least || number > most) {
    const bool is_large = is_outside && whole > py::int_(0);
    throw Failure(name + " = " + std::string(py::str(whole)) + ": must be " +
                  (is_large ? RangeOf(least, most) : BoundsOf(least, most)));
  }
  return number;
}

double NumberOf(const py::handle& value, const std::string& name) {
  const bool is_array =
      py::hasattr(value, "ndim") && !py::object(value.attr("ndim")).equal(py::int_(0));
  if (is_array) throw Failure(name + ": must be one number, not an array");
  if (IsFlag(value) || PyNumber_Check(value.ptr()) == 0) {
    throw Failure(name + ": must be a number, not " + TypeName(value));
  }
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    const bool is_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    PyErr_Clear();
    throw Failure(name + (is_large ? ": is too large for a number of 64 bits"
                                   : ": must be a real number, not " + TypeName(value)));
  }
  return number;
}

double NumberOf(const py::handle& value, const std::string& name, double least, double most) {
  const double number = NumberOf(value, name);
  if (number >= least && number <= most) return number;
  throw Failure(name + " = " + Shown(number) + ": must be " +
                (std::isinf(most) ? "at least " + Shown(least)
                                  : "from " + Shown(least) + " to " + Shown(most)));
}

bool FlagOf(const py::handle& value, const std::string& name) {
  if (!IsFlag(value)) throw Failure(name + ": must be True or False, not " + TypeName(value));
  return PyObject_IsTrue(value.ptr()) == 1;
}

std::string TextOf(const py::handle& value, const std::string& name) {
  if (!py::isinstance<py::str>(value)) {
    throw Failure(name + ": must be a text, not " + TypeName(value));
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {  // It has half of a surrogate pair.
    PyErr_Clear();
    throw Failure(name + " = " + std::string(py::str(py::repr(value))) + ": is no text in Unicode");
  }
  return {text, std::size_t(size)};
}

py::iterator ItemsOf(const py::handle& value, const std::string& name, const std::string& what) {
  PyObject* items = py::isinstance<py::str>(value) ? nullptr : PyObject_GetIter(value.ptr());
  if (items == nullptr) {
    PyErr_Clear();
    throw Failure(name + ": must be " + what + ", not " + TypeName(value));
  }
  return py::reinterpret_steal<py::iterator>(items);
}

void* Zeroed::operator new(std::size_t size) {
  void* memory = std::calloc(1, size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void Zeroed::operator delete(void* memory) { std::free(memory); }

}  // namespace airlot::python
