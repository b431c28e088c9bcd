#include "device/node_key.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "data/sha256.h"

namespace airlot::device {
namespace {

constexpr const char* kCurve = "secp384r1";
constexpr const char* kHowToMake =
    "a node's key is one on P-384 in PEM: openssl ecparam -name secp384r1 -genkey -noout -out FILE "
    "makes one, and ssh-keygen -p -m PEM -f FILE turns one of OpenSSH into it";

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

// It would otherwise be asked for at the terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writes*/, void* /*data*/) { return 0; }

}  // namespace

void NodeKey::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

Result<NodeKey> NodeKey::Take(Pointer key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_PUBKEY(bio.get(), key.get()) != 1) {
    return Error{"the public key cannot be written"};
  }
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &text);
  return NodeKey(std::move(key), std::string(text, std::size_t(length)));
}

Result<NodeKey> NodeKey::Read(const std::string& path) {
  const Bio bio(BIO_new_file(path.c_str(), "r"));
  if (!bio) return Error{path + ": cannot open: " + std::strerror(errno)};
  Pointer key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  if (!key) return Error{path + ": is no private key without a password: " + kHowToMake};
  std::array<char, 64> curve{};
  if (EVP_PKEY_get_utf8_string_param(key.get(), OSSL_PKEY_PARAM_GROUP_NAME, curve.data(),
                                     curve.size(), nullptr) != 1 ||
      std::string_view(curve.data()) != kCurve) {
    return Error{path + ": is a key of another kind: " + kHowToMake};
  }
  return Take(std::move(key));
}

Result<NodeKey> NodeKey::Make() {
  Pointer key(EVP_EC_gen(kCurve));
  if (!key) return Error{"a key cannot be made"};
  return Take(std::move(key));
}

std::string NodeKey::Name() const {
  data::Sha256 sum;
  sum.Update({reinterpret_cast<const std::uint8_t*>(public_pem_.data()), public_pem_.size()});
  return sum.Hex();
}

Result<std::string> NodeKey::Sign(std::string_view text) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  std::size_t length = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::string signature;
  const bool is_signed =
      context &&
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
      EVP_DigestSign(context.get(), nullptr, &length, bytes, text.size()) == 1 &&
      (signature.resize(length),
       EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &length,
                      bytes, text.size()) == 1);
  if (!is_signed) return Error{"the node's key cannot sign"};
  signature.resize(length);
  return signature;
}

std::string Base64Of(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), int(bytes.size()));
  text.resize(std::size_t(length));
  return text;
}

}  // namespace airlot::device
