// This header has what the library needs of random numbers beside airlot/random.h.
#ifndef AIRLOT_BASE_RANDOM_H_
#define AIRLOT_BASE_RANDOM_H_

#include <array>
#include <cstdint>
#include <span>

#include "airlot/random.h"

namespace airlot::base {

using airlot::RandomStream;

// A purpose says what a stream is for by a number of its own. Each layer names its purposes, the
// fleet from 1, benchmarks and tests from 900. They are part of every result, so new ones are added
// and none is ever renumbered.
using Purpose = RandomPurpose;

// Returns four words of a stream at once: what NextBits() gives after 4·block calls.
std::array<std::uint64_t, 4> StreamBlock(std::uint64_t seed, Purpose purpose, std::uint64_t round,
                                         std::uint64_t device, std::uint64_t block);

// Draws one word for each of the devices first_device, first_device + 1, ..., in a tenth of the
// time that a stream of each would take: word device % 4 of the first block of stream device / 4. A
// purpose has either these or streams.
void DeviceBits(std::uint64_t seed, Purpose purpose, std::uint64_t round,
                std::uint64_t first_device, std::span<std::uint64_t> bits);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_RANDOM_H_
