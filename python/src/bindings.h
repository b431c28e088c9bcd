// Each file binds one part of the library.
#ifndef AIRLOT_PYTHON_BINDINGS_H_
#define AIRLOT_PYTHON_BINDINGS_H_

#include <pybind11/pybind11.h>

namespace airlot::python {

void BindScenario(pybind11::module_& module);
void BindPlan(pybind11::module_& module);
void BindRandom(pybind11::module_& module);
void BindView(pybind11::module_& module);
void BindStrategy(pybind11::module_& module);
void BindBackend(pybind11::module_& module);
void BindDataset(pybind11::module_& module);
void BindRuns(pybind11::module_& module);
void BindKeptRuns(pybind11::module_& module);
void BindTables(pybind11::module_& module);

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_BINDINGS_H_
