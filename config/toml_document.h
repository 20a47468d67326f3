// A TOML document as a tree of plain values: what a parser makes of a text, and all that TomlTable reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace datum::config {

struct TomlEntry;

struct TomlNode {
  enum class Kind : std::uint8_t { other, text, whole, real, truth, array, table };
  Kind kind = Kind::other;  // other: a date or a time, which no file of datumd has
  int line = 0, column = 0;
  std::string text;
  std::int64_t whole = 0;  // truth: 0 or 1
  double real = 0;
  std::vector<TomlNode> elements;  // of an array
  std::vector<TomlEntry> entries;  // of a table, sorted by key, no key twice

  /// Null: no such key.
  const TomlNode* find(std::string_view key) const;
};

struct TomlEntry {
  std::string key;
  int line = 0, column = 0;  // of the key
  TomlNode value;
};

/// Parses here, after check_toml_bounds. Throws ConfigError "not valid TOML" with its place; `name` stands for the file.
TomlNode parse_toml(std::string_view text, const std::string& name);

/// Who parses a text: another process, for texts that a stranger may have written.
class TomlParser {
 public:
  virtual ~TomlParser() = default;
  /// As parse_toml. From any thread.
  virtual TomlNode parse(std::string_view text, const std::string& name) const = 0;
};

}  // namespace datum::config
