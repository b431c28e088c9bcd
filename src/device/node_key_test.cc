#include "device/node_key.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "device/fleet_client.h"

namespace airlot::device {
namespace {

bool IsSignedBy(const std::string& pem, const std::string& text, const std::string& signature) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_mem_buf(pem.data(), int(pem.size())),
                                                      &BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get());
  return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                          text.size()) == 1;
}

std::string Written(const std::string& text) {
  const std::string path = ::testing::TempDir() + "airlot_node_key_test.pem";
  std::ofstream(path) << text;
  return path;
}

TEST(NodeKey, Signs) {
  const auto key = NodeKey::Make();
  ASSERT_TRUE(key.ok());
  const auto signature = key->Sign("2026-11-18T05:00:00+00:00");
  ASSERT_TRUE(signature.ok());
  EXPECT_TRUE(IsSignedBy(key->public_pem(), "2026-11-18T05:00:00+00:00", *signature));
  EXPECT_FALSE(IsSignedBy(key->public_pem(), "2026-11-18T05:00:01+00:00", *signature));
  EXPECT_EQ(key->Name().size(), 64U);
  EXPECT_NE(key->Name(), NodeKey::Make()->Name());
}

TEST(NodeKey, OfOtherKindsIsRefused) {
  const auto missing = NodeKey::Read("/no/such/key.pem");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "/no/such/key.pem: cannot open: No such file or directory");
  const std::string text = Written("-----BEGIN OPENSSH PRIVATE KEY-----\n");
  EXPECT_NE(NodeKey::Read(text).error().message.find("ssh-keygen -p -m PEM"), std::string::npos);
  for (const char* curve : {"prime256v1", "secp521r1"}) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> other(EVP_EC_gen(curve),
                                                                    &EVP_PKEY_free);
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), &BIO_free);
    PEM_write_bio_PrivateKey(bio.get(), other.get(), nullptr, nullptr, 0, nullptr, nullptr);
    char* pem = nullptr;
    const long length = BIO_get_mem_data(bio.get(), &pem);
    const auto read = NodeKey::Read(Written({pem, std::size_t(length)}));
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.error().message.find("is a key of another kind"), std::string::npos);
  }
  std::filesystem::remove(text);
}

TEST(NodeKey, Base64) {
  EXPECT_EQ(Base64Of(""), "");
  EXPECT_EQ(Base64Of("a"), "YQ==");
  EXPECT_EQ(Base64Of("ab"), "YWI=");
  EXPECT_EQ(Base64Of("abc"), "YWJj");
}

TEST(SuperLink, Addresses) {
  const auto named = ParseSuperLink("cell.example:8000");
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named->host, "cell.example");
  EXPECT_EQ(named->port, 8000);
  EXPECT_EQ(ParseSuperLink("[::1]:1")->host, "::1");
  for (const char* bad : {"", "host", "host:", ":8000", "host:0", "host:65536", "host:8.5",
                          "::1:80", "http://host:80", "host:x", "a b:80", "host:nan"}) {
    EXPECT_FALSE(ParseSuperLink(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace airlot::device
