// A peer's authenticated identity: the content of its certificate. A value without OpenSSL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace datum {

struct TlsIdentity {
  std::string subject;      // RFC 2253: "CN=line-plc,O=Works"; ASCII, other characters are escaped
  std::string name;         // its common name; empty where it has none, several, or one with a zero byte
  std::string serial;       // hexadecimal
  std::string sha256;       // of the certificate's DER, 64 lower-case hexadecimal digits
  std::int64_t ends_s = 0;  // end of validity, s since 1970-01-01
  std::vector<std::string> chain{};  // DER, the peer's own certificate first
};

/// "CN=line-plc,O=Works, serial 1A2B, SHA-256 4f3c...": not shortened.
std::string text_of(const TlsIdentity& identity);

/// 64 lower-case digits of a fingerprint as printed by openssl ("4F:3C:..." or "4f3c..."); none: not a
/// SHA-256.
std::optional<std::string> plain_sha256(const std::string& text);

/// "2026-12-05", UTC.
std::string day_of(std::int64_t utc_s);

/// Remaining validity of a certificate as text: "expires on 2026-12-05, in 12 days", "expired on 2026-11-01";
/// empty where it ends in more than `warned_days`.
std::string expiry_text(std::int64_t ends_s, std::int64_t now_s, int warned_days = 30);

}  // namespace datum
