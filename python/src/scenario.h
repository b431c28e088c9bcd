// A scenario as Python holds it.
#ifndef AIRLOT_PYTHON_SCENARIO_H_
#define AIRLOT_PYTHON_SCENARIO_H_

#include <airlot/scenario.h>

#include <optional>
#include <string>
#include <vector>

namespace airlot::python {

// A NamedScenario is a scenario with the file and the overrides that it came from, as manifests
// keep them.
struct NamedScenario {
  Scenario scenario;
  std::optional<std::string> file;
  std::optional<std::vector<std::string>> overrides;
};

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_SCENARIO_H_
