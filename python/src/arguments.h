// Arguments of Python, read so that whatever is wrong is said in the words of Python.
#ifndef AIRLOT_PYTHON_ARGUMENTS_H_
#define AIRLOT_PYTHON_ARGUMENTS_H_

#include <airlot/result.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace airlot::python {

namespace py = pybind11;

// A Failure becomes airlot.Error in Python.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class T>
T ValueOf(Result<T> result) {
  if (!result) throw Failure(result.error().message);
  return std::move(*result);
}
inline void Require(const Status& status) {
  if (!status) throw Failure(status.error().message);
}

// Returns what messages call the type of a value: "str".
std::string TypeName(const py::handle& value);
// Returns a number as Python writes it: "0.1".
std::string Shown(double value);

// Each of these returns the value of the argument `name`, or says what it must be.
std::uint64_t WholeOf(const py::handle& value, const std::string& name, std::uint64_t least = 0,
                      std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
double NumberOf(const py::handle& value, const std::string& name);
double NumberOf(const py::handle& value, const std::string& name, double least, double most);
bool FlagOf(const py::handle& value, const std::string& name);
std::string TextOf(const py::handle& value, const std::string& name);
// Requires something that can be gone through; `what` says of what it consists.
py::iterator ItemsOf(const py::handle& value, const std::string& name, const std::string& what);

// Lets nobody make objects of a class by __new__, which pybind11 would leave without a value.
template <class Class>
void RefuseNew(Class& bound) {
  const std::string name = py::str(bound.attr("__name__"));
  bound.def_static("__new__", [name](const py::args&, const py::kwargs&) -> py::object {
    throw py::type_error("airlot makes objects of " + name + " itself");
  });
}

// An object of pybind11 that was made without a constructor has the memory of its class's operator
// new. Here that is zero, which the classes below take for "nothing".
struct Zeroed {
  static void* operator new(std::size_t size);
  static void* operator new(std::size_t, void* place) { return place; }
  static void operator delete(void* memory);
};

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_ARGUMENTS_H_
