#include "scenario.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>

#include "arrays.h"
#include "background.h"
#include "bindings.h"

namespace airlot::python {
namespace {

constexpr std::string_view kOrigin = "Scenario:";

bool IsBuiltIn(const std::string& name) {
  const auto all = BuiltInScenarios();
  return std::ranges::find(all, name, &BuiltInScenario::name) != all.end();
}

NamedScenario Read(const std::string& name_or_path, std::vector<std::string> overrides) {
  const auto reading = ReadingRegistry();
  NamedScenario named{
      .scenario = WithAbsolutePaths(ValueOf(ReadScenario(name_or_path, overrides, kOrigin)))};
  if (!IsBuiltIn(name_or_path)) named.file = name_or_path;
  named.overrides = std::move(overrides);
  return named;
}

NamedScenario Parse(const std::string& text, const std::string& origin,
                    const std::vector<std::string>& overrides) {
  const auto reading = ReadingRegistry();
  return {.scenario = ValueOf(ParseScenario(text, origin, overrides, kOrigin))};
}

py::list Keys() {
  const auto reading = ReadingRegistry();
  py::list keys;
  for (const ScenarioKey& key : ScenarioKeys()) {
    keys.append(py::make_tuple(std::string(key.name), key.default_value, std::string(key.summary)));
  }
  return keys;
}

py::list Names() {
  py::list names;
  for (const BuiltInScenario& scenario : BuiltInScenarios()) {
    names.append(py::make_tuple(std::string(scenario.name), std::string(scenario.summary)));
  }
  return names;
}

}  // namespace

void BindScenario(py::module_& module) {
  py::class_<NamedScenario> bound(module, "Scenario", "A scenario that was read.");
  RefuseNew(bound);
  bound.def_static("read", &Read, py::arg("name_or_path"), py::arg("overrides"))
      .def_static("parse", &Parse, py::arg("text"), py::arg("origin"), py::arg("overrides"))
      .def("to_toml",
           [](const NamedScenario& named) {
             const auto reading = ReadingRegistry();
             return FormatScenario(named.scenario);
           })
      .def(
          "equals",
          [](const NamedScenario& named, const NamedScenario& other) {
            return named.scenario == other.scenario;
          },
          py::arg("other"))
      .def_property_readonly("name", [](const NamedScenario& named) { return named.scenario.name; })
      .def_property_readonly("rounds",
                             [](const NamedScenario& named) { return named.scenario.rounds; })
      .def_property_readonly("first_strategy", [](const NamedScenario& named) {
        return named.scenario.first_strategy;
      });
  module.def("scenario_keys", &Keys, "Returns name, default and summary of every key.");
  module.def("scenario_names", &Names, "Returns name and summary of every built-in scenario.");
}

}  // namespace airlot::python
