// CellMark: a file that says what the cell did when its process ended; beside the result store.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "drivers/sensor/claimed_frame.h"

namespace datum {

class CellMark {
 public:
  /// Reads what an earlier process left.
  explicit CellMark(std::filesystem::path file);

  /// As it stood when this process began, or was set since; none: it is not set.
  const std::optional<FileStamp>& stamp() const { return stamp_; }
  /// What was written with it; empty: nothing, or it is not set.
  const std::string& text() const { return text_; }
  /// Sets it anew; `durable`: it outlives a power cut. False: the file system refuses.
  bool set(bool durable, const std::string& text = "");
  /// Another text, durable, in one step; the stamp stays. False: the file system refuses, and the mark says what it said.
  bool rewrite(const std::string& text);
  void clear();

 private:
  void read();
  bool write(const std::filesystem::path& file, bool durable, const std::string& bytes) const;

  std::filesystem::path file_;
  std::optional<FileStamp> stamp_;
  std::string text_;
};

}  // namespace datum
