// ScratchFolder gives each test a folder of its own; Idx and Gzip make what to put into it.
#ifndef AIRLOT_DATA_SCRATCH_FOLDER_FOR_TESTS_H_
#define AIRLOT_DATA_SCRATCH_FOLDER_FOR_TESTS_H_

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>

namespace airlot::data {

class ScratchFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("airlot_data_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }

  std::string Write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }

  static std::string Text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Returns the names of all files and folders in `folder`.
  std::set<std::string> Names(const std::string& folder = "") const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(Path(folder))) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  std::filesystem::path folder_;
};

// Returns the bytes of an IDX file of unsigned bytes, or of another `type`.
inline std::string Idx(std::initializer_list<std::uint32_t> dimensions, const std::string& values,
                       char type = 8) {
  std::string bytes{0, 0, type, char(dimensions.size())};
  for (const std::uint32_t dimension : dimensions) {
    for (const int shift : {24, 16, 8, 0}) bytes += char(dimension >> shift & 0xff);
  }
  return bytes + values;
}

// Returns the bytes, compressed as gzip does it.
inline std::string Gzip(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, uLong(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Returns a tar header with the sum of its bytes, where those of the sum itself count as spaces.
inline std::string WithTarChecksum(std::string header) {
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : header) sum += std::uint8_t(c);
  char checksum[8];
  std::snprintf(checksum, sizeof checksum, "%06o", sum);
  return header.replace(148, 7, checksum, 7);
}

// Returns one member of a tar archive.
inline std::string TarMember(const std::string& name, const std::string& bytes, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 8, "0000644 ");
  char size[13];
  std::snprintf(size, sizeof size, "%011zo ", bytes.size());
  header.replace(124, 12, size);
  header[156] = type;
  return WithTarChecksum(header) + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

}  // namespace airlot::data

#endif  // AIRLOT_DATA_SCRATCH_FOLDER_FOR_TESTS_H_
