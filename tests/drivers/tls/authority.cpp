#include "tests/drivers/tls/authority.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace datum::testing {
namespace {

template <class Write>
std::string pem(Write write) {
  BIO* bio = BIO_new(BIO_s_mem());
  write(bio);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  std::string text(bytes, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

std::string pem_of(X509* certificate) {
  return pem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate); });
}
std::string pem_of(EVP_PKEY* key) {
  return pem([&](BIO* bio) { PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  if (value.empty()) return;
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  if (!extension) throw std::runtime_error("no extension " + value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

void name(X509_NAME* subject, const char* field, const std::string& text) {
  if (text.empty()) return;
  X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(text.data()),
                             static_cast<int>(text.size()), -1, 0);
}

X509* unsigned_certificate(const IssueOptions& o, long serial, EVP_PKEY* key) {
  X509* made = X509_new();
  X509_set_version(made, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made), serial);
  ASN1_TIME_set(X509_getm_notBefore(made), o.from_s);
  ASN1_TIME_set(X509_getm_notAfter(made), o.to_s);
  X509_set_pubkey(made, key);
  name(X509_get_subject_name(made), "CN", o.common_name);
  name(X509_get_subject_name(made), "O", o.organisation);
  return made;
}

}  // namespace

Authority::Authority(const std::string& common_name) : key_(EVP_EC_gen("P-256")) {
  IssueOptions o;
  o.common_name = common_name;
  o.from_s = tls_now_s - 1000 * tls_day_s;
  o.to_s = tls_now_s + 3000 * tls_day_s;
  ca_ = unsigned_certificate(o, 1, key_);
  X509_set_issuer_name(ca_, X509_get_subject_name(ca_));
  extend(ca_, ca_, NID_basic_constraints, "critical,CA:TRUE");
  extend(ca_, ca_, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(ca_, ca_, NID_subject_key_identifier, "hash");
  X509_sign(ca_, key_, EVP_sha256());
  own_ = pem_of(ca_);
}

Authority::~Authority() {
  X509_free(ca_);
  EVP_PKEY_free(key_);
}

Paper Authority::issue(const IssueOptions& o) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  const long serial = o.serial != 0 ? o.serial : ++serial_;
  X509* made = unsigned_certificate(o, serial, key);
  X509_set_issuer_name(made, X509_get_subject_name(ca_));
  extend(made, ca_, NID_basic_constraints, "critical,CA:FALSE");
  extend(made, ca_, NID_ext_key_usage, o.purpose);
  extend(made, ca_, NID_subject_alt_name, o.names);
  X509_sign(made, key_, EVP_sha256());
  const Paper paper{pem_of(made), pem_of(key), serial};
  X509_free(made);
  EVP_PKEY_free(key);
  return paper;
}

Paper self_signed(const IssueOptions& o) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* made = unsigned_certificate(o, 7, key);
  X509_set_issuer_name(made, X509_get_subject_name(made));
  extend(made, made, NID_ext_key_usage, o.purpose);
  extend(made, made, NID_subject_alt_name, o.names);
  X509_sign(made, key, EVP_sha256());
  const Paper paper{pem_of(made), pem_of(key), 7};
  X509_free(made);
  EVP_PKEY_free(key);
  return paper;
}

std::string Authority::revoke(const std::vector<long>& serials, std::int64_t to_s) const {
  X509_CRL* list = X509_CRL_new();
  X509_CRL_set_version(list, 1);
  X509_CRL_set_issuer_name(list, X509_get_subject_name(ca_));
  ASN1_TIME* from = ASN1_TIME_set(nullptr, tls_now_s - tls_day_s);
  ASN1_TIME* to = ASN1_TIME_set(nullptr, to_s);
  X509_CRL_set1_lastUpdate(list, from);
  X509_CRL_set1_nextUpdate(list, to);
  for (const long serial : serials) {
    X509_REVOKED* one = X509_REVOKED_new();
    ASN1_INTEGER* number = ASN1_INTEGER_new();
    ASN1_INTEGER_set(number, serial);
    X509_REVOKED_set_serialNumber(one, number);
    X509_REVOKED_set_revocationDate(one, from);
    X509_CRL_add0_revoked(list, one);
    ASN1_INTEGER_free(number);
  }
  X509_CRL_sort(list);
  X509_CRL_sign(list, key_, EVP_sha256());
  std::string text = pem([&](BIO* bio) { PEM_write_bio_X509_CRL(bio, list); });
  ASN1_TIME_free(from);
  ASN1_TIME_free(to);
  X509_CRL_free(list);
  return text;
}

}  // namespace datum::testing
