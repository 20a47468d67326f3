// XML as text, element by element. Names are the program's own; values pass ascii_of and are escaped, so that a stored text is
// text in every place: markup, control characters that XML forbids and broken UTF-8 can't leave it.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace datum {

/// ascii_of, with & < > " ' as references.
std::string xml_escaped(const std::string& bytes);

class XmlText {
 public:
  using Attributes = std::initializer_list<std::pair<const char*, std::string>>;

  void open(const char* name, Attributes attributes = {});
  void close();
  void leaf(const char* name, const std::string& text, Attributes attributes = {});
  void empty(const char* name, Attributes attributes = {});
  /// What was written since the last call; elements stay open.
  std::string take() { return std::exchange(text_, {}); }

 private:
  void start(const char* name, Attributes attributes);

  std::string text_;
  std::vector<const char*> open_;
};

}  // namespace datum
