#include "drivers/ipp/ipp_framer.h"

#include <algorithm>
#include <utility>

namespace datum {
namespace {

bool digits(const std::string& text, std::size_t from) {
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

std::string trimmed_from(const std::string& text, std::size_t from) {
  const auto begin = text.find_first_not_of(' ', from);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

IppLine columns(const std::string& text) {
  IppLine line;
  line.fault = IppFault::tag;
  if (text.size() < 7 || text[5] != ' ') return line;
  line.tag = text.substr(0, 5);
  if (!is_ipp_tag(line.tag)) return line;
  line.fault = IppFault::mark;
  if (std::string("&%#!").find(text[6]) == std::string::npos) return line;
  line.mark = static_cast<IppMark>(text[6]);
  line.text = trimmed_from(text, 7);
  line.fault = IppFault::none;
  return line;
}

}  // namespace

const char* name_of(IppFault fault) {
  switch (fault) {
    case IppFault::none:
      return "good";
    case IppFault::too_long:
      return "a line that is too long";
    case IppFault::character:
      return "a character outside 32 to 126";
    case IppFault::terminator:
      return "a CR or LF that stands alone";
    case IppFault::tag:
      return "no tag in columns 1 to 6";
    case IppFault::mark:
      return "no mark in column 7";
  }
  return "?";
}

bool is_ipp_tag(const std::string& tag) {
  if (tag.size() != 5) return false;
  return tag[0] == 'E' ? digits(tag, 1) : digits(tag, 0) && tag != "00000";
}

void IppFramer::reset() {
  text_.clear();
  fault_ = IppFault::none;
  carriage_return_ = false;
}

std::optional<IppLine> IppFramer::push(std::uint8_t byte, MonotonicNs at) {
  if (text_.empty() && fault_ == IppFault::none && !carriage_return_) first_byte_ns_ = at;
  const bool after_return = std::exchange(carriage_return_, byte == '\r');
  if (byte == '\n' && after_return) return finish(at);
  IppFault wrong = IppFault::none;
  if (after_return || byte == '\n')
    wrong = IppFault::terminator;
  else if (byte != '\r' && (byte < 32 || byte > 126))
    wrong = IppFault::character;
  else if (text_.size() >= most_ && byte != '\r')
    wrong = IppFault::too_long;
  if (fault_ == IppFault::none) fault_ = wrong;
  if (fault_ == IppFault::none && byte != '\r') text_ += static_cast<char>(byte);
  return std::nullopt;
}

IppLine IppFramer::finish(MonotonicNs at) {
  IppLine line;
  if (fault_ == IppFault::none)
    line = columns(text_);
  else
    line.fault = fault_;
  line.first_byte_ns = first_byte_ns_;
  line.last_byte_ns = at;
  reset();
  if (text_.capacity() > 65536) std::string().swap(text_);  // frees the memory of an exceptionally long line
  return line;
}

}  // namespace datum
