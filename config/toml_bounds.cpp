#include "config/toml_bounds.h"

#include <algorithm>

#include "config/toml_reader.h"

namespace datum::config {
namespace {

/// Tokenises a text by TOML v1.0.0: comments and four kinds of strings hide dots and brackets. In an invalid
/// text the parser stops at the same place, so the text behind it does not matter.
class BoundsScan {
 public:
  BoundsScan(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void run() {
    check_lines();
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark of UTF-8
    while (at_ < text_.size()) step(text_[at_]);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& allowed) const {
    throw ConfigError({name_, line_, static_cast<int>(at_ - line_begin_) + 1}, "", problem, allowed);
  }

  void check_lines() {
    if (text_.size() > max_toml_bytes)
      throw ConfigError({name_, 0, 0}, "", "has " + std::to_string(text_.size()) + " bytes",
                        "at most " + std::to_string(max_toml_bytes) + " bytes");
    int line = 1;
    for (std::size_t begin = 0; begin < text_.size(); ++line) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      if (end - begin > max_toml_line_bytes)
        throw ConfigError({name_, line, 1}, "", "is a line of " + std::to_string(end - begin) + " bytes",
                          "at most " + std::to_string(max_toml_line_bytes) + " bytes a line");
      begin = end + 1;
    }
  }

  /// TOML allows none here, and toml++ 3.3 does not handle U+00A1 to U+0499 where it skips blanks.
  void refuse_not_ascii() const {
    if (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x80)
      refuse("a character that is not ASCII", "ASCII outside strings and comments");
  }

  void step(char c) {
    refuse_not_ascii();
    if (c == '"' || c == '\'') return skip_string(c);
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    if (c == '.' && ++dots_ >= max_toml_depth)
      refuse("a key has more than " + std::to_string(max_toml_depth) + " parts",
             "at most " + std::to_string(max_toml_depth) + " parts, divided by dots");
    if (c == '[' || c == '{') open();
    if (c == ']' || c == '}') depth_ = std::max(0, depth_ - 1);
    if (c == '\n' || c == ',' || c == '=' || c == '[' || c == '{') dots_ = 0;
    if (c == '\n') next_line(at_);
    ++at_;
  }

  void open() {
    if (++depth_ > max_toml_depth)
      refuse("brackets are nested deeper than " + std::to_string(max_toml_depth),
             "at most " + std::to_string(max_toml_depth) + " brackets within each other");
  }
  void next_line(std::size_t end) {
    ++line_;
    line_begin_ = end + 1;
  }

  void skip_string(char quote) {
    const std::string three(3, quote);
    if (text_.substr(at_, 3) == three) return skip_lines(quote, three);
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return;
      }
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
    }
  }

  /// A multi-line string may end with up to two quotes more than the closing three.
  void skip_lines(char quote, const std::string& three) {
    for (at_ += 3; at_ < text_.size(); ++at_) {
      if (text_.substr(at_, 3) == three) {
        at_ += 3;
        for (int extra = 0; extra < 2 && at_ < text_.size() && text_[at_] == quote; ++extra) ++at_;
        return;
      }
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) skip_escaped();
      if (text_[at_] == '\n') next_line(at_);
    }
  }

  /// Advances to the escaped character. A backslash at a line's end joins the text behind the following
  /// blanks.
  void skip_escaped() {
    ++at_;
    constexpr std::string_view blanks = " \t\r\n";
    if (blanks.find(text_[at_]) == std::string_view::npos) return;
    const std::size_t after = text_.find_first_not_of(blanks, at_);
    for (; at_ < std::min(after, text_.size()); ++at_)
      if (text_[at_] == '\n') next_line(at_);
    refuse_not_ascii();
    --at_;  // the last blank, so that its line is counted
    if (text_[at_] == '\n') --line_;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0, line_begin_ = 0;
  int line_ = 1, dots_ = 0, depth_ = 0;
};

}  // namespace

void check_toml_bounds(std::string_view text, const std::string& name) { BoundsScan(text, name).run(); }

}  // namespace datum::config
