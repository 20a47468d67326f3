// Retention: what is kept how long, and the room that must be left. Nothing is removed that no limit names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace datum {

/// Of frames of measured boards; what could not be read (failed/) is kept until its limits.
enum class KeepFrames : std::uint8_t { all, failures, none };

struct KeepLimit {
  std::optional<int> days{};
  std::optional<std::uint64_t> bytes{};
  bool any() const { return days || bytes; }
};

struct RetentionSettings {
  KeepLimit results{};                           // bytes: of the store's file
  std::optional<std::uint64_t> results_count{};  // the newest
  KeepFrames keep_frames = KeepFrames::all;
  KeepLimit frames{}, pictures{};
  std::string date_accepted{};  // "YYYY-MM-DD": a jump of the clock up to this day is true

  // Room on each file system below which the cell does not arm. 16 MiB are the store's log (result_store.cpp), the others
  // ten boards of 24 MiB: a frame of 8 million pixels of 16 bits, its picture and its result.
  std::uint64_t reserve_bytes = std::uint64_t{256} << 20;
  // 125 boards of at most eight files: the delivery's folder, two images, sidecar and note, the picture, the store's log.
  std::uint64_t reserve_inodes = 1000;

  bool removes_results() const { return results.any() || results_count; }
};

}  // namespace datum
