#include "airlot/state_part.h"

#include <gtest/gtest.h>

namespace airlot {
namespace {

class Numbers : public StatePart {
 public:
  std::vector<double> values;

  std::string_view name() const override { return "numbers"; }
  void Save(ByteWriter& bytes) const override { bytes.Put(values); }
  void Load(ByteReader& bytes) override { bytes.Take(values); }
  Status Check(const RunSizes& sizes) const override {
    return CheckNoneOr(sizes.devices, values.size(), "values");
  }
  std::vector<DeviceColumn> DeviceColumns(std::uint64_t rounds) const override {
    return {{"rounds", {double(rounds), std::nullopt}}};
  }
};

class Other : public Numbers {
 public:
  std::string_view name() const override { return "other"; }
};

std::string BytesOf(const std::vector<double>& values) {
  ByteWriter writer;
  writer.Put(values);
  return writer.bytes();
}

TEST(StateParts, AreFoundByTypeAndStayWhereTheyAre) {
  StateParts parts;
  EXPECT_EQ(parts.Find<Numbers>(), nullptr);
  Numbers& numbers = parts.Get<Numbers>();
  numbers.values = {1};
  EXPECT_EQ(&parts.Get<Numbers>(), &numbers);
  const StateParts moved = std::move(parts);
  EXPECT_EQ(moved.Find<Numbers>(), &numbers);
  EXPECT_EQ(moved.all().size(), 1u);
}

TEST(StateParts, LoadWhatWasSavedUnderTheirNames) {
  StateParts saved, parts;
  ASSERT_TRUE(saved.AddSaved("numbers", BytesOf({3, 4})));
  EXPECT_FALSE(saved.AddSaved("numbers", ""));
  parts.Get<Numbers>();
  ASSERT_TRUE(parts.LoadFrom(saved, {.devices = 2}));
  EXPECT_EQ(parts.Get<Numbers>().values, (std::vector<double>{3, 4}));
}

TEST(StateParts, SayWhatIsMissingLeftOverOrWrong) {
  const auto error_of = [](std::string_view name, const std::string& bytes, std::size_t devices) {
    StateParts saved, parts;
    EXPECT_TRUE(saved.AddSaved(std::string(name), bytes));
    parts.Get<Numbers>();
    const Status status = parts.LoadFrom(saved, {.devices = devices});
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(error_of("numbers", BytesOf({3, 4}), 2), "");
  EXPECT_EQ(error_of("numbers", BytesOf({3, 4}), 3),
            "state part numbers: values: 2 values, 3 are needed");
  EXPECT_EQ(error_of("numbers", BytesOf({3, 4}) + "x", 2),
            "state part numbers: its sizes do not add up");
  EXPECT_EQ(error_of("numbers", "", 2), "state part numbers: its sizes do not add up");
  EXPECT_EQ(error_of("other", BytesOf({3, 4}), 2), "state part numbers is missing");
  StateParts saved, none;
  ASSERT_TRUE(saved.AddSaved("other", ""));
  EXPECT_EQ(none.LoadFrom(saved, {}).error().message,
            "state part other is of no feature of this run");
}

TEST(StateParts, LoadOneInPlaceOfItsBytes) {
  StateParts parts;
  ASSERT_TRUE(parts.AddSaved("numbers", BytesOf({3})));
  // The other part has no bytes.
  EXPECT_TRUE(parts.LoadSaved(std::make_unique<Other>(), {.devices = 1}));
  EXPECT_EQ(parts.Find<Numbers>(), nullptr);
  EXPECT_FALSE(parts.LoadSaved(std::make_unique<Numbers>(), {.devices = 2}));
  ASSERT_TRUE(parts.LoadSaved(std::make_unique<Numbers>(), {.devices = 1}));
  ASSERT_NE(parts.Find<Numbers>(), nullptr);
  EXPECT_EQ(parts.Find<Numbers>()->values, std::vector<double>{3});
  const auto columns = parts.all().front()->DeviceColumns(5);
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_EQ(columns[0].name, "rounds");
  EXPECT_EQ(columns[0].values, (std::vector<std::optional<double>>{5, std::nullopt}));
}

}  // namespace
}  // namespace airlot
