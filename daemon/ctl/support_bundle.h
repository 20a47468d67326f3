// Support bundle: data for the remote diagnosis of a cell, redacted and limited in size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "daemon/ctl/redaction.h"

namespace datum {

struct SupportEntry {
  std::string name;      // file name in the bundle: "system/lscpu.txt"
  std::string text;      // redacted
  std::string left_out;  // why it is incomplete or empty; empty: complete
};

class SupportBundle {
 public:
  static constexpr std::size_t most_entry_bytes = 2u << 20, most_bytes = 24u << 20;

  explicit SupportBundle(Redaction redaction) : redaction_(std::move(redaction)) {}

  /// Words to be hidden in the entries added from now on.
  void hide_inside(const std::string& kind, const std::string& word) { redaction_.hide_inside(kind, word); }
  /// Redacts and truncates; of a log the end is kept, else the beginning.
  enum class Keep : std::uint8_t { beginning, end };
  void add(const std::string& name, const std::string& text, const std::string& left_out = "",
           Keep keep = Keep::beginning);
  /// Adds the text of `make`; its exception becomes the reason of an empty entry.
  void try_add(const std::string& name, const std::function<std::string()>& make);
  /// Adds a text file; its size is checked before it is read.
  void add_file(const std::string& name, const std::filesystem::path& file);

  /// The manifest first, the others by name.
  std::vector<SupportEntry> entries(const std::string& made_by) const;

 private:
  Redaction redaction_;
  std::vector<SupportEntry> entries_;
  std::size_t bytes_ = 0;
};

/// Writes a ZIP archive that only its owner may read, complete or not at all. `utc_s`: time of its entries, seconds since
/// 1970-01-01. Throws std::runtime_error.
void write_zip(const std::filesystem::path& file, const std::vector<SupportEntry>& entries,
               std::int64_t utc_s);

}  // namespace datum
