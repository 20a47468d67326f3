#include "daemon/sign/signed_head.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "daemon/sign/hex.h"

namespace datum {
namespace {

constexpr std::string_view first_line = "datumd signed head 1";

std::string handover_bytes(const KeyHandover& h, const std::string& key) {
  return fmt::format("datumd signing key 1\nkey {}\nformer {}\nutc {}\n", key, h.former, h.utc);
}

std::string words_of(const ChainPlace& place) {
  return fmt::format("{} {}", place.link, place.link == 0 ? "-" : place.sha256);
}

std::string signed_bytes(const SignedHead& h) {
  std::string text = fmt::format("{}\nstore {}\nnumber {}\nlink {}\nafter {}\nutc {}\nkey {}\n", first_line,
                                 h.store, h.number, words_of(h.head), words_of(h.after), h.utc, h.key);
  if (const auto& from = h.handed_over)
    text += fmt::format("handed_over {} {} {}\n", from->former, from->utc, from->signature);
  return text;
}

/// "YYYY-MM-DDThh:mm:ssZ".
bool is_utc(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
  return true;
}

/// Splits a text into lines.
class Lines {
 public:
  explicit Lines(std::string_view text) : left_(text) {}

  [[noreturn]] void refuse(const std::string& allowed) const {
    throw SignedHeadError(fmt::format("line {}: no signed head of datumd; allowed: {}", line_, allowed));
  }
  bool next_is(std::string_view key) const {
    return left_.substr(0, key.size() + 1) == std::string(key) + ' ';
  }
  std::string_view line() {
    ++line_;
    const std::size_t end = left_.find('\n');
    if (end == std::string_view::npos) refuse("whole lines, the last of which is 'signature'");
    const std::string_view text = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return text;
  }
  std::string_view value(std::string_view key) {
    const bool named = next_is(key);
    const std::string_view text = line();
    if (!named) refuse(fmt::format("'{} ...'", key));
    return text.substr(key.size() + 1);
  }
  std::string hex(std::string_view text, std::size_t digits) const {
    if (!is_hex(text, digits)) refuse(fmt::format("{} hex digits", digits));
    return std::string(text);
  }
  std::string utc(std::string_view text) const {
    if (!is_utc(text)) refuse("a time such as 2026-11-23T02:30:00Z");
    return std::string(text);
  }
  std::uint64_t number(std::string_view text) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse("a whole number");
    return value;
  }
  ChainPlace place(std::string_view text) const {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) refuse("a link and its SHA-256");
    ChainPlace place{number(text.substr(0, space)), ""};
    if (place.link != 0) place.sha256 = hex(text.substr(space + 1), 64);
    return place;
  }
  bool ended() const { return left_.empty(); }

 private:
  std::string_view left_;
  int line_ = 0;
};

KeyHandover handover_of(const Lines& lines, std::string_view text) {
  const std::size_t first = text.find(' '), second = text.find(' ', first + 1);
  if (second == std::string_view::npos) lines.refuse("a key, a time and a signature");
  return {lines.hex(text.substr(0, first), 64), lines.utc(text.substr(first + 1, second - first - 1)),
          lines.hex(text.substr(second + 1), 128)};
}

}  // namespace

bool is_good(const KeyHandover& h, const std::string& key) {
  return is_signed_by(h.former, handover_bytes(h, key), h.signature);
}

KeyHandover hand_over(const SigningKey& former, const std::string& key, const std::string& utc) {
  KeyHandover h{former.public_key(), utc, ""};
  h.signature = former.sign(handover_bytes(h, key));
  return h;
}

std::string text_of(const SignedHead& h) {
  return signed_bytes(h) + fmt::format("signature {}\n", h.signature);
}

SignedHead signed_head_of(const std::string& text) {
  Lines lines(text.size() <= most_signed_head_bytes ? std::string_view(text) : std::string_view());
  SignedHead h;
  if (lines.line() != first_line) lines.refuse(fmt::format("'{}'", first_line));
  h.store = lines.hex(lines.value("store"), 16);
  h.number = lines.number(lines.value("number"));
  h.head = lines.place(lines.value("link"));
  h.after = lines.place(lines.value("after"));
  h.utc = lines.utc(lines.value("utc"));
  h.key = lines.hex(lines.value("key"), 64);
  if (lines.next_is("handed_over")) h.handed_over = handover_of(lines, lines.value("handed_over"));
  h.signature = lines.hex(lines.value("signature"), 128);
  if (!lines.ended() || h.head.link == 0 || text_of(h) != text)
    lines.refuse("what datumd-sign wrote, nothing added and nothing changed");
  return h;
}

void sign(SignedHead& h, const SigningKey& key) {
  h.key = key.public_key();
  h.signature = key.sign(signed_bytes(h));
}

bool is_good(const SignedHead& h) { return is_signed_by(h.key, signed_bytes(h), h.signature); }

std::string name_of(const SignedHead& h) { return fmt::format("signature {} of {}", h.number, h.utc); }

}  // namespace datum
