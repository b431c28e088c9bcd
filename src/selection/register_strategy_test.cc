// These tests register strategies from outside.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "airlot/strategy_parts.h"
#include "selection/small_cell_for_tests.h"

namespace airlot {
namespace {

// This strategy takes the first devices that can take part, each in its part of the band.
class First : public Strategy {
 public:
  explicit First(const OptionValues& options) : count_(std::size_t(options["devices"])) {}
  void Select(const SelectionView& view, Selection& selection) override {
    able_.Update(view);
    for (const std::uint32_t device : able_.devices()) {
      if (selection.devices.size() < count_) selection.devices.push_back(device);
    }
    ShareBandEqually(view, selection);
  }

 private:
  std::size_t count_;
  AbleDevices able_;
};

StrategyEntry FirstEntry(std::string name) {
  return {.name = std::move(name),
          .summary = "The first devices.",
          .options = {DevicesOption(2)},
          .make = ConstructStrategy<First>};
}

std::string ErrorOf(StrategyEntry entry) {
  const std::size_t before = Strategies().size();
  const Status status = RegisterStrategy(std::move(entry));
  EXPECT_EQ(Strategies().size(), before + (status ? 1 : 0));
  return status ? "" : status.error().message;
}

TEST(RegisterStrategy, MakesItKnownByName) {
  const StrategyOptions made_before;
  const StrategyEntry* const uniform = FindStrategy("uniform");
  {
    std::string name = "first-of-";
    name += "all";  // The entry owns its texts, because this one is gone when they are asked for.
    ASSERT_EQ(ErrorOf(FirstEntry(name)), "");
  }
  EXPECT_EQ(FindStrategy("uniform"), uniform);  // entries stay where they are
  ASSERT_EQ(FindStrategy("first-of-all"), &Strategies().back());
  EXPECT_EQ(Strategies().back().summary, "The first devices.");

  selection::SmallCell cell({1, 1, 1, 1});
  cell.probability[0] = 0;
  using Devices = std::vector<std::uint32_t>;
  EXPECT_EQ(cell.Select(*MakeStrategy("first-of-all", made_before)).devices, (Devices{1, 2}));
  StrategyOptions one = made_before;
  one.At("first-of-all", "devices") = 1;
  EXPECT_EQ(cell.Select(*MakeStrategy("first-of-all", one)).devices, Devices{1});
}

TEST(RegisterStrategy, RefusesNamesThatAreTakenOrNoWords) {
  ASSERT_EQ(ErrorOf(FirstEntry("twice")), "");
  EXPECT_NE(ErrorOf(FirstEntry("twice")).find("twice"), std::string::npos);
  EXPECT_NE(ErrorOf(FirstEntry("uniform")).find("uniform"), std::string::npos);
  for (const char* name :
       {"", "every", "budget", "first", "Upper", "9th", "-x", "a b", "a.b", "../x", "a_b", "ä"}) {
    EXPECT_NE(ErrorOf(FirstEntry(name)), "") << name;
  }
}

TEST(RegisterStrategy, RefusesOptionsThatCannotBeKeys) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto error_of = [](StrategyOption option) {
    StrategyEntry entry = FirstEntry("odd");
    entry.options.push_back(std::move(option));
    return ErrorOf(entry);
  };
  EXPECT_NE(error_of({.name = "a.b"}).find("a.b"), std::string::npos);
  EXPECT_NE(error_of({.name = ""}), "");
  // The entry has the option "devices" already.
  EXPECT_NE(error_of({.name = "devices"}).find("devices"), std::string::npos);
  EXPECT_NE(error_of({.name = "k", .value = 3, .low = 0, .high = 2}).find("value = 3"),
            std::string::npos);
  EXPECT_NE(error_of({.name = "k", .value = kNan, .low = 0, .high = 2}), "");
  EXPECT_NE(error_of({.name = "k", .value = 1, .low = 0, .high = kInfinity}), "");
  EXPECT_NE(error_of({.name = "k", .value = 0.5, .low = 0, .high = 2, .is_whole = true}), "");
  StrategyEntry without_maker = FirstEntry("odd");
  without_maker.make = nullptr;
  EXPECT_NE(ErrorOf(without_maker).find("make"), std::string::npos);
  EXPECT_EQ(FindStrategy("odd"), nullptr);
}

TEST(StrategyOptions, AreEqualByTheirValues) {
  StrategyOptions set, other;
  const StrategyOptions none;
  set.At("uniform", "devices") = 30;  // the value that the option has anyway
  EXPECT_EQ(set, none);
  EXPECT_EQ(none, set);
  other.At("uniform", "devices") = 31;
  EXPECT_NE(other, none);
  EXPECT_NE(none, other);
  EXPECT_NE(set, other);
}

}  // namespace
}  // namespace airlot
