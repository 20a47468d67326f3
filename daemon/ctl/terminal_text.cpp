#include "daemon/ctl/terminal_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <utility>

namespace datum {
namespace {

using namespace std::string_view_literals;

constexpr std::array colours{"\x1b[0m"sv, "\x1b[32m"sv, "\x1b[33m"sv, "\x1b[35m"sv,
                             "\x1b[1;31m"sv};  // the colours of Table

struct Step {
  std::size_t bytes = 1;  // 0: incomplete
  bool shown = false;
};

/// A sequence of two to four bytes (RFC 3629, 3); overlong forms and surrogates are invalid.
Step step_of_many(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return {1, false};
  char32_t code = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if (i == text.size()) return {0, false};
    if ((byte(i) & 0xC0U) != 0x80U) return {1, false};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const bool whole = size == 2 || (size == 3 && code >= 0x800 && (code < 0xD800 || code > 0xDFFF)) ||
                     (size == 4 && code >= 0x10000 && code <= 0x10FFFF);
  if (!whole) return {1, false};
  const bool c1 = code >= 0x80 && code <= 0x9F;
  const bool turns = code == 0x061C || code == 0x200E || code == 0x200F ||
                     (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return {size, !c1 && !turns};
}

Step step_of(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first >= 0x80) return step_of_many(text);
  if (first != 0x1B) return {1, (first >= ' ' && first != 0x7F) || first == '\n' || first == '\t'};
  for (const std::string_view colour : colours) {
    if (text.substr(0, colour.size()) == colour) return {colour.size(), true};
    if (text == colour.substr(0, text.size())) return {0, false};
  }
  return {1, false};
}

std::string bytes_escaped(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text;
}

/// State behind a FILE.
struct Guarded {
  int fd;
  TerminalText text;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

ssize_t write_guarded(void* cookie, const char* bytes, std::size_t size) {
  auto& guarded = *static_cast<Guarded*>(cookie);
  return write_all(guarded.fd, guarded.text.pass({bytes, size})) ? static_cast<ssize_t>(size) : 0;
}

}  // namespace

std::string TerminalText::pass(std::string_view bytes) {
  rest_ += bytes;
  std::string out;
  std::string_view left = rest_;
  while (!left.empty()) {
    const Step step = step_of(left);
    if (step.bytes == 0) break;
    out += step.shown ? std::string(left.substr(0, step.bytes)) : bytes_escaped(left.substr(0, step.bytes));
    left.remove_prefix(step.bytes);
  }
  rest_ = std::string(left);
  return out;
}

std::string TerminalText::end() { return bytes_escaped(std::exchange(rest_, {})); }

void guard_terminal(std::FILE*& stream, int fd) {
  if (::isatty(fd) != 1) return;
  auto guarded = std::make_unique<Guarded>(Guarded{fd, {}});
  std::FILE* made = ::fopencookie(guarded.get(), "w", {nullptr, write_guarded, nullptr, nullptr});
  if (!made) throw std::runtime_error("the terminal can't be guarded: there is no memory for it");
  // Until the process ends: the C library flushes at its very end, behind the destructors.
  static std::array<Guarded*, 2> kept;
  kept.at(fd == STDERR_FILENO ? 1 : 0) = guarded.release();
  std::setvbuf(made, nullptr, fd == STDERR_FILENO ? _IONBF : _IOLBF, BUFSIZ);
  stream = made;
}

}  // namespace datum
