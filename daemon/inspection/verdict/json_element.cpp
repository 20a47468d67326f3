#include "daemon/inspection/verdict/json_element.h"

namespace datum {
namespace {

/// A place in a JSON text; `at` lies behind its end once the text can't be followed.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  std::string_view from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

  /// The next character that is no white space; 0: the end.
  char next() {
    at_ = text_.find_first_not_of(" \t\r\n", at_);
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  void end() { at_ = std::string_view::npos; }

  /// Passes over a text in quotes, a number, a word, or a whole object or list; its own text.
  std::string_view value() {
    const char first = next();
    const std::size_t begin = at_;
    if (first == '"')
      pass_text();
    else if (first == '{' || first == '[')
      pass_nested();
    else
      at_ = text_.find_first_of(",]} \t\r\n", at_);
    if (at_ > text_.size()) {
      end();
      return {};
    }
    return from(begin);
  }

 private:
  void pass_text() {
    for (++at_;;) {
      at_ = text_.find_first_of("\"\\", at_);
      if (at_ == std::string_view::npos) return;
      if (text_[at_] == '"') {
        ++at_;
        return;
      }
      at_ += 2;
    }
  }
  void pass_nested() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        pass_text();
        continue;
      }
      depth += c == '{' || c == '[';
      ++at_;
      if ((c == '}' || c == ']') && --depth == 0) return;
    }
    end();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Goes to the value of an object's member; false: it has none of that key. The cursor stands before the object.
bool enter_member(Cursor& cursor, std::string_view key) {
  if (!cursor.accept('{')) return false;
  do {
    const std::string_view name = cursor.value();
    if (name.size() < 2 || !cursor.accept(':')) return false;
    if (name.substr(1, name.size() - 2) == key) return true;
    if (cursor.value().empty()) return false;
  } while (cursor.accept(','));
  return false;
}

}  // namespace

std::string_view element_with(std::string_view json, std::string_view list, std::string_view key,
                              std::string_view value) {
  Cursor cursor(json);
  if (!enter_member(cursor, list) || !cursor.accept('[')) return {};
  do {
    const std::string_view element = cursor.value();
    Cursor inside(element);
    if (!element.empty() && enter_member(inside, key) && inside.value() == value) return element;
    if (element.empty()) return {};
  } while (cursor.accept(','));
  return {};
}

}  // namespace datum
