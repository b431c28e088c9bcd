// Tests of parsers use this header: it makes bytes that are nearly what a parser expects, the same
// ones in every run.
#ifndef AIRLOT_BASE_MUTATIONS_FOR_TESTS_H_
#define AIRLOT_BASE_MUTATIONS_FOR_TESTS_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.h"

namespace airlot::base {

// Makes one to four changes: it flips bits, puts in bytes that mean something to a parser, leaves
// pieces out, repeats them or fills them in, and cuts ends off.
inline std::string Mutated(std::string bytes, RandomStream& stream) {
  using namespace std::string_view_literals;
  constexpr std::string_view kTelling = "\0\xff\x7f\x80\n\r\t ,\"'[]=.#-+e019\\\xc3\xef"sv;
  const std::uint64_t changes = 1 + stream.Below(4);
  for (std::uint64_t change = 0; change < changes && !bytes.empty(); ++change) {
    const std::size_t at = stream.Below(bytes.size());
    const std::size_t length = 1 + stream.Below(std::min<std::size_t>(bytes.size() - at, 24));
    const char telling = kTelling[stream.Below(kTelling.size())];
    switch (stream.Below(6)) {
      case 0:
        bytes[at] = char(bytes[at] ^ (1 << stream.Below(8)));
        break;
      case 1:
        bytes[at] = telling;
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 4:
        bytes.insert(at, length, telling);
        break;
      default:
        if (stream.Below(4) == 0) bytes.resize(at);
        break;
    }
  }
  return bytes;
}

// Returns where to write thousands of small files that are read at once: in memory, if the machine
// has such a place.
inline std::string FolderInMemory() {
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir();
}

// Calls `check` with so many mutations of `bytes`.
template <class Check>
void ForEachMutation(const std::string& bytes, std::size_t count, const Check& check) {
  RandomStream stream(1, Purpose{980}, 0, 0);
  for (std::size_t i = 0; i < count; ++i) check(Mutated(bytes, stream));
}

}  // namespace airlot::base

#endif  // AIRLOT_BASE_MUTATIONS_FOR_TESTS_H_
