// SHA-256, by which a data set is known to be the right one.
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
  // 64 hexadecimal digits. At most once, at the end.
  std::string Hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace airlot::data

#endif  // AIRLOT_DATA_SHA256_H_
