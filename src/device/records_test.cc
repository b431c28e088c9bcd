#include "device/records.h"

#include <gtest/gtest.h>

#include <map>

#include "device/flower_vectors_for_tests.h"
#include "device/objects.h"

namespace airlot::device {
namespace {

using Store = std::map<std::string, std::string>;

FetchObject From(const Store& store) {
  return [&](const std::string& id) -> Result<std::string> {
    const auto found = store.find(id);
    if (found == store.end()) return Error{"no such object"};
    return found->second;
  };
}

Store StoreOf(const Parcel& parcel) {
  Store store;
  for (const Parcel::Part& part : parcel.parts) store[part.id] = part.bytes;
  return store;
}

fleet_api::ObjectTree Root(const std::string& id) {
  fleet_api::ObjectTree tree;
  tree.set_object_id(id);
  return tree;
}

Records SomeRecords() {
  Records records;
  records.arrays["arrays"] = {{"z", {2, 2}, {1, 2, 3, 4}}, {"a", {}, {5}}, {"empty", {0}, {}}};
  records.metrics["metrics"] = {{"loss", 0.5}, {"num-examples", std::int64_t(12)}};
  records.configs["airlot"] = {{"token", std::string("t")},
                               {"is", true},
                               {"labels", std::vector<std::int64_t>{1, 2}},
                               {"rates", std::vector<double>{0.25}}};
  return records;
}

std::string Bytes(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += char(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

TEST(Records, ComeBackAsTheyWere) {
  const Parcel parcel = Pack({}, SomeRecords());
  const auto records = Unpack(parcel.tree, 5, From(StoreOf(parcel)));
  ASSERT_TRUE(records.ok()) << records.error().message;
  ASSERT_EQ(records->arrays.size(), 1U);
  const auto& arrays = records->arrays.at("arrays");
  ASSERT_EQ(arrays.size(), 3U);
  EXPECT_EQ(arrays[0].name, "z");  // The order is the sender's.
  EXPECT_EQ(arrays[0].shape, (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(arrays[0].values, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(arrays[1].values, (std::vector<float>{5}));
  EXPECT_TRUE(arrays[1].shape.empty());
  EXPECT_TRUE(arrays[2].values.empty());
  EXPECT_EQ(records->metrics, SomeRecords().metrics);
  EXPECT_EQ(records->configs, SomeRecords().configs);
}

TEST(Records, OfFlowerAreRead) {
  Store store;
  for (const FlowerObject& object : kFlowerMessage) {
    store[object.id] = Bytes(object.bytes);
    EXPECT_EQ(ObjectId(store[object.id]), object.id);
  }
  const std::string root = kFlowerMessage[std::size(kFlowerMessage) - 1].id;
  const auto records = Unpack(Root(root), 8, From(store));
  ASSERT_TRUE(records.ok()) << records.error().message;
  const auto& arrays = records->arrays.at("arrays");
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0].values, (std::vector<float>{0, 0.25, 0.5, 0.75, 1, 1.25}));
  EXPECT_EQ(arrays[1].values, (std::vector<float>{0.5, -2}));  // They were of float64.
  const Values& config = records->configs.at("config");
  EXPECT_EQ(config.at("server-round"), Value(std::int64_t(7)));
  EXPECT_EQ(config.at("airlot.token"), Value(std::string("abc")));
  EXPECT_EQ(config.at("airlot.power_w"), Value(0.125));
  EXPECT_EQ(config.at("flag"), Value(true));
  EXPECT_EQ(config.at("list"), Value(std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(records->metrics.at("metrics").at("all"), Value(std::vector<double>{0.5, 1.5}));
}

TEST(Records, PartsComeBeforeWhatHoldsThem) {
  Records records;
  records.arrays["arrays"] = {{"a", {2}, {1, 2}}, {"b", {2}, {1, 2}}};  // one object for both
  const Parcel parcel = Pack({}, std::move(records));
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < parcel.parts.size(); ++i) {
    const auto object = ParseObject(std::string_view(parcel.parts[i].bytes));
    ASSERT_TRUE(object.ok());
    for (const std::string& child : object->children) EXPECT_LT(places.at(child), i);
    EXPECT_TRUE(places.emplace(parcel.parts[i].id, i).second);
  }
  EXPECT_EQ(parcel.parts.size(), 5U);  // a chunk, an array, a record, the content, the message
  EXPECT_EQ(parcel.parts.back().id, parcel.tree.object_id());
  EXPECT_EQ(parcel.message.metadata().message_id(), parcel.tree.object_id());
}

TEST(Records, LargeArraysAreCut) {
  Records records;
  const std::size_t count = 3 << 20;  // 12 MiB, of which two chunks are the same
  records.arrays["arrays"] = {{"w", {count}, std::vector<float>(count, 1)}};
  const Parcel parcel = Pack({}, std::move(records));
  EXPECT_EQ(parcel.parts.size(), 3U + 4U);
  const auto again = Unpack(parcel.tree, count, From(StoreOf(parcel)));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->arrays.at("arrays")[0].values, std::vector<float>(count, 1));
}

TEST(Records, AFailureHasNoContent) {
  const Parcel parcel = PackFailure({}, "why");
  EXPECT_EQ(parcel.message.error().reason(), "why");
  EXPECT_FALSE(parcel.message.has_content());
  EXPECT_FALSE(Unpack(parcel.tree, 1, From(StoreOf(parcel))).ok());
}

TEST(Records, MoreNumbersThanTheModelHasAreNotFetched) {
  const Parcel parcel = Pack({}, SomeRecords());
  std::size_t chunks = 0;
  const Store store = StoreOf(parcel);
  const auto records = Unpack(parcel.tree, 3, [&](const std::string& id) {
    chunks += store.at(id).starts_with("ArrayChunk ");
    return From(store)(id);
  });
  ASSERT_FALSE(records.ok());
  EXPECT_EQ(records.error().message, "the array \"z\": there are more numbers than the model has");
  EXPECT_EQ(chunks, 0U);
}

TEST(Records, AnotherObjectThanItsNameSaysIsRefused) {
  const Parcel parcel = Pack({}, SomeRecords());
  for (const Parcel::Part& part : parcel.parts) {
    Store store = StoreOf(parcel);
    store[part.id].back() ^= 1;
    const auto records = Unpack(parcel.tree, 5, From(store));
    ASSERT_FALSE(records.ok()) << part.id;
    EXPECT_EQ(records.error().message, "an object is not the one that its name says");
    store.erase(part.id);
    EXPECT_EQ(Unpack(parcel.tree, 5, From(store)).error().message, "no such object");
  }
}

// A sender may also give the right names to wrong objects.
class Forged {
 public:
  std::string Add(const std::string& type, const std::vector<std::string>& children,
                  const std::string& body) {
    const std::string bytes = EncodeObject({type, children, body});
    const std::string id = ObjectId(bytes);
    store_[id] = bytes;
    return id;
  }
  std::string AddArray(const std::string& described, const std::string& data) {
    const std::string chunk = Add("ArrayChunk", {}, data);
    return Add("Array", {chunk}, described);
  }
  Result<Records> UnpackRecord(const std::string& record) {
    const std::string content = Add("RecordDict", {record}, "{\"arrays\": \"" + record + "\"}");
    return Unpack(Root(Add("Message", {content}, "")), 100, From(store_));
  }
  std::string ErrorOfArray(const std::string& described, const std::string& data) {
    const std::string array = AddArray(described, data);
    const auto records = UnpackRecord(Add("ArrayRecord", {array}, "{\"w\": \"" + array + "\"}"));
    return records.ok() ? "" : records.error().message;
  }

 private:
  Store store_;
};

TEST(Records, ForgedArraysAreRefused) {
  Forged forged;
  const std::string head = base::EncodeNpyHeader("<f4", std::vector<std::size_t>{2});
  const std::string good =
      R"({"dtype": "float32", "shape": [2], "stype": "numpy.ndarray", "arraychunk_ids": [0]})";
  EXPECT_EQ(forged.ErrorOfArray(good, head + std::string(8, '\0')), "");
  const std::string unread = "the array \"w\": its description cannot be read";
  for (
      const char* described :
      {"", "[]", "{", "{}", R"({"stype": 3, "shape": [2], "arraychunk_ids": [0]})",
       R"({"stype": "numpy.ndarray", "shape": [-2], "arraychunk_ids": [0]})",
       R"({"stype": "numpy.ndarray", "shape": 2, "arraychunk_ids": [0]})",
       R"({"stype": "numpy.ndarray", "shape": [4294967296, 4294967296, 4294967296], "arraychunk_ids": [0]})",
       R"({"stype": "numpy.ndarray", "shape": [2], "arraychunk_ids": 0})"}) {
    EXPECT_EQ(forged.ErrorOfArray(described, head + std::string(8, '\0')), unread) << described;
  }
  EXPECT_EQ(forged.ErrorOfArray(
                R"({"stype": "numpy.ndarray", "shape": [2], "arraychunk_ids": [1]})", head),
            "the array \"w\": a chunk is missing");
  EXPECT_EQ(forged.ErrorOfArray(good, head + std::string(7, '\0')),
            "the array \"w\": has not as many numbers as its shape says");
  EXPECT_EQ(forged.ErrorOfArray(good, head + std::string(1 << 20, '\0')),
            "the array \"w\": has more bytes than its shape says");
  EXPECT_NE(forged.ErrorOfArray(good, "no array"), "");
  EXPECT_NE(forged.ErrorOfArray(good, head + std::string(8, '\xff')), "");  // not a number
  EXPECT_NE(forged.ErrorOfArray(good, base::EncodeNpyHeader("<i4", std::vector<std::size_t>{2}) +
                                          std::string(8, 1)),
            "");
}

// The legacy API leaves type and shape out of the description.
TEST(Records, ArraysOfTheLegacyApiAreRead) {
  Forged forged;
  const std::string described =
      R"({"dtype": "", "shape": [], "stype": "numpy.ndarray", "arraychunk_ids": [0]})";
  const auto array = [&](std::size_t rows) {
    return forged.AddArray(described,
                           base::EncodeNpyHeader("<f4", std::vector<std::size_t>{rows, 3}) +
                               std::string(rows * 12, '\0'));
  };
  const auto unpack = [&](std::size_t rows) {
    const std::string first = array(rows), second = array(1);
    return forged.UnpackRecord(forged.Add("ArrayRecord", {first, second},
                                          "{\"0\": \"" + first + "\", \"1\": \"" + second + "\"}"));
  };
  const auto records = unpack(32);  // 96 and 3 numbers, of 100
  ASSERT_TRUE(records.ok()) << records.error().message;
  EXPECT_EQ(records->arrays.at("arrays")[0].shape, (std::vector<std::size_t>{32, 3}));
  EXPECT_EQ(unpack(33).error().message,
            "the array \"1\": there are more numbers than the model has");
  EXPECT_EQ(unpack(34).error().message,
            "the array \"0\": there are more numbers than the model has");
  EXPECT_EQ(unpack(1 << 20).error().message, "the array \"0\": has more bytes than its shape says");
}

TEST(Records, ForgedRecordsAreRefused) {
  Forged forged;
  EXPECT_EQ(forged.UnpackRecord(forged.Add("Array", {}, "{}")).error().message,
            "the record \"arrays\" is of an unknown type");
  EXPECT_EQ(forged.UnpackRecord(forged.Add("ConfigRecord", {}, "\xff\xff")).error().message,
            "the record \"arrays\" cannot be read");
  EXPECT_EQ(forged.UnpackRecord(forged.Add("ArrayRecord", {}, "[1]")).error().message,
            "a ArrayRecord has no names");
}

TEST(Objects, OfNoUseAreRefused) {
  const std::string id(64, 'a');
  const std::string body = "body";
  const std::string good = "Array " + id + "," + id + " 4" + std::string(1, '\0') + body;
  const auto object = ParseObject(std::string_view(good));
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(object->type, "Array");
  EXPECT_EQ(object->children, (std::vector<std::string>{id, id}));
  EXPECT_EQ(object->body, body);
  EXPECT_EQ(EncodeObject(*object), good);
  for (const std::string& bad :
       {std::string(), std::string("Array  4"), std::string("Array 4\0body", 12),
        std::string("Array  5\0body", 13), std::string("Array  -4\0body", 14),
        std::string("Array  4x\0body", 14), std::string("Array  \0body", 12),
        std::string("Array abc 4\0body", 16), std::string("Array ,, 4\0body", 15)}) {
    EXPECT_FALSE(ParseObject(std::string_view(bad)).ok()) << bad;
  }
  for (std::size_t i = 0; i < good.size();
       ++i) {  // Nothing of what a change makes of it is harmful.
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = good;
      changed[i] = char(changed[i] ^ (1 << bit));
      const auto parsed = ParseObject(std::string_view(changed));
      EXPECT_TRUE(!parsed || EncodeObject(*parsed) == changed);
    }
  }
}

}  // namespace
}  // namespace airlot::device
