#include "drivers/tls/tls_identity.h"

#include <fmt/format.h>

#include <cctype>
#include <ctime>

namespace datum {

std::string text_of(const TlsIdentity& identity) {
  return fmt::format("{}, serial {}, SHA-256 {}", identity.subject, identity.serial, identity.sha256);
}

std::optional<std::string> plain_sha256(const std::string& text) {
  constexpr std::size_t digits = 64;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = text[i] == ':' && i % 3 == 2;
    if (between) continue;
    if (!std::isxdigit(static_cast<unsigned char>(text[i]))) return std::nullopt;
    plain += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  }
  const bool whole =
      plain.size() == digits && (text.size() == digits || text.size() == digits + digits / 2 - 1);
  return whole ? std::optional(plain) : std::nullopt;
}

std::string day_of(std::int64_t utc_s) {
  const std::time_t at = utc_s;
  std::tm day{};
  gmtime_r(&at, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

std::string expiry_text(std::int64_t ends_s, std::int64_t now_s, int warned_days) {
  constexpr std::int64_t day_s = 86'400;
  if (now_s >= ends_s) return "expired on " + day_of(ends_s);
  if (ends_s - now_s > warned_days * day_s) return "";
  return fmt::format("expires on {}, in {} days", day_of(ends_s), (ends_s - now_s) / day_s);
}

}  // namespace datum
