// A Team is several processes that compute one run together (docs/clusters.md).
#ifndef AIRLOT_TEAM_H_
#define AIRLOT_TEAM_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace airlot {

// The members of a team do the same things in the same order, each with all the data, and divide
// what takes long. Every member calls each of these functions, with sizes that agree; a call
// returns when this member has what it needs of the others. One thread of a member calls them.
class Team {
 public:
  virtual ~Team() = default;
  // Members have the numbers from 0 to size() - 1.
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;

  // Lets every member have `all`, which holds sizes[i] bytes of member i, one member after the
  // other: each brings its own, at their place.
  virtual void Gather(std::span<std::byte> all, std::span<const std::size_t> sizes) = 0;
  // Sends sent[i] numbers to each member i, which stand in `mine` one after the other, and receives
  // received[i] from it into `theirs`.
  virtual void Exchange(std::span<const float> mine, std::span<const std::size_t> sent,
                        std::span<float> theirs, std::span<const std::size_t> received) = 0;
  // Lets every member have the bytes of the first one.
  virtual void Broadcast(std::string& bytes) = 0;
  // Ends all members at once, where one of them cannot go on, and says why.
  [[noreturn]] virtual void Abort(std::string_view why) = 0;
};

}  // namespace airlot

#endif  // AIRLOT_TEAM_H_
