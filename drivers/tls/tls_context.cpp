#include "drivers/tls/tls_context.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <new>

#include "drivers/link_error.h"
#include "drivers/tls/openssl_handles.h"
#include "drivers/tls/tls_files.h"
#include "drivers/tls/tls_text.h"

namespace datum {
namespace {

constexpr int security_level = 2;  // 112 bits: RSA of 2048 bits, curves of 224; no SHA-1 signatures
constexpr int deepest_chain = 4;   // CAs between a certificate and the trusted one
constexpr long longest_chain_bytes = 32'768;  // of the peer's certificates
constexpr const char* ciphers_of_tls_1_2 = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr unsigned char session_context[] = "datumd";

int note_objection(int good, X509_STORE_CTX* store) {
  if (good == 1) return 1;
  auto* session = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  if (!session) return 0;
  const auto* context = static_cast<const TlsContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(session)));
  objection_of(session) = objection_text(store, context->names());
  return 0;
}

void free_objection(void*, void* text, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<std::string*>(text);
}

int objection_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, free_objection);
  return index;
}

ContextHandle new_context(bool server) {
  ContextHandle context(SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()));
  if (!context) throw std::bad_alloc();
  SSL_CTX* c = context.get();
  SSL_CTX_set_security_level(c, security_level);
  const bool set = SSL_CTX_set_min_proto_version(c, TLS1_2_VERSION) == 1 &&
                   SSL_CTX_set_max_proto_version(c, 0) == 1 &&
                   SSL_CTX_set_cipher_list(c, ciphers_of_tls_1_2) == 1 &&
                   SSL_CTX_set_session_id_context(c, session_context, sizeof session_context - 1) == 1 &&
                   (!server || SSL_CTX_set_num_tickets(c, 0) == 1);
  if (!set)
    throw RefusedError("this OpenSSL refuses the settings that datumd needs: " + tls_failure(nullptr).why);
  SSL_CTX_set_options(c, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                             SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_clear_options(c, SSL_OP_LEGACY_SERVER_CONNECT | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
  // One record per call: a peer that sends messages without data must not block the loop.
  SSL_CTX_clear_mode(c, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_mode(c, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_max_cert_list(c, longest_chain_bytes);
  SSL_CTX_set_verify_depth(c, deepest_chain);
  SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, note_objection);
  return context;
}

bool is_numeric(const std::string& name) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, name.c_str(), bytes) == 1 || inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

CertificateHandle certificate_from(const std::string& der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  return CertificateHandle(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
}

}  // namespace

std::string& objection_of(ssl_st* session) {
  auto* text = static_cast<std::string*>(SSL_get_ex_data(session, objection_index()));
  if (text) return *text;
  text = new std::string;
  SSL_set_ex_data(session, objection_index(), text);
  return *text;
}

TlsContext::TlsContext(ssl_ctx_st* context, bool server, Clock utc_s)
    : context_(context), server_(server), utc_s_(std::move(utc_s)) {
  SSL_CTX_set_app_data(context_, this);
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

std::shared_ptr<const TlsContext> TlsContext::of_server(const TlsServerSettings& settings, Clock utc_s) {
  const std::shared_ptr<TlsContext> made(new TlsContext(new_context(true).release(), true, std::move(utc_s)));
  const auto key = credential_path(settings.key);
  if (!key)
    throw RefusedError(
        fmt::format("{}: there is no $CREDENTIALS_DIRECTORY; the unit needs LoadCredential=NAME:FILE",
                    settings.key.string()));
  made->use_certificate(settings.certificate, *key);
  made->trust(settings.client_ca);
  if (!settings.crl.empty()) made->revoke(settings.crl);
  return made;
}

std::shared_ptr<const TlsContext> TlsContext::of_client(const TlsClientSettings& settings, Clock utc_s) {
  const std::shared_ptr<TlsContext> made(
      new TlsContext(new_context(false).release(), false, std::move(utc_s)));
  made->name_ = settings.name;
  made->names_ = settings.names;
  if (!settings.certificate.empty()) made->use_certificate(settings.certificate, settings.key);
  settings.ca.empty() ? made->trust_the_system() : made->trust(settings.ca);
  try {
    if (!settings.crl.empty()) made->revoke(settings.crl);
  } catch (const RefusedError& error) {
    throw RefusedError(
        fmt::format("{}: {}; each CA gives its current list, as PEM", settings.names.crl, error.what()));
  }
  return made;
}

void TlsContext::use_certificate(const std::filesystem::path& certificate,
                                 const std::filesystem::path& key_file) {
  const auto chain = certificates_in(certificate);
  const KeyHandle key = private_key_in(key_file);
  ERR_clear_error();
  if (SSL_CTX_use_certificate(context_, chain.front().get()) != 1)
    throw RefusedError(fmt::format("{}: {}", certificate.string(), tls_failure(names()).why));
  for (std::size_t i = 1; i < chain.size(); ++i)
    if (SSL_CTX_add1_chain_cert(context_, chain[i].get()) != 1)
      throw RefusedError(
          fmt::format("{}: certificate {}: {}", certificate.string(), i + 1, tls_failure(names()).why));
  if (X509_check_private_key(chain.front().get(), key.get()) != 1)
    throw RefusedError(fmt::format("{}: is not the key of {}", key_file.string(), certificate.string()));
  if (SSL_CTX_use_PrivateKey(context_, key.get()) != 1)
    throw RefusedError(fmt::format("{}: {}", key_file.string(), tls_failure(names()).why));
  ends_s_ = utc_of(X509_get0_notAfter(chain.front().get()));
  for (const auto& one : chain) ends_s_ = std::min(ends_s_, utc_of(X509_get0_notAfter(one.get())));
}

void TlsContext::trust(const std::filesystem::path& ca) {
  X509_STORE* store = SSL_CTX_get_cert_store(context_);
  for (const auto& one : certificates_in(ca)) {
    if (server_ && X509_check_ca(one.get()) == 0)
      throw RefusedError(fmt::format(
          "{}: holds a certificate that is no CA's; client_ca names who signs clients' certificates",
          ca.string()));
    if (X509_STORE_add_cert(store, one.get()) != 1 ||
        (server_ && SSL_CTX_add_client_CA(context_, one.get()) != 1))
      throw RefusedError(fmt::format("{}: {}", ca.string(), tls_failure(names()).why));
  }
}

void TlsContext::trust_the_system() {
  if (SSL_CTX_set_default_verify_paths(context_) != 1)
    throw RefusedError("the certificates that this system trusts can't be read: " + tls_failure(names()).why);
}

void TlsContext::revoke(const std::filesystem::path& crl) {
  X509_STORE* store = SSL_CTX_get_cert_store(context_);
  for (const auto& one : revocations_in(crl)) {
    if (X509_STORE_add_crl(store, one.get()) != 1)
      throw RefusedError(fmt::format("{}: {}", crl.string(), tls_failure(names()).why));
    const ASN1_TIME* next = X509_CRL_get0_nextUpdate(one.get());
    if (next) crl_ends_s_ = crl_ends_s_ == 0 ? utc_of(next) : std::min(crl_ends_s_, utc_of(next));
  }
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
}

ssl_st* TlsContext::new_session() const {
  SSL* session = SSL_new(context_);
  if (!session) throw std::bad_alloc();
  X509_VERIFY_PARAM* rules = SSL_get0_param(session);
  X509_VERIFY_PARAM_set_time(rules, utc_s_());
  if (!server_ && is_numeric(name_)) {
    X509_VERIFY_PARAM_set1_ip_asc(rules, name_.c_str());
  } else if (!server_) {
    X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    X509_VERIFY_PARAM_set1_host(rules, name_.c_str(), name_.size());
    SSL_set_tlsext_host_name(session, name_.c_str());
  }
  server_ ? SSL_set_accept_state(session) : SSL_set_connect_state(session);
  return session;
}

std::string TlsContext::objection(const TlsIdentity& peer) const {
  const std::unique_ptr<X509_STORE_CTX, OpensslFree<X509_STORE_CTX_free>> check(X509_STORE_CTX_new());
  const std::unique_ptr<STACK_OF(X509), void (*)(STACK_OF(X509)*)> others(
      sk_X509_new_null(), [](STACK_OF(X509) * all) { sk_X509_pop_free(all, X509_free); });
  if (!check || !others || peer.chain.empty()) return "its certificate can't be looked at";
  const CertificateHandle own = certificate_from(peer.chain.front());
  for (std::size_t i = 1; i < peer.chain.size(); ++i)
    if (auto one = certificate_from(peer.chain[i]); one && sk_X509_push(others.get(), one.get()) > 0)
      one.release();
  if (!own ||
      X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context_), own.get(), others.get()) != 1)
    return "its certificate can't be looked at";
  X509_STORE_CTX_set_default(check.get(), "ssl_client");
  X509_STORE_CTX_set_flags(check.get(), X509_V_FLAG_NO_CHECK_TIME);
  const bool good = X509_verify_cert(check.get()) == 1;
  const std::string why = good ? "" : objection_text(check.get(), names());
  ERR_clear_error();
  return why;
}

}  // namespace datum
