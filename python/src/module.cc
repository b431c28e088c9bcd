// The compiled part of the Python package: what python/airlot/ builds on. Nothing of it is meant to
// be used by itself.
#include <airlot/program.h>
#include <airlot/version.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "arrays.h"
#include "background.h"
#include "bindings.h"

namespace airlot::python {
namespace {

int RunWithArguments(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const WithoutGil without;
  return RunProgram(int(arguments.size()), pointers.data());
}

}  // namespace
}  // namespace airlot::python

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  using namespace airlot::python;
  module.doc() = "The compiled part of airlot.";
  module.attr("__version__") = std::string(airlot::kVersion);
  py::register_exception<Failure>(module, "Error", PyExc_ValueError);
  module.attr("Error").attr("__module__") = "airlot";
  module.attr("Error").attr("__doc__") =
      R"(What is wrong with what was given, and what to do about it; it is a ValueError.

>>> airlot.Scenario(rounds=-1)
Traceback (most recent call last):
airlot.Error: Scenario: rounds=-1: must be ...)";
  module.def(
      "run_program", &RunWithArguments, py::arg("arguments"),
      "Does what the program airlot does with this command line, and returns its exit code.");
  module.def("stop_all", &StopAll, "Stops all runs and waits for their end: the interpreter ends.");
  module.def("before_fork", &BeforeFork, "Waits until nobody changes what a child will need.");
  module.def("after_fork_in_parent", &AfterForkInParent, "Lets others change it again.");
  module.def(
      "after_fork_in_child",
      [] {
        AfterForkInChild();
        InPython::Forget();
      },
      "Forgets the runs of the process that this one was forked from.");
  BindScenario(module);
  BindPlan(module);
  BindRandom(module);
  BindView(module);
  BindStrategy(module);
  BindBackend(module);
  BindDataset(module);
  BindRuns(module);
  BindKeptRuns(module);
  BindTables(module);
}
