#include "drivers/cmm/line_framer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "drivers/cmm/line_check.h"

namespace datum {
namespace {

constexpr std::uint8_t xon = 0x11, xoff = 0x13;
constexpr char stx = 0x02;

bool readable(char c) { return c == '\t' || (c >= 0x20 && c < 0x7f); }

// A byte that no such line contains: the serial port returns 0 for a parity or framing error.
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
  started_ = check_due_ = false;
  skipping_ = mid_line && framing_.fixed_length == 0;  // a fixed length needs its start character, or a poll
}

bool LineFramer::terminated() const {
  if (framing_.fixed_length > 0) return text_.size() == framing_.fixed_length;
  const std::string& end = framing_.terminator;
  return !end.empty() && text_.size() >= end.size() &&
         text_.compare(text_.size() - end.size(), end.size(), end) == 0;
}

std::optional<MonotonicNs> LineFramer::ends_by_pause() const {
  if (framing_.gap_ms == 0 || (text_.empty() && !skipping_)) return std::nullopt;
  return last_byte_ns_ + pause_ns();
}

std::optional<Line> LineFramer::pause(MonotonicNs now) {
  const auto end = ends_by_pause();
  if (!end || now < *end) return std::nullopt;
  return finish(last_byte_ns_);
}

std::optional<Line> LineFramer::push(std::uint8_t byte, MonotonicNs at) {
  if (check_due_) return take_check_byte(byte, at);
  if (framing_.mask_bit7) byte &= 0x7f;
  if (byte == xon || byte == xoff) return std::nullopt;
  std::optional<Line> before = pause(at);
  last_byte_ns_ = at;
  if (byte == 0 && text_.empty()) return before;  // padding between lines
  const char c = static_cast<char>(byte);
  if (framing_.start && !skipping_ && c == *framing_.start) {
    started_ = true;
    const std::string cut = std::exchange(text_, "");
    if (!cut.empty()) return Line{cut, "line cut short: " + in_quotes(cut), first_byte_ns_, at};
    return before;
  }
  if (framing_.start && !started_ && !skipping_) return before;
  if (text_.empty()) first_byte_ns_ = at;
  text_ += c;
  if (terminated()) {
    check_due_ = integrity_ == Integrity::xor_byte && !skipping_;
    return check_due_ ? std::nullopt : finish(at);
  }
  if (skipping_) {
    if (text_.size() > framing_.terminator.size()) text_.erase(0, 1);
    return before;
  }
  return text_.size() < framing_.max_length + framing_.terminator.size() ? before : too_long(at);
}

std::optional<Line> LineFramer::too_long(MonotonicNs at) {
  Line line{text_, fmt::format("line longer than {} characters: {}", framing_.max_length, in_quotes(text_)),
            first_byte_ns_, at};
  const std::size_t keep = framing_.terminator.size();  // a terminator may have begun
  text_.erase(0, text_.size() - keep + (keep > 0 ? 1 : 0));
  started_ = false;
  skipping_ = true;
  return line;
}

std::optional<Line> LineFramer::take_check_byte(std::uint8_t byte, MonotonicNs at) {
  check_due_ = false;
  const auto expected = static_cast<std::uint8_t>(check_digits(text_, Integrity::xor_byte)[0]);
  if (byte == expected) return finish(at);
  return finish(at,
                fmt::format("check byte {:02X} where {:02X} belongs: {}", byte, expected, in_quotes(text_)));
}

// Fault of the text without its framing.
std::string LineFramer::fault_in(std::string& text) const {
  std::string shown = text;
  if (framing_.end) {
    const std::size_t end = text.rfind(*framing_.end);
    if (end == std::string::npos)
      return fmt::format("no end character 0x{:02X}: {}", static_cast<std::uint8_t>(*framing_.end),
                         in_quotes(text));
    shown.erase(end, 1);
  }
  std::string bad = fault_of(shown);
  if (bad.empty()) bad = strip_check_digits(text, integrity_);
  if (!bad.empty() || !framing_.end) return bad;
  if (text.empty() || text.back() != *framing_.end)
    return fmt::format("{} behind the end character", in_quotes(text.substr(text.rfind(*framing_.end) + 1)));
  text.pop_back();
  return "";
}

std::optional<Line> LineFramer::finish(MonotonicNs at, std::string check_fault) {
  Line line{std::exchange(text_, ""), std::move(check_fault), first_byte_ns_, at};
  started_ = false;
  if (std::exchange(skipping_, false)) return std::nullopt;
  if (framing_.fixed_length == 0) line.text.resize(line.text.size() - framing_.terminator.size());
  if (framing_.optional_stx && !line.text.empty() && line.text[0] == stx) line.text.erase(0, 1);
  if (line.text.empty()) return std::nullopt;
  if (line.fault.empty()) line.fault = fault_in(line.text);
  return line;
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, 60))
    out += c >= 0x20 && c < 0x7f ? std::string(1, c) : fmt::format("\\x{:02X}", static_cast<std::uint8_t>(c));
  return out + (text.size() > 60 ? "...'" : "'");
}

}  // namespace datum
