#include "drivers/cmm/line_framer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace datum {
namespace {

constexpr std::uint8_t xon = 0x11, xoff = 0x13;
constexpr char stx = 0x02;

bool readable(char c) { return c == '\t' || (c >= 0x20 && c < 0x7f); }

// A byte that no such line has: 0 is what the serial port reads for a parity or framing error.
std::string fault_of(const std::string& text) {
  const auto bad = std::find_if_not(text.begin(), text.end(), readable);
  if (bad == text.end()) return "";
  const auto value = static_cast<std::uint8_t>(*bad);
  const char* hint = value == 0                       ? "; parity or framing error?"
                     : value >= 0x80                  ? "; data bits or parity of the link?"
                     : value == '\r' || value == '\n' ? "; terminator of the link?"
                                                      : "";
  return fmt::format("byte 0x{:02X} at {} of {}{}", value, bad - text.begin() + 1, in_quotes(text), hint);
}

}  // namespace

void LineFramer::reset(bool mid_line) {
  text_.clear();
  started_ = false;
  skipping_ = mid_line;
}

bool LineFramer::terminated() const {
  const std::string& end = framing_.terminator;
  return text_.size() >= end.size() && text_.compare(text_.size() - end.size(), end.size(), end) == 0;
}

std::optional<Line> LineFramer::push(std::uint8_t byte, MonotonicNs at) {
  if (framing_.mask_bit7) byte &= 0x7f;
  if (byte == xon || byte == xoff) return std::nullopt;
  if (byte == 0 && text_.empty()) return std::nullopt;  // padding between lines
  const char c = static_cast<char>(byte);
  if (framing_.start && !skipping_ && c == *framing_.start) {
    started_ = true;
    const std::string cut = std::exchange(text_, "");
    if (!cut.empty()) return Line{cut, "line cut short: " + in_quotes(cut), first_byte_ns_, at};
    return std::nullopt;
  }
  if (framing_.start && !started_ && !skipping_) return std::nullopt;
  if (text_.empty()) first_byte_ns_ = at;
  text_ += c;
  if (terminated()) return finish(at);
  if (skipping_) {
    if (text_.size() > framing_.terminator.size()) text_.erase(0, 1);
    return std::nullopt;
  }
  if (text_.size() < framing_.max_length + framing_.terminator.size()) return std::nullopt;
  Line line{text_, fmt::format("line longer than {} characters: {}", framing_.max_length, in_quotes(text_)),
            first_byte_ns_, at};
  text_.erase(0, text_.size() - framing_.terminator.size() + 1);  // the terminator may have begun
  started_ = false;
  skipping_ = true;
  return line;
}

std::optional<Line> LineFramer::finish(MonotonicNs at) {
  Line line{std::exchange(text_, ""), "", first_byte_ns_, at};
  started_ = false;
  if (std::exchange(skipping_, false)) return std::nullopt;
  line.text.resize(line.text.size() - framing_.terminator.size());
  if (framing_.optional_stx && !line.text.empty() && line.text[0] == stx) line.text.erase(0, 1);
  if (line.text.empty()) return std::nullopt;
  line.fault = fault_of(line.text);
  if (line.fault.empty()) line.fault = strip_check_digits(line.text, integrity_);
  return line;
}

std::string strip_check_digits(std::string& text, Integrity integrity) {
  if (integrity == Integrity::none) return "";
  const std::string whole = text;
  const std::size_t tail = integrity == Integrity::nmea ? 3 : 2;
  if (text.size() <= tail || (integrity == Integrity::nmea && text[text.size() - 3] != '*'))
    return "no check digits at the end of " + in_quotes(whole);
  const std::string digits = text.substr(text.size() - 2);
  text.resize(text.size() - tail);
  if (integrity == Integrity::nmea && text[0] == '$') text.erase(0, 1);
  std::uint8_t value = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    value = static_cast<std::uint8_t>(integrity == Integrity::sum8_hex ? value + byte : value ^ byte);
  }
  std::string upper = digits;
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'f' ? c - 'a' + 'A' : c);
  const std::string expected = fmt::format("{:02X}", value);
  if (upper == expected) return "";
  return fmt::format("check digits {} where {} belong: {}", digits, expected, in_quotes(whole));
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, 60))
    out += c >= 0x20 && c < 0x7f ? std::string(1, c) : fmt::format("\\x{:02X}", static_cast<std::uint8_t>(c));
  return out + (text.size() > 60 ? "...'" : "'");
}

}  // namespace datum
