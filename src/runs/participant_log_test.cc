// Logs of participants are taken up where a checkpoint stands, and have the same bytes in the end.
#include "runs/participant_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/byte_reader.h"
#include "runs/run_directory_for_tests.h"

namespace airlot::runs {
namespace {

constexpr std::string_view kHeader =
    "round,id,power_w,bandwidth_hz,cpu_share,update_bits,upload_s,compute_s,energy_j,arrived\n";

class ParticipantLogTest : public RunDirectoryTest {
 protected:
  ParticipantLogTest() {
    setting_.fleet.devices = 2;
    setting_.fleet.ids.Append("plain");
    setting_.fleet.ids.Append("a \"b\", c");
  }

  // In every round both devices take part, on terms of that round.
  void Add(ParticipantLog& log, std::uint64_t first, std::uint64_t last) const {
    for (std::uint64_t round = first; round <= last; ++round) {
      const std::vector<ParticipationRecord> records{{.device = 0,
                                                      .power_w = 0.1 * double(round),
                                                      .bandwidth_hz = 1e6,
                                                      .update_bits = 32,
                                                      .upload_s = 0.25,
                                                      .energy_j = 1.0 / 3},
                                                     {.device = 1,
                                                      .power_w = 0.2,
                                                      .bandwidth_hz = 2e6,
                                                      .cpu_share = 0.5,
                                                      .update_bits = 64,
                                                      .upload_s = 1e-7,
                                                      .compute_s = 2,
                                                      .energy_j = 5,
                                                      .has_arrived = false}};
      log.Add(setting_, round, records);
    }
  }

  std::string Whole() const {
    auto reader = data::ByteReader::Open(folder_ + "/participants.csv.gz");
    EXPECT_TRUE(reader.ok()) << reader.error().message;
    std::vector<std::uint8_t> bytes(1 << 20);
    bytes.resize(*reader->Read(bytes));
    return {bytes.begin(), bytes.end()};
  }
  std::string Partial() const { return Text(folder_ + "/participants.csv.partial"); }

  Setting setting_;
};

TEST_F(ParticipantLogTest, HasARowForEachParticipation) {
  ParticipantLog log(folder_);
  Add(log, 1, 1);
  ASSERT_TRUE(log.Complete().ok());
  EXPECT_EQ(Whole(), std::string(kHeader) +
                         "1,plain,0.1,1e+06,1,32,0.25,0,0.3333333333333333,1\n"
                         "1,\"a \"\"b\"\", c\",0.2,2e+06,0.5,64,1e-07,2,5,0\n");
  EXPECT_FALSE(fs::exists(folder_ + "/participants.csv.partial"));
}

TEST_F(ParticipantLogTest, HasTheSameBytesWheneverItIsSavedAndTakenUp) {
  ParticipantLog at_once(folder_);
  Add(at_once, 1, 40);
  ASSERT_TRUE(at_once.Complete().ok());
  const std::string wanted = Text(folder_ + "/participants.csv.gz");
  ASSERT_FALSE(wanted.empty());
  {
    ParticipantLog log(folder_);
    Add(log, 1, 10);
    ASSERT_TRUE(log.Save().ok());  // A checkpoint of round 10 follows.
    Add(log, 11, 13);
    ASSERT_TRUE(log.Save().ok());  // Here the run is killed.
  }
  {
    ParticipantLog log(folder_);
    ASSERT_TRUE(*log.GoOn(20));
    Add(log, 11, 12);
    ASSERT_TRUE(log.Save().ok());
    EXPECT_EQ(std::ranges::count(Partial(), '\n'), 1 + 24);
    Add(log, 13, 20);
    ASSERT_TRUE(log.Save().ok());
  }
  ParticipantLog log(folder_);
  ASSERT_TRUE(*log.GoOn(40));
  Add(log, 21, 40);
  ASSERT_TRUE(log.Complete().ok());
  EXPECT_EQ(Text(folder_ + "/participants.csv.gz"), wanted);
}

TEST_F(ParticipantLogTest, KnowsWhatIsMissing) {
  ParticipantLog log(folder_);
  EXPECT_TRUE(*log.GoOn(0));
  EXPECT_FALSE(*log.GoOn(1));
  Add(log, 1, 2);
  ASSERT_TRUE(log.Save().ok());
  const std::string partial = folder_ + "/participants.csv.partial";
  EXPECT_TRUE(*ParticipantLog(folder_).GoOn(4));
  EXPECT_EQ(ParticipantLog(folder_).GoOn(5).error().message,
            partial +
                ": has 4 rows, and the checkpoint beside it counts 5 participations: go on "
                "without this log, or start the run anew");
  // The last row is cut off.
  Put(partial, Partial().substr(0, Partial().size() - 1));
  EXPECT_FALSE(ParticipantLog(folder_).GoOn(4).ok());
  EXPECT_TRUE(*ParticipantLog(folder_).GoOn(3));
  Put(partial, "");
  EXPECT_FALSE(ParticipantLog(folder_).GoOn(1).ok());
  // The file is shorter than what the log has written to it.
  EXPECT_EQ(log.Complete().error().message.find(partial + ": lacks "), 0u);
  EXPECT_FALSE(log.Save().ok());
  EXPECT_FALSE(fs::exists(folder_ + "/participants.csv.gz"));
}

TEST_F(ParticipantLogTest, IsSavedBeforeItIsLargeInMemory) {
  ParticipantLog log(folder_);
  EXPECT_FALSE(log.IsLarge());
  std::uint64_t round = 1;
  for (; !log.IsLarge() && round < 200000; ++round) Add(log, round, round);
  ASSERT_TRUE(log.IsLarge());
  ASSERT_TRUE(log.Save().ok());
  EXPECT_FALSE(log.IsLarge());
  EXPECT_EQ(fs::file_size(folder_ + "/participants.csv.partial"), Partial().size());
  RemoveParticipantLog(folder_);
  EXPECT_FALSE(fs::exists(folder_ + "/participants.csv.partial"));
}

}  // namespace
}  // namespace airlot::runs
