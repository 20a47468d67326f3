#include "drivers/tls/tls_text.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <ctime>

#include "drivers/link_error.h"

namespace datum {
namespace {

constexpr std::size_t longest_subject = 512;

std::string subject_of(const X509* certificate) {
  const BioHandle text(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string der_of(X509* certificate) {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate, &bytes);
  std::string der(reinterpret_cast<const char*>(bytes), size > 0 ? static_cast<std::size_t>(size) : 0);
  OPENSSL_free(bytes);
  return der;
}

/// Empty where there is not exactly one, or where it contains a zero byte, at which a comparison could stop.
std::string common_name_of(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0) return "";
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  if (size < 0) return "";
  std::string name(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
  OPENSSL_free(utf8);
  return name.find('\0') == std::string::npos ? name : "";
}

std::string serial_of(const X509* certificate) {
  BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
  char* digits = number ? BN_bn2hex(number) : nullptr;
  std::string text = digits ? digits : "";
  OPENSSL_free(digits);
  BN_free(number);
  return text;
}

std::string sha256_of(const X509* certificate) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  X509_digest(certificate, EVP_sha256(), bytes, &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

bool is_lasting(int alert) {
  return (alert >= SSL_AD_BAD_CERTIFICATE && alert <= SSL_AD_ACCESS_DENIED) ||
         alert == SSL_AD_DECRYPT_ERROR || alert == SSL_AD_PROTOCOL_VERSION ||
         alert == SSL_AD_INSUFFICIENT_SECURITY || alert == SSL_AD_CERTIFICATE_REQUIRED;
}

/// The peer's alert about this side.
TlsFailure alert_text(int alert, const TlsClientNames* client) {
  const char* said = SSL_alert_desc_string_long(alert);
  if (!client) return {fmt::format("it refuses datumd's certificate or TLS: {}", said), true};
  const std::string& server = client->server;
  const std::string refused = server + " refuses this client's certificate: ";
  switch (alert) {
    case SSL_AD_CERTIFICATE_REQUIRED:
      return {fmt::format("{} wants a client certificate: {}", server, client->certificate), true};
    case SSL_AD_UNKNOWN_CA:
      return {refused + "it is signed by another CA than " + client->servers_ca, true};
    case SSL_AD_DECRYPT_ERROR:
      return {refused + "its signature is not that of a CA of " + client->servers_ca, true};
    case SSL_AD_CERTIFICATE_EXPIRED:
      return {refused + "it has expired, or is not valid yet", true};
    case SSL_AD_CERTIFICATE_REVOKED:
      return {refused + "it is revoked", true};
    case SSL_AD_HANDSHAKE_FAILURE:
      return {
          fmt::format("{} refuses the handshake: it wants a client certificate ({}), or no cipher is common",
                      server, client->certificate),
          true};
    default:
      return {fmt::format("{} refuses this connection: {}", server, said), is_lasting(alert)};
  }
}

std::string remedy_of(int error, const TlsClientNames* client) {
  switch (error) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return fmt::format("; no CA of {} signed it", client ? client->ca : "host.tcp.tls.client_ca");
    case X509_V_ERR_UNABLE_TO_GET_CRL:
    case X509_V_ERR_CRL_HAS_EXPIRED:
      return fmt::format("; {} needs a current list of each CA in the chain",
                         client ? client->crl : "host.tcp.tls.crl");
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format("; its subjectAltName must name the server, or {} one of the names that it has",
                         client ? client->name : "the host's setting");
    default:
      return "";
  }
}

}  // namespace

TlsFailure tls_failure(const TlsClientNames* client) {
  int reason = 0;
  for (unsigned long code; (code = ERR_get_error()) != 0;)
    if (reason == 0 && ERR_GET_LIB(code) == ERR_LIB_SSL) reason = ERR_GET_REASON(code);
  if (reason > SSL_AD_REASON_OFFSET) return alert_text(reason - SSL_AD_REASON_OFFSET, client);
  const char* peer = client ? "the server" : "it";
  switch (reason) {
    case 0:
      return {"the TLS session failed"};
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return {"it shows no certificate", true};
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
      return {fmt::format("{} speaks TLS 1.1 or older; TLS 1.2 is the least", peer), true};
    case SSL_R_UNEXPECTED_EOF_WHILE_READING:
      return {"the peer closed the connection or hung up"};
    default: {
      const char* text = ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, reason));
      return {fmt::format("TLS: {}", text ? text : "unknown error")};
    }
  }
}

std::string objection_text(X509_STORE_CTX* store, const TlsClientNames* client) {
  const int error = X509_STORE_CTX_get_error(store);
  const X509* certificate = X509_STORE_CTX_get_current_cert(store);
  const std::string subject = certificate ? subject_of(certificate).substr(0, longest_subject) : "?";
  if (certificate && error == X509_V_ERR_CERT_HAS_EXPIRED)
    return fmt::format("the certificate {} expired on {}", subject,
                       day_of(utc_of(X509_get0_notAfter(certificate))));
  if (certificate && error == X509_V_ERR_CERT_NOT_YET_VALID)
    return fmt::format("the certificate {} is not valid before {}; is this computer's clock right?", subject,
                       day_of(utc_of(X509_get0_notBefore(certificate))));
  return fmt::format("the certificate {} is refused: {}{}", subject, X509_verify_cert_error_string(error),
                     remedy_of(error, client));
}

std::int64_t utc_of(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

TlsIdentity identity_of(X509* certificate, const STACK_OF(X509) * chain) {
  TlsIdentity identity{subject_of(certificate), common_name_of(certificate), serial_of(certificate),
                       sha256_of(certificate), utc_of(X509_get0_notAfter(certificate))};
  if (identity.subject.size() > longest_subject)
    throw LostError(fmt::format("the certificate of SHA-256 {} has a subject of more than {} characters",
                                identity.sha256, longest_subject));
  identity.chain.push_back(der_of(certificate));
  for (int i = 0; chain && i < sk_X509_num(chain); ++i) {
    std::string der = der_of(sk_X509_value(chain, i));
    if (der != identity.chain.front()) identity.chain.push_back(std::move(der));
  }
  return identity;
}

}  // namespace datum
