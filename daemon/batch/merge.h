// Joins the outputs of a batch in a new SQLite file: one writer, sorted by key, the same bytes for the same manifest and outputs
// (with one version of SQLite), whoever measured them and in which order. Never a store of record.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/batch/manifest.h"

namespace datum {

struct BatchSummary {
  /// Boards by their decision before (of the store) and now.
  std::array<std::array<std::uint64_t, 4>, 4> confusion{};
  std::uint64_t measured = 0, without_before = 0, unmeasured = 0, changed_boards = 0;
  std::vector<std::string> flips;  // of a board and its components, by sequence number
};

/// Writes `file`, which must not exist. `partial`: units without an output are listed in it; else they are refused. Throws
/// std::runtime_error.
BatchSummary merge_batch(const std::filesystem::path& batch, const Manifest& manifest,
                         const std::filesystem::path& file, bool partial);

/// The summary as text: the confusion matrix, and the flips.
std::string text_of(const BatchSummary& summary);

}  // namespace datum
