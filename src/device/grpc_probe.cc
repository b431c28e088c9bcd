#include "device/grpc_probe.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace airlot::device {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Connection = std::unique_ptr<BIO, Free>;

constexpr int kConnectTimeout_s = 5;
constexpr int kConnectPoll_ms = 20;
constexpr timeval kTimeout{5, 0};

// RFC 9113, 3.4: the client's preface with an empty frame of settings, which the server answers by
// a frame of its own settings.
constexpr std::string_view kPreface{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33};
constexpr std::size_t kFrameHead = 9;
constexpr unsigned char kSettingsFrame = 4;

bool Connect(BIO* bio, const SuperLink& link) {
  BIO_set_conn_hostname(bio, link.host.c_str());
  BIO_set_conn_port(bio, std::to_string(link.port).c_str());
  BIO_set_nbio(bio, 1);  // or else connecting takes as long as the system waits
  if (BIO_do_connect_retry(bio, kConnectTimeout_s, kConnectPoll_ms) <= 0) return false;
  int socket = -1;
  BIO_get_fd(bio, &socket);
  return BIO_socket_nbio(socket, 0) == 1 &&
         ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kTimeout, sizeof kTimeout) == 0 &&
         ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kTimeout, sizeof kTimeout) == 0;
}

bool AnswersByFrames(BIO* bio) {
  if (BIO_write(bio, kPreface.data(), int(kPreface.size())) != int(kPreface.size())) return false;
  std::array<unsigned char, kFrameHead> head{};
  std::size_t read = 0;
  while (read < head.size()) {
    const int got = BIO_read(bio, head.data() + read, int(head.size() - read));
    if (got <= 0) return false;
    read += std::size_t(got);
  }
  return head[3] == kSettingsFrame;
}

// RFC 7301: server and client agree on a protocol in the handshake.
bool AgreesByTls(const SuperLink& link) {
  const std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_client_method()));
  constexpr std::string_view kWanted = "\2h2";
  if (!context ||
      SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<const unsigned char*>(kWanted.data()),
                              unsigned(kWanted.size())) != 0) {
    return false;
  }
  const Connection plain(BIO_new(BIO_s_connect()));
  if (!plain || !Connect(plain.get(), link)) return false;
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.get()), &SSL_free);
  if (!tls || BIO_up_ref(plain.get()) != 1) return false;
  SSL_set_bio(tls.get(), plain.get(), plain.get());
  SSL_set_tlsext_host_name(tls.get(), link.host.c_str());
  if (SSL_connect(tls.get()) != 1) return false;
  const unsigned char* agreed = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(tls.get(), &agreed, &length);
  return length == 2 && agreed[0] == 'h' && agreed[1] == '2';
}

}  // namespace

bool SpeaksHttp2(const SuperLink& link) {
  bool speaks = false;
  if (link.is_insecure) {
    const Connection connection(BIO_new(BIO_s_connect()));
    speaks = connection && Connect(connection.get(), link) && AnswersByFrames(connection.get());
  } else {
    speaks = AgreesByTls(link);
  }
  ERR_clear_error();  // the errors of this thread are looked at after other calls
  return speaks;
}

}  // namespace airlot::device
