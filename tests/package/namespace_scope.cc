// These scenarios and registrations stand at namespace scope, in a program that is linked
// statically: nothing of the library may rely on having been initialised before them.
#include <airlot/scenario.h>
#include <airlot/selection.h>

#include <cstdio>
#include <memory>

namespace {

class Nobody : public airlot::Strategy {
 public:
  explicit Nobody(const airlot::OptionValues&) {}
  void Select(const airlot::SelectionView&, airlot::Selection&) override {}
};

const airlot::Scenario kMade;
const auto kRead = airlot::ReadScenario("paper-highly-biased");
const std::size_t kBuiltIn = airlot::Strategies().size();
const airlot::Status kRegistered =
    airlot::RegisterStrategy({.name = "nobody",
                              .summary = "Nobody.",
                              .options = {},
                              .make = airlot::ConstructStrategy<Nobody>});

}  // namespace

int main() {
  const auto expect = [](bool holds, const char* what) {
    if (!holds) std::fprintf(stderr, "not so: %s\n", what);
    return holds;
  };
  bool is_right = expect(kRead.ok() && kRead->rounds == 700, "a scenario is read before main");
  is_right &= expect(kMade.strategy.At("uniform", "devices") == 30, "a scenario has its options");
  is_right &= expect(kBuiltIn == 25, "all strategies are there before main");
  is_right &= expect(kRegistered.ok() && airlot::FindStrategy("nobody") != nullptr,
                     "a strategy is registered before main");
  for (const auto& entry : airlot::Strategies()) {
    is_right &= expect(!entry.name.empty() && airlot::MakeStrategy(entry.name) != nullptr,
                       "every strategy has a name and can be made");
  }
  return is_right ? 0 : 1;
}
