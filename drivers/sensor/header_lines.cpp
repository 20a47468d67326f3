#include "drivers/sensor/header_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/frame/frame_error.h"

namespace datum {

HeaderLines::HeaderLines(ByteView file, std::string name, std::size_t longest)
    : text_(reinterpret_cast<const char*>(file.data()), std::min(file.size(), longest)),
      name_(std::move(name)) {}

bool HeaderLines::next() {
  const std::size_t end = text_.find('\n', at_);
  if (end == std::string_view::npos) return false;
  line_ = text_.substr(at_, end - at_);
  if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  at_ = end + 1;
  ++number_;
  return true;
}

std::vector<std::string_view> HeaderLines::words() const { return words_of(line_); }

void HeaderLines::refuse(const std::string& what) const {
  throw FrameError(fmt::format("{}:{}: {}", name_, number_, what));
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace datum
