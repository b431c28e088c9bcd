#include "data/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace airlot::data {
namespace {

std::span<const std::uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// These are the examples of FIPS 180-2, appendix B.
TEST(Sha256Test, StandardExamples) {
  Sha256 abc;
  abc.Update(Bytes("abc"));
  EXPECT_EQ(abc.Hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256().Hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, InParts) {
  Sha256 parts;
  const std::string part(1000, 'a');
  for (int i = 0; i < 1000; ++i) parts.Update(Bytes(part));
  EXPECT_EQ(parts.Hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace airlot::data
