// A TOML document as a tree of plain values: the output of a parser and the input of TomlTable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace datum::config {

struct TomlEntry;

struct TomlNode {
  enum class Kind : std::uint8_t { other, text, whole, real, truth, array, table };
  Kind kind = Kind::other;  // other: a date or a time, not used in datumd's files
  int line = 0, column = 0;
  std::string text;
  std::int64_t whole = 0;  // truth: 0 or 1
  double real = 0;
  std::vector<TomlNode> elements;  // of an array
  std::vector<TomlEntry> entries;  // of a table, sorted by key, unique

  /// Null: no such key.
  const TomlNode* find(std::string_view key) const;
};

struct TomlEntry {
  std::string key;
  int line = 0, column = 0;  // of the key
  TomlNode value;
};

/// Parses in this process, after check_toml_bounds. Throws ConfigError "not valid TOML" with its place;
/// `name` is the file's name in messages.
TomlNode parse_toml(std::string_view text, const std::string& name);

/// Bytes of a regular file of at most max_toml_bytes. Throws ConfigError.
std::string toml_file_bytes(const std::filesystem::path& path);

/// Parser in another process, for texts from untrusted sources.
class TomlParser {
 public:
  virtual ~TomlParser() = default;
  /// As parse_toml. Callable from any thread.
  virtual TomlNode parse(std::string_view text, const std::string& name) const = 0;
};

}  // namespace datum::config
