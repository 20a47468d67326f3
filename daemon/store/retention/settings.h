// Retention: how long data is kept, and the reserve of free space. Without a limit nothing is removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace datum {

/// Frames of measured boards; frames that could not be read (failed/) are kept until their limits.
enum class KeepFrames : std::uint8_t { all, failures, none };

struct KeepLimit {
  std::optional<int> days{};
  std::optional<std::uint64_t> bytes{};
  bool any() const { return days || bytes; }
};

struct RetentionSettings {
  KeepLimit results{};                           // bytes: size of the store's file
  std::optional<std::uint64_t> results_count{};  // of the newest results
  KeepFrames keep_frames = KeepFrames::all;
  KeepLimit frames{}, pictures{};
  std::string date_accepted{};  // "YYYY-MM-DD": a jump of the clock up to this day is correct

  // Free space per file system below which the cell does not arm: 16 MiB for the store's WAL (result_store.cpp), and ten
  // boards of 24 MiB each: a frame of 8 million 16-bit pixels, its picture and its result.
  std::uint64_t reserve_bytes = std::uint64_t{256} << 20;
  // 125 boards of at most eight files: the delivery's folder, two images, sidecar, note, picture, the store's WAL.
  std::uint64_t reserve_inodes = 1000;

  bool removes_results() const { return results.any() || results_count; }
};

}  // namespace datum
