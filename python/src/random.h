// Random numbers as Python holds them.
#ifndef AIRLOT_PYTHON_RANDOM_H_
#define AIRLOT_PYTHON_RANDOM_H_

#include <airlot/random.h>

#include <optional>

#include "arguments.h"

namespace airlot::python {

// A HeldStream has random numbers, or none where it was made by no constructor.
class HeldStream : public Zeroed {
 public:
  explicit HeldStream(RandomStream stream) : stream_(stream) {}
  RandomStream& operator*() {
    if (!stream_) throw Failure("RandomStream: is made of seed, purpose, round and device");
    return *stream_;
  }
  RandomStream* operator->() { return &**this; }

 private:
  std::optional<RandomStream> stream_;
};

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_RANDOM_H_
