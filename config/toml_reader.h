// Strict reader of TOML: every key is requested by name; an unknown or ill-typed one is refused with its
// place.
//
// This is a leaf: it knows TOML and nothing of datumd. daemon/configuration/daemon_config.h, the recipe and
// the calibration store convert tables to each part's own Settings with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/suggestion.h"

namespace datum::config {

/// A place in a text file; line and column count from 1, 0 means "the file as a whole".
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Refused input. what() is "FILE:LINE:COLUMN: KEY: what is wrong; what is allowed".
class ConfigError : public std::runtime_error {
 public:
  ConfigError(Location where, std::string key, const std::string& problem, const std::string& allowed);
  const Location& where() const { return where_; }
  const std::string& key() const { return key_; }
  const std::string& problem() const { return problem_; }
  const std::string& allowed() const { return allowed_; }

 private:
  Location where_;
  std::string key_, problem_, allowed_;
};

/// Collects refusals, so that a check of a file reports all of them instead of the first.
class Problems {
 public:
  /// Runs `read` and keeps a ConfigError that it throws. True: none was thrown.
  template <class Read>
  bool attempt(Read read) {
    try {
      read();
      return true;
    } catch (const ConfigError& error) {
      errors_.push_back(error);
      return false;
    }
  }
  void add(const ConfigError& error) { errors_.push_back(error); }
  /// A value that is allowed and probably not meant.
  void warn(const ConfigError& doubt) { warnings_.push_back(doubt); }
  const std::vector<ConfigError>& errors() const { return errors_; }
  const std::vector<ConfigError>& warnings() const { return warnings_; }
  void throw_first() const {
    if (!errors_.empty()) throw errors_.front();
  }

 private:
  std::vector<ConfigError> errors_, warnings_;
};

/// Closed interval of allowed numbers.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};
/// Interval (0, inf): used for sizes, scales and tolerances.
inline constexpr Range positive{std::numeric_limits<double>::min(), std::numeric_limits<double>::infinity()};
inline constexpr Range not_negative{0.0, std::numeric_limits<double>::infinity()};

/// A number for messages: the shortest form with 15 significant digits.
std::string shown(double value);
/// "from 0 to 1", "more than 0", "any finite number".
std::string shown(Range range);

/// SHA-256 of these bytes, lower-case hex.
std::string sha256_hex(std::string_view bytes);

class TomlParser;  // config/toml_document.h
struct TomlEntry;

/// One table of a TOML document. Reading a key marks it as known; finish() refuses keys that were not
/// requested. All readers throw ConfigError: key missing, wrong type, outside its range, NaN or infinite.
class TomlTable {
 public:
  /// Throws ConfigError where the file is unreadable or not TOML. `apart` parses its bytes; null: in this
  /// process.
  static TomlTable from_file(const std::filesystem::path& path, const TomlParser* apart = nullptr);
  /// `name` is the file's name in messages.
  static TomlTable from_text(std::string_view text, const std::string& name,
                             const TomlParser* apart = nullptr);

  /// SHA-256 of the whole document's bytes, lower-case hex: the identity of a recipe or calibration in a
  /// verdict.
  const std::string& sha256() const;

  bool has(std::string_view key) const;

  std::string text(std::string_view key);
  std::string text_or(std::string_view key, std::string fallback);
  std::optional<std::string> text_if(std::string_view key);
  bool boolean(std::string_view key);
  bool boolean_or(std::string_view key, bool fallback);
  double number(std::string_view key, Range allowed = {});
  double number_or(std::string_view key, double fallback, Range allowed = {});
  std::optional<double> number_if(std::string_view key, Range allowed = {});
  std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max);
  std::int64_t integer_or(std::string_view key, std::int64_t fallback, std::int64_t min, std::int64_t max);
  std::optional<std::int64_t> integer_if(std::string_view key, std::int64_t min, std::int64_t max);
  /// Array of exactly `count` finite numbers, each in `allowed`.
  std::vector<double> numbers(std::string_view key, std::size_t count, Range allowed = {});
  /// Array of `least` to `most` finite numbers.
  std::vector<double> numbers_between(std::string_view key, std::size_t least, std::size_t most,
                                      Range allowed = {});
  std::vector<std::string> texts(std::string_view key);
  std::vector<std::string> texts_or(std::string_view key, std::vector<std::string> fallback);

  /// One of the listed words; a refusal lists them.
  template <class E>
  E choice(std::string_view key, std::initializer_list<std::pair<const char*, E>> words) {
    std::string allowed;
    Words known;
    for (const auto& [name, value] : words) {
      allowed += (allowed.empty() ? "one of: " : ", ") + std::string(name);
      known.emplace(name);
    }
    const std::string given = word(key, known, allowed);
    return std::find_if(words.begin(), words.end(), [&](const auto& w) { return given == w.first; })->second;
  }
  template <class E>
  E choice_or(std::string_view key, E fallback, std::initializer_list<std::pair<const char*, E>> words) {
    return has(key) ? choice<E>(key, words) : fallback;
  }

  TomlTable table(std::string_view key);
  std::optional<TomlTable> table_if(std::string_view key);
  /// Array of tables ([[key]]); empty where the key is absent.
  std::vector<TomlTable> tables(std::string_view key);
  /// Names of all sub-tables of this table, in file order (for maps such as [devices.NAME]).
  std::vector<std::string> table_names() const;

  /// Refuses the first key that is none of these, before any is read: a misspelt key is the cause of what would be missing.
  /// A reader without it refuses an unknown key by finish().
  void only_keys(std::initializer_list<const char*> keys);
  void only_keys(const Words& keys);
  /// Refuses the first key that was not read, and lists the known keys. Call it last. It does not descend:
  /// call finish() on each sub-table too.
  void finish() const;
  /// Messages name this table by the text of `key` ("U3.body_mm"), if it has one, in place of its number.
  void name_by(std::string_view key);

  Location where(std::string_view key) const;
  Location where() const;
  /// Full dotted name of a key of this table.
  std::string path(std::string_view key) const;
  [[noreturn]] void refuse(std::string_view key, const std::string& problem,
                           const std::string& allowed) const;

  ~TomlTable();
  TomlTable(TomlTable&&) noexcept;
  TomlTable& operator=(TomlTable&&) noexcept;

 private:
  struct Impl;
  explicit TomlTable(std::unique_ptr<Impl> impl);
  std::string word(std::string_view key, const Words& words, const std::string& allowed);
  const TomlEntry* first_beyond(const Words& known) const;
  [[noreturn]] void refuse_entry(const TomlEntry& entry, const std::string& problem,
                                 const Words& known) const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace datum::config
