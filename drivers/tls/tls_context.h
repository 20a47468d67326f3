// TlsContext: certificates and rules of one side, shared by its connections. At least TLS 1.2; forward
// secrecy and authenticated encryption only; no compression, renegotiation or session resumption, so that
// each connection presents its certificate again. Both sides authenticate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "drivers/tls/tls_identity.h"
#include "drivers/tls/tls_settings.h"

struct ssl_ctx_st;
struct ssl_st;

namespace datum {

class TlsContext {
 public:
  using Clock = std::function<std::int64_t()>;  // s since 1970-01-01, for certificate validity

  /// Throws RefusedError that names the file: missing, damaged, a key that others may read or that belongs to
  /// another certificate, a client_ca that is no CA.
  static std::shared_ptr<const TlsContext> of_server(const TlsServerSettings& settings, Clock utc_s);
  static std::shared_ptr<const TlsContext> of_client(const TlsClientSettings& settings, Clock utc_s);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  bool is_server() const { return server_; }
  /// Of a client, for its messages; null: a server.
  const TlsClientNames* names() const { return server_ ? nullptr : &names_; }
  /// A session with this side's current rules. Throws std::bad_alloc.
  ssl_st* new_session() const;
  /// Earliest expiry of this side's certificate chain; 0: no certificate.
  std::int64_t certificate_ends_s() const { return ends_s_; }
  /// Expiry of the certificate revocation list, after which no peer is accepted; 0: no list.
  std::int64_t crl_ends_s() const { return crl_ends_s_; }
  /// Why a peer accepted earlier would be refused now; empty: it would not. Expiry is not checked: it ends no
  /// connection.
  std::string objection(const TlsIdentity& peer) const;

 private:
  TlsContext(ssl_ctx_st* context, bool server, Clock utc_s);
  void use_certificate(const std::filesystem::path& certificate, const std::filesystem::path& key);
  void trust(const std::filesystem::path& ca);
  void trust_the_system();
  void revoke(const std::filesystem::path& crl);

  ssl_ctx_st* context_;
  bool server_;
  Clock utc_s_;
  std::string name_;  // of the server, for a client
  TlsClientNames names_;
  std::int64_t ends_s_ = 0, crl_ends_s_ = 0;
};

/// Fault noted by a session's verification; empty: none.
std::string& objection_of(ssl_st* session);

}  // namespace datum
