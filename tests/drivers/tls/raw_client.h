// An OpenSSL client at one end of a wire, with settings other than datumd's.
#pragma once

#include <openssl/ssl.h>

#include "tests/drivers/tls/tls_wire.h"

namespace datum::testing {

/// A client without datumd's rules.
class RawClient {
 public:
  using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
  /// Most of the time that a client takes.
  static Context context_of(const TlsClientSettings& files, int version) {
    SSL_CTX* context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
    SSL_CTX_set_min_proto_version(context, version);
    SSL_CTX_set_max_proto_version(context, version);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT);
    SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str());
    SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM);
    return {context, SSL_CTX_free};
  }

  RawClient(Wire& wire, const TlsClientSettings& files, int version)
      : RawClient(wire, *context_of(files, version)) {}
  RawClient(Wire& wire, SSL_CTX& context) : wire_(wire), context_(&context, SSL_CTX_free) {
    SSL_CTX_up_ref(&context);
    begin(nullptr);
  }
  ~RawClient() { SSL_free(ssl); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void begin(SSL_SESSION* resumed) {
    SSL_free(ssl);
    ssl = SSL_new(context_.get());
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    BIO_set_mem_eof_return(in_, -1);
    SSL_set_bio(ssl, in_, out_);
    SSL_set_connect_state(ssl);
    if (resumed) SSL_set_session(ssl, resumed);
  }
  void take() {
    BIO_write(in_, wire_.to_client.data(), static_cast<int>(wire_.to_client.size()));
    wire_.to_client.clear();
  }
  void send() {
    char bytes[4096];
    for (int n; (n = BIO_read(out_, bytes, sizeof bytes)) > 0;)
      wire_.to_server.append(bytes, static_cast<std::size_t>(n));
  }
  bool shake() {
    take();
    const int done = SSL_do_handshake(ssl);
    send();
    return done == 1;
  }

  SSL* ssl = nullptr;

 private:
  Wire& wire_;
  Context context_;
  BIO *in_ = nullptr, *out_ = nullptr;
};

}  // namespace datum::testing
