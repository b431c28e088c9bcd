// Training that is written in Python.
#ifndef AIRLOT_PYTHON_BACKEND_H_
#define AIRLOT_PYTHON_BACKEND_H_

#include <airlot/simulation.h>
#include <pybind11/pybind11.h>

#include <memory>

namespace airlot::python {

// Makes a backend that calls an object of airlot.Backend, which `make` returns for a setting.
std::unique_ptr<Backend> MakePythonBackend(pybind11::handle make, const Setting& setting);

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_BACKEND_H_
