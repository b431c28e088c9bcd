// A NodeKey is who a node is for the SuperLink.
#ifndef AIRLOT_DEVICE_NODE_KEY_H_
#define AIRLOT_DEVICE_NODE_KEY_H_

#include <memory>
#include <string>
#include <string_view>

#include "airlot/result.h"

struct evp_pkey_st;

namespace airlot::device {

// It is a private key on the curve P-384.
class NodeKey {
 public:
  // Reads a PEM file, as `openssl ecparam -name secp384r1 -genkey` writes it.
  static Result<NodeKey> Read(const std::string& path);
  static Result<NodeKey> Make();

  // Returns the public key as the SuperLink knows it: PEM, SubjectPublicKeyInfo.
  const std::string& public_pem() const { return public_pem_; }
  // Returns the SHA-256 of that, which names the device in books.
  std::string Name() const;
  // Returns the signature (ECDSA with SHA-256, DER) of a text.
  Result<std::string> Sign(std::string_view text) const;

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
  };
  using Pointer = std::unique_ptr<evp_pkey_st, Free>;
  static Result<NodeKey> Take(Pointer key);
  NodeKey(Pointer key, std::string public_pem)
      : key_(std::move(key)), public_pem_(std::move(public_pem)) {}

  Pointer key_;
  std::string public_pem_;
};

// Returns bytes in base64, in one line.
std::string Base64Of(std::string_view bytes);

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_NODE_KEY_H_
