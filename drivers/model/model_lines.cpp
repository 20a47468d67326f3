#include "drivers/model/model_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/sensor/stored_number.h"

namespace datum {

bool ModelLines::next() {
  while (at_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    ++number_;
    if (line.size() > max_model_line_bytes)
      refuse(fmt::format("has a line of {} bytes, it may have {}; it is damaged, export it again",
                         line.size(), max_model_line_bytes));
    words_.clear();
    constexpr std::string_view blanks = " \t\r";
    for (std::size_t at = 0; (at = line.find_first_not_of(blanks, at)) != std::string_view::npos;) {
      const std::size_t to = std::min(line.find_first_of(blanks, at), line.size());
      words_.push_back(line.substr(at, to - at));
      at = to;
    }
    if (!words_.empty()) return true;
  }
  words_.clear();
  return false;
}

bool ModelLines::is(std::initializer_list<std::string_view> words) const {
  return std::equal(words_.begin(), words_.end(), words.begin(), words.end());
}

ModelVector ModelLines::vector(std::size_t first, const char* what) const {
  std::array<double, 3> v{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto number = first + k < words_.size() ? number_in(words_[first + k]) : std::nullopt;
    if (!number)
      refuse(fmt::format("{} that is not a number; it is truncated or damaged, export it again", what));
    v[k] = *number;
  }
  return model_vector(v, where(), what);
}

std::string ModelLines::where() const { return fmt::format("{}:{}", name_, number_); }

void ModelLines::refuse(const std::string& what) const { throw ModelError(where() + ": " + what); }

std::string shown_word(std::string_view word) {
  std::string text(word.substr(0, 32));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

}  // namespace datum
