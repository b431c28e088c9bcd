// CsvIds collects the ids of a CSV file that several threads read.
#ifndef AIRLOT_FLEET_CSV_IDS_H_
#define AIRLOT_FLEET_CSV_IDS_H_

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/fleet.h"
#include "airlot/result.h"
#include "base/csv_blocks.h"

namespace airlot::fleet {

// Fails where a text cannot be an id: "id is missing".
Status CheckId(std::string_view id);

// The ids of a block stand behind each other in a text of their own, until all are read.
class CsvIds {
 public:
  // Makes room for rows, while no thread takes ids.
  void Resize(std::size_t rows) { ends_.resize(rows); }
  // Appends the id of a row to the text of its block.
  void Take(std::size_t row, std::string_view id, std::string& text) {
    text += id;
    ends_[row] = text.size();
  }
  // Keeps the ids of a block, all of which are taken.
  void Keep(const base::CsvBlock& block, std::string text);
  // Returns the bytes of all texts that are kept.
  std::size_t bytes() const { return bytes_; }

  // Returns the ids of the first `rows` rows, and keeps none.
  DeviceIds Finish(std::size_t rows, int threads);

 private:
  struct Part {
    std::size_t first_row = 0, rows = 0;
    std::string text;
  };
  std::mutex mutex_;         // of the parts
  std::vector<Part> parts_;  // of the blocks in their order
  DeviceIds::Ends ends_;     // each in the text of its part
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_CSV_IDS_H_
