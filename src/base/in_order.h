// Texts are made by several threads and handed over in their order.
#ifndef AIRLOT_BASE_IN_ORDER_H_
#define AIRLOT_BASE_IN_ORDER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace airlot::base {

// Calls make(task, text) for every task of [0, count) on at most `threads` threads, and
// take(task, text) for the same in the order of the tasks, one at a time. `make` finds in `text`
// what an earlier task left there. There are never more than a few texts for each thread. The first
// exception of either is thrown here.
void ForEachInOrder(std::size_t count, int threads,
                    const std::function<void(std::size_t task, std::string& text)>& make,
                    const std::function<void(std::size_t task, std::string_view text)>& take);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_IN_ORDER_H_
