// A data set is known to be the right one by its SHA-256.
#ifndef AIRLOT_DATA_SHA256_H_
#define AIRLOT_DATA_SHA256_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace airlot::data {

class Sha256 {
 public:
  Sha256();
  void Update(std::span<const std::uint8_t> bytes);
  // Hex returns 64 hexadecimal digits. It may be called once, at the end.
  std::string Hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace airlot::data

#endif  // AIRLOT_DATA_SHA256_H_
