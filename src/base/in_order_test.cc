#include "base/in_order.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace airlot::base {
namespace {

TEST(InOrder, HandsOverInTheOrderOfTheTasks) {
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::size_t count : {0u, 1u, 7u, 500u}) {
      std::string text, expected;
      for (std::size_t i = 0; i < count; ++i) expected += std::to_string(i) + " ";
      ForEachInOrder(
          count, threads, [](std::size_t i, std::string& made) { made = std::to_string(i) + " "; },
          [&](std::size_t, std::string_view made) { text += made; });
      EXPECT_EQ(text, expected) << threads;
    }
  }
}

TEST(InOrder, ThrowsWhatATaskThrows) {
  for (const int threads : {1, 2, 3}) {
    for (const bool in_make : {true, false}) {
      const auto fail_at = [](std::size_t i, bool is_here) {
        if (i == 40 && is_here) throw std::runtime_error("no room");
      };
      EXPECT_THROW(ForEachInOrder(
                       100, threads, [&](std::size_t i, std::string&) { fail_at(i, in_make); },
                       [&](std::size_t i, std::string_view) { fail_at(i, !in_make); }),
                   std::runtime_error);
    }
  }
}

}  // namespace
}  // namespace airlot::base
