// Edits of a TOML text that leave the rest of it, its comments and its form, as a person wrote them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/toml_document.h"

namespace datum::teach {

/// Key and the value's text.
using TomlAssignments = std::vector<std::pair<std::string, std::string>>;

class TomlEdit {
 public:
  /// Throws ConfigError where the text is not TOML; `name` is the file's name in messages.
  TomlEdit(std::string text, const std::string& name);

  const config::TomlNode& root() const { return root_; }
  /// The element of the array of tables `array` with this text under `key`; null: there is none.
  const config::TomlNode* element(const std::string& array, const std::string& key,
                                  const std::string& value) const;

  /// Sets keys of a table or inline table of root(). Keys of `drop` make way for the first new ones; where none is left they are
  /// an error. New keys come behind `after`, which the table has. Throws std::invalid_argument.
  void set(const config::TomlNode& table, const std::string& after, const TomlAssignments& keys,
           const std::vector<std::string>& drop = {});
  /// Adds an element {keys} to the array `array`: in the compact form as its first one, else as a table at the end.
  void add_element(const std::string& array, const TomlAssignments& keys);
  /// Adds text behind the last line.
  void append(const std::string& lines) { tail_ += lines; }

  /// The edited text. Throws ConfigError where it is no TOML any more.
  std::string text() const;

 private:
  struct Change {
    std::size_t end;
    std::string text;
  };
  std::size_t offset(int line, int column) const;
  std::size_t value_end(std::size_t begin) const;
  bool is_inline(const config::TomlNode& table) const;

  std::string text_, name_, tail_;
  std::vector<std::size_t> lines_;  // offset of each
  config::TomlNode root_;
  std::multimap<std::size_t, Change> changes_;  // by their begin, not overlapping
};

}  // namespace datum::teach
