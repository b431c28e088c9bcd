#include "data/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <new>

#include "base/check.h"

namespace airlot::data {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

// libcrypto always has SHA-256, so that it can only have lacked memory.
Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
    throw std::bad_alloc();
  }
}

void Sha256::Update(std::span<const std::uint8_t> bytes) {
  AIRLOT_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1,
               "{} bytes were not hashed", bytes.size());
}

std::string Sha256::Hex() {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  AIRLOT_CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1,
               "libcrypto gave no digest");
  return fmt::format("{:02x}", fmt::join(digest.data(), digest.data() + size, ""));
}

}  // namespace airlot::data
