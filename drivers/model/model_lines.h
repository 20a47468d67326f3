// Lines of a model's text and their words, with their location for messages.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/model/model_gatherer.h"

namespace datum {

/// Limit of a line; longer ones are refused.
constexpr std::size_t max_model_line_bytes = 4096;

class ModelLines {
 public:
  ModelLines(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  /// Advances to the next line with words (ended by LF or CR LF); false at the end of the text. Throws
  /// ModelError.
  bool next();
  /// Words of the current line, separated by blanks and tabs.
  const std::vector<std::string_view>& words() const { return words_; }
  bool is(std::initializer_list<std::string_view> words) const;
  /// Three words from this one on as numbers; `what` names them in the refusal.
  ModelVector vector(std::size_t first, const char* what) const;
  /// Offset of the next line.
  std::size_t at() const { return at_; }
  /// "FILE:LINE"
  std::string where() const;
  /// Throws ModelError "FILE:LINE: what; what to do".
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::string_view text_;
  const std::string& name_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  std::size_t number_ = 0;
};

/// A word of the file, shortened for a message and without terminal control characters.
std::string shown_word(std::string_view word);

}  // namespace datum
