// TlsContext: one side's certificates and rules, shared by its connections. TLS 1.2 at least; forward secrecy and
// authenticated encryption only; no compression, no renegotiation, no session is ever resumed, so that each connection shows
// its certificate anew. Both sides prove who they are.
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
  using Clock = std::function<std::int64_t()>;  // s since 1970-01-01: when certificates are valid

  /// Throws RefusedError that names the file: not there, damaged, a key that others may read or of another certificate, a
  /// client_ca that is no CA.
  static std::shared_ptr<const TlsContext> of_server(const TlsServerSettings& settings, Clock utc_s);
  static std::shared_ptr<const TlsContext> of_client(const TlsClientSettings& settings, Clock utc_s);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  bool is_server() const { return server_; }
  /// A session with this side's rules at this moment. Throws std::bad_alloc.
  ssl_st* new_session() const;
  /// Of this side's own certificate and those of its chain, the earliest; 0: it has none.
  std::int64_t certificate_ends_s() const { return ends_s_; }
  /// Of the list of revoked certificates: after it nobody is let in; 0: there is none.
  std::int64_t crl_ends_s() const { return crl_ends_s_; }
  /// Why a peer that was accepted before would not be now; empty: it would. Times are not looked at: a certificate that
  /// expires ends no connection.
  std::string objection(const TlsIdentity& peer) const;

 private:
  TlsContext(ssl_ctx_st* context, bool server, Clock utc_s);
  void use_certificate(const std::filesystem::path& certificate, const std::filesystem::path& key);
  void trust(const std::filesystem::path& ca);
  void revoke(const std::filesystem::path& crl);

  ssl_ctx_st* context_;
  bool server_;
  Clock utc_s_;
  std::string name_;  // of the server, for a client
  std::int64_t ends_s_ = 0, crl_ends_s_ = 0;
};

/// What a session's verification noted; empty: nothing.
std::string& objection_of(ssl_st* session);

}  // namespace datum
