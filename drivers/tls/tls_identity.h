// Who a peer proved to be: what stands in its certificate. A value, without OpenSSL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace datum {

struct TlsIdentity {
  std::string subject;      // RFC 2253: "CN=line-plc,O=Works"; ASCII, what is not is escaped
  std::string name;         // its common name; empty where it has none, several, or one with a zero byte
  std::string serial;       // hexadecimal
  std::string sha256;       // of the certificate's DER, 64 lower-case hexadecimal digits
  std::int64_t ends_s = 0;  // since 1970-01-01: no longer valid then
  std::vector<std::string> chain{};  // DER, the peer's own certificate first
};

/// "CN=line-plc,O=Works, serial 1A2B, SHA-256 4f3c...": unabridged.
std::string text_of(const TlsIdentity& identity);

/// 64 lower-case digits of a fingerprint as openssl prints it ("4F:3C:..." or "4f3c..."); none: it is no SHA-256.
std::optional<std::string> plain_sha256(const std::string& text);

/// "2026-12-05", UTC.
std::string day_of(std::int64_t utc_s);

/// How long a certificate is still good, for people: "expires on 2026-12-05, in 12 days", "expired on 2026-11-01"; empty
/// where that is farther than `warned_days` away.
std::string expiry_text(std::int64_t ends_s, std::int64_t now_s, int warned_days = 30);

}  // namespace datum
