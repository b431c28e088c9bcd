// CSV files with errors of all kinds give rows of the header's width, or an error that says where
// it is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/csv.h"
#include "base/mutations_for_tests.h"
#include "base/text.h"

namespace airlot::base {
namespace {

TEST(CsvMutations, AreReadOrRefused) {
  const std::string path = FolderInMemory() + "/csv_mutations_" + std::to_string(getpid());
  std::size_t read = 0, refused = 0;
  ForEachMutation(
      "id,distance_m,\"name\"\r\n1,2.5,\"a, \"\"b\"\"\"\n\n 2 ,1e3,x\n3,-0.25,\"\"\n", 3000,
      [&](const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
        auto reader = CsvReader::Open(path);
        if (!reader) {
          ++refused;
          ASSERT_TRUE(reader.error().message.starts_with(path + ":")) << reader.error().message;
          return;
        }
        const std::size_t width = reader->header().size();
        ASSERT_GT(width, 0U);
        std::size_t rows = 0;
        while (true) {
          const auto more = reader->Next();
          if (!more) {
            ++refused;
            ASSERT_TRUE(more.error().message.starts_with(path + ":")) << more.error().message;
            return;
          }
          if (!*more) break;
          ASSERT_EQ(reader->fields().size(), width);
          ASSERT_LT(++rows, bytes.size());
        }
        ASSERT_EQ(reader->bytes_read(), bytes.size());
        ++read;
      });
  std::filesystem::remove(path);
  EXPECT_GT(read, 300U);
  EXPECT_GT(refused, 300U);
}

// Whatever is read as a number reads back from its shortest text.
TEST(NumberMutations, AreNumbersOrNot) {
  std::size_t numbers = 0;
  ForEachMutation("-1234.5678e-10", 20000, [&](const std::string& text) {
    const auto number = ParseNumber(text);
    if (!number || *number != *number) return;
    ++numbers;
    ASSERT_EQ(ParseNumber(FormatNumber(*number)), number) << text;
  });
  EXPECT_GT(numbers, 1000U);
}

}  // namespace
}  // namespace airlot::base
