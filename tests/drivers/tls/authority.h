// A certificate authority for tests, made with OpenSSL's library: certificates of any time, purpose and
// signer, as PEM texts. Times are arguments, so that no test depends on the date.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct evp_pkey_st;
struct x509_st;

namespace datum::testing {

/// 2030-03-17: the date of all tests of certificates.
constexpr std::int64_t tls_now_s = 1'900'000'000;
constexpr std::int64_t tls_day_s = 86'400;

struct IssueOptions {
  std::string common_name = "host";
  std::int64_t from_s = tls_now_s - tls_day_s, to_s = tls_now_s + 100 * tls_day_s;
  std::string purpose = "clientAuth";  // extendedKeyUsage; empty: none
  std::string names = "";              // subjectAltName: "DNS:cell-7,IP:127.0.0.1"
  std::string organisation = "";       // O of the subject
  long serial = 0;                     // 0: the next one
};

/// A certificate and its private key, in PEM.
struct Paper {
  std::string certificate, key;
  long serial = 0;
};

class Authority {
 public:
  explicit Authority(const std::string& name = "works CA");
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  const std::string& certificate() const { return own_; }  // PEM
  Paper issue(const IssueOptions& options);
  /// A revocation list of these serials, in PEM.
  std::string revoke(const std::vector<long>& serials, std::int64_t to_s = tls_now_s + 30 * tls_day_s) const;

 private:
  x509_st* ca_ = nullptr;
  evp_pkey_st* key_ = nullptr;
  std::string own_;
  long serial_ = 1;
};

/// Signed by its own key.
Paper self_signed(const IssueOptions& options);

}  // namespace datum::testing
